package category

import (
	"context"
	"maps"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/request"
	"frontdesk/internal/table"
)

// UpdateFunction is the endpoint PUT …/categories/{category_id}.
func (s *Service) UpdateFunction() api.Function { return api.Function{Handle: s.update} }

var errNullRelated = api.Errorf(
	api.Malformed, "category.related_category_ids must be an array of integers; [] empties it")

// update changes the fields that are given. Whoever changes another field at the same time keeps that, too: a change
// that met another one is made again on what that one has left.
func (s *Service) update(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := portal.ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	changes, malformed := request.DecodeChanges(r)
	if malformed == nil && changes.Related.Null {
		malformed = errNullRelated
	}
	more := categoryKeys(caller.Portal, changes.Linked())
	v, err := table.Retry(ctx, changeset.ErrStale, func() (view, error) {
		snap, err := s.readSnapshot(ctx, caller, r.PathParameters["category_id"], malformed, more...)
		if err != nil {
			return view{}, err
		}
		return s.change(ctx, caller.Portal, snap, changes)
	})
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, v.ID)
	return answer(v), nil
}

// change makes the changes of the snapshot's category. Beside the write it reads what the answer tells of links that
// stay.
func (s *Service) change(ctx context.Context, p table.Portal, snap snapshot, changes request.Changes) (view, error) {
	linked, err := recordsOf(p, changes.Linked(), snap.items)
	if err != nil {
		return view{}, err
	}
	before := snap.record.Category()
	changes = changes.KeepSlug(before.Slug)
	if err := changes.Check(before.ID, snap.portal, linked.open); err != nil {
		return view{}, err
	}
	after := changes.Apply(before)

	group := api.NewGroup() // without a context: a read that fails must not break off the write
	if !after.Equal(before) {
		cs := changeset.New(s.Table, p)
		after.UpdatedAt = cs.Time
		if err := cs.Update(ctx, snap.record, after, snap.items); err != nil {
			return view{}, err
		}
		group.Go(func() error { return cs.Run(ctx) })
	}
	var kept records
	var links []changeset.Ref
	group.Go(func() error {
		first, err := s.readLinks(ctx, p, snap.record)
		if err == nil {
			links, err = first.All(ctx)
		}
		return err
	})
	group.Go(func() (err error) {
		kept, err = s.readLinked(ctx, p, after, linked)
		return err
	})
	if err := group.Wait(); err != nil {
		return view{}, err
	}
	maps.Copy(linked, kept)
	return newView(snap.portal.Account, after, incomingOf(links), linked), nil
}

// readLinked reads the categories that a category links to, except those that are known.
func (s *Service) readLinked(
	ctx context.Context, p table.Portal, c changeset.Category, known records,
) (records, error) {
	unknown := unknownTargets(c.Links(), known)
	items, err := s.Table.Read(ctx, categoryKeys(p, unknown)...)
	if err != nil {
		return nil, err
	}
	return recordsOf(p, unknown, items)
}
