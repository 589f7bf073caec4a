package category

import (
	"context"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// ListFunction is the endpoint GET …/categories.
func (s *Service) ListFunction() api.Function { return api.Function{Handle: s.list} }

var errListTooLarge = api.Errorf(
	api.Invalid, "The list is too large for one answer: ask for it in pages, or in smaller ones, with limit")

// list answers the categories of a portal by position, those without one last, then by id. All of them are read
// whatever page is asked for: what links to a category is known only from the others.
func (s *Service) list(ctx context.Context, r *api.Request) (api.Response, error) {
	caller, err := portal.ParseCaller(r)
	if err != nil {
		return api.Response{}, err
	}
	q, malformed := parseListQuery(r.QueryStringParameters)
	p, all, err := s.readAll(ctx, caller, malformed)
	if err != nil {
		return api.Response{}, err
	}

	linked := make(records, len(all))
	subs, associated := map[id.ID][]id.ID{}, map[id.ID][]id.ID{} // of 0: those without a parent, without a root
	for _, r := range all {                                      // by id, as they were created
		linked[r.ID] = r
		subs[r.Parent] = append(subs[r.Parent], r.ID)
		associated[r.Root] = append(associated[r.Root], r.ID)
	}
	chosen := slices.DeleteFunc(all, func(r changeset.Record) bool { return q.locale != "" && r.Locale != q.locale })
	slices.SortFunc(chosen, func(a, b changeset.Record) int { return sortKeyOf(a).compare(sortKeyOf(b)) })
	page, next := q.page(chosen)

	views := make([]view, len(page))
	for i, r := range page {
		views[i] = newView(p.Account, r.Category(), incoming{subs[r.ID], associated[r.ID]}, linked)
	}
	return api.Response{
		Body: struct {
			Payload []view `json:"payload"`
			Meta    meta   `json:"meta"`
		}{views, meta{len(chosen), next}},
		TooLarge: errListTooLarge,
	}, nil
}

// meta is what a list says of itself.
type meta struct {
	Count      int    `json:"categories_count"`      // of the portal, or of the locale that was asked for
	NextCursor string `json:"next_cursor,omitempty"` // absent on the last page
}

// readAll reads who calls beside the first categories, and the others once it is known that the caller may see them and
// that the request is not malformed.
func (s *Service) readAll(
	ctx context.Context, c portal.Caller, malformed error,
) (p portal.Portal, all []changeset.Record, err error) {
	if !c.NamesPortal() {
		p, _, err = s.authorize(ctx, c)
		return p, nil, err
	}
	var first table.Page[changeset.Record]
	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		p, _, err = s.authorize(reading, c)
		return err
	})
	group.Go(func() (err error) {
		first, err = table.Query[changeset.Record](reading, s.Table, c.Portal.Categories(), table.Records, firstPage)
		return err
	})
	if err := group.Wait(); err != nil {
		return portal.Portal{}, nil, err
	}
	if malformed != nil {
		return portal.Portal{}, nil, malformed
	}
	all, err = first.All(ctx)
	return p, all, err
}
