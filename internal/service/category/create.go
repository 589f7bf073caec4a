package category

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/request"
	"frontdesk/internal/service/category/tree"
)

// CreateFunction is the endpoint POST …/categories.
func (s *Service) CreateFunction() api.Function {
	return api.Function{Handle: forMembers(s, decodeCreation, request.Changes.Linked, s.create)}
}

// decodeCreation reads the fields of a new category. In a creation, null means the same as a field that is absent.
func decodeCreation(r *api.Request) (request.Changes, error) {
	changes, err := request.DecodeChanges(r)
	return changes.ForCreate(), err
}

// create checks the rules on what the round trip of the authentication has read, so that it costs one more round trip:
// the write.
func (s *Service) create(ctx context.Context, r *api.Request, m member, changes request.Changes) (api.Response, error) {
	records, err := recordsOf(m.portal.Key(), m.named, m.items)
	if err != nil {
		return api.Response{}, err
	}
	known := treeOf(records)
	if err := changes.Check(0, m.portal, known.Has); err != nil {
		return api.Response{}, err
	}
	c, err := s.insert(ctx, m, changes.Apply(tree.Category{Locale: portal.NormalLocale(m.portal.DefaultLocale)}))
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, c.ID)
	return answer(known.View(portalView(m.portal), c), changes.Warnings), nil
}

// insert writes a new category. It tries again with a new id when the id is taken. The write depends on an item that
// disappears with the portal, so that no category comes into a portal that is being deleted. That item is a category
// that the new one links to, or the agent's membership when there are no links. So creations without links by one agent
// wait for each other, and creations below one category meet at its record.
func (s *Service) insert(ctx context.Context, m member, c tree.Category) (tree.Category, error) {
	return table.Retry(ctx, changeset.ErrStale, func() (tree.Category, error) {
		cs := changeset.New(s.Table, m.portal.Key())
		if len(c.Linked()) == 0 {
			cs.Require(m.membership.Require, portal.ErrNotMember)
		}
		c.ID, c.CreatedAt, c.UpdatedAt = id.New(), cs.Time, cs.Time
		cs.Create(c)
		return c, cs.Run(ctx)
	})
}
