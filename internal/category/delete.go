package category

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// DeleteFunction is the endpoint DELETE …/categories/{category_id}.
func (s *Service) DeleteFunction() api.Function { return api.Function{Handle: s.delete} }

func (s *Service) delete(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := portal.ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	deleted, err := table.Retry(ctx, changeset.ErrStale, func() (id.ID, error) {
		snap, err := s.readSnapshot(ctx, caller, r.PathParameters["category_id"], nil)
		if err != nil {
			return 0, err
		}
		return snap.record.ID, s.remove(ctx, caller.Portal, snap)
	})
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, deleted)
	return api.Response{Body: struct{}{}}, nil
}

// remove deletes the snapshot's category, and every link from it and to it. Of many links to it, those that do not fit
// into the transaction are deleted before, in transactions that each leave the table whole: when one fails, the
// category has only lost some links, and the request may be sent again.
func (s *Service) remove(ctx context.Context, p table.Portal, snap snapshot) error {
	refs := snap.refs
	for len(refs) > changeset.MaxDeleteRefs {
		n := min(changeset.MaxUnlinkRefs, len(refs)-changeset.MaxDeleteRefs)
		cs := changeset.New(s.Table, p)
		cs.Unlink(refs[:n])
		if err := cs.Run(ctx); err != nil {
			return err
		}
		refs = refs[n:]
	}
	cs := changeset.New(s.Table, p)
	cs.Delete(snap.record, refs)
	return cs.Run(ctx)
}
