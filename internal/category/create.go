package category

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/request"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// CreateFunction is the endpoint POST …/categories.
func (s *Service) CreateFunction() api.Function { return api.Function{Handle: s.create} }

func (s *Service) create(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := portal.ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	changes, malformed := request.DecodeChanges(r)
	changes = changes.ForCreate()
	p, items, err := s.authorize(ctx, caller, categoryKeys(caller.Portal, changes.Linked())...)
	if err != nil {
		return api.Response{}, err
	}
	if malformed != nil {
		return api.Response{}, malformed
	}
	linked, err := recordsOf(caller.Portal, changes.Linked(), items)
	if err != nil {
		return api.Response{}, err
	}
	if err := changes.Check(0, p, linked.open); err != nil {
		return api.Response{}, err
	}
	c, err := s.insert(ctx, caller.Portal, changes.Apply(changeset.Category{Locale: p.DefaultLocale}))
	if err != nil {
		return api.Response{}, err
	}
	logCategory(r, c.ID)
	return answer(newView(p.Account, c, incoming{}, linked)), nil
}

// insert writes a new category: with another id, where one is taken.
func (s *Service) insert(ctx context.Context, p table.Portal, c changeset.Category) (changeset.Category, error) {
	return table.Retry(ctx, changeset.ErrStale, func() (changeset.Category, error) {
		cs := changeset.New(s.Table, p)
		c.ID, c.CreatedAt, c.UpdatedAt = id.New(), cs.Time, cs.Time
		cs.Create(c)
		return c, cs.Run(ctx)
	})
}
