package category

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/request"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// DeleteFunction is the endpoint DELETE …/categories/{category_id}.
func (s *Service) DeleteFunction() api.Function {
	return api.Function{Handle: forMembers(s, request.DecodeTarget, one, s.delete)}
}

// errGoesOn answers a deletion that has ended some links, but not all. It is not an [api.Conflict], because a conflict
// promises that nothing was written.
var errGoesOn = api.Errorf(api.Unavailable, "The category is being deleted, with the many links that lead to it: "+
	"please send the request again until it is gone")

// deletePage is how many links one query reads between the transactions that end them. It fills ten transactions.
const deletePage = 10 * changeset.MaxUnlinkRefs

// delete ends all links that lead to the category, then deletes it together with the last of them. Repeating the
// request is safe: each attempt reads the links that are left.
func (s *Service) delete(ctx context.Context, r *api.Request, m member, category id.ID) (api.Response, error) {
	begun, p := false, m.portal.Key()
	_, err := retry(ctx, s, m, func(m member) (struct{}, error) {
		read, err := m.find(category)
		if err != nil {
			return struct{}{}, err
		}
		links, err := s.readLinks(ctx, p, read)
		if err != nil {
			return struct{}{}, err
		}
		for links.More() || len(links.Items) > changeset.MaxDeleteRefs {
			links, err = s.unlink(ctx, p, links)
			if err != nil {
				return struct{}{}, err
			}
			begun = true
		}
		cs := changeset.New(s.Table, p)
		cs.Delete(read, links.Items)
		return struct{}{}, cs.Run(ctx)
	})
	if begun && wantsTime(err) {
		err = fmt.Errorf("%w: %w", errGoesOn, err)
	}
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, category)
	return api.Response{Body: struct{}{}}, nil
}

// unlink ends as many links to a category as fit into one transaction, and returns those that are left. It keeps back
// [changeset.MaxDeleteRefs] of them for the transaction that deletes the category.
//
// Each transaction leaves the table whole. When one fails, the category has only lost some links, and the client may
// send the request again. The deletion comes to an end, because the first transaction marks the category, and a marked
// category gets no new links.
func (s *Service) unlink(
	ctx context.Context, p table.Portal, links table.Page[changeset.Ref],
) (table.Page[changeset.Ref], error) {
	// Fill the transaction: read the next page before the rest of this one is used up.
	if left := links.Items; links.More() && len(left) < changeset.MaxUnlinkRefs {
		var err error
		links, err = links.Next(ctx, deletePage)
		if err != nil {
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

// wantsTime reports whether the request could have gone on with more time.
func wantsTime(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && (e.Kind == api.Conflict || e.Kind == api.Unavailable) || errors.Is(err, context.DeadlineExceeded)
}
