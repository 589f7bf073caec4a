package category

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// DeleteFunction is the endpoint DELETE …/categories/{category_id}.
func (s *Service) DeleteFunction() api.Function { return api.Function{Handle: s.delete} }

// errGoesOn is the error of a deletion that has ended links, and not all. It is no [api.Conflict], with which nothing
// was written.
var errGoesOn = api.Errorf(api.Unavailable, "The category is being deleted, with the many links that lead to it: "+
	"please send the request again until it is gone")

// deletePage is how many links are read at once between the transactions that end them.
const deletePage = 10 * changeset.MaxUnlinkRefs

func (s *Service) delete(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := portal.ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	begun := false
	deleted, err := table.Retry(ctx, changeset.ErrStale, func() (id.ID, error) {
		snap, err := s.readSnapshot(ctx, caller, r.PathParameters["category_id"], nil)
		if err != nil {
			return 0, err
		}
		links, err := s.readLinks(ctx, caller.Portal, snap.record)
		if err != nil {
			return 0, err
		}
		for links.More() || len(links.Items) > changeset.MaxDeleteRefs {
			if links, err = s.unlink(ctx, caller.Portal, links); err != nil {
				return 0, err
			}
			begun = true
		}
		cs := changeset.New(s.Table, caller.Portal)
		cs.Delete(snap.record, links.Items)
		return snap.record.ID, cs.Run(ctx)
	})
	if begun && wantsTime(err) {
		err = fmt.Errorf("%w: %w", errGoesOn, err)
	}
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, deleted)
	return api.Response{Body: struct{}{}}, nil
}

// unlink ends the first of the links that lead to a category, as many as go into one transaction, and gives the others.
// It leaves those that go into the transaction of the deletion. Each of its transactions leaves the table whole: when
// one fails, the category has only lost some links, and the request may be sent again. That comes to an end, because a
// category that has lost links so gets no new ones.
func (s *Service) unlink(
	ctx context.Context, p table.Portal, links table.Page[changeset.Ref],
) (table.Page[changeset.Ref], error) {
	if left := links.Items; links.More() && len(left) < changeset.MaxUnlinkRefs {
		var err error
		if links, err = links.Next(ctx, deletePage); err != nil {
			return links, err
		}
		links.Items = append(left, links.Items...)
	}
	n := len(links.Items)
	if !links.More() {
		n -= changeset.MaxDeleteRefs
	}
	n = min(n, changeset.MaxUnlinkRefs)
	if n <= 0 {
		return links, nil
	}
	cs := changeset.New(s.Table, p)
	cs.Unlink(links.Items[:n])
	links.Items = links.Items[n:]
	return links, cs.Run(ctx)
}

// wantsTime reports whether an error is of a request that could have gone on with more time.
func wantsTime(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && (e.Kind == api.Conflict || e.Kind == api.Unavailable) || errors.Is(err, context.DeadlineExceeded)
}
