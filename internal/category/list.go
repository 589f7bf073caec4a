package category

import (
	"context"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/table"
)

// ListFunction is the endpoint GET …/categories.
func (s *Service) ListFunction() api.Function {
	return api.Function{Handle: forMembers(s, decodeListQuery, nil, s.list)}
}

// AnswerTooLarge is the code of a list that has to be asked for in pages, or in smaller ones.
const AnswerTooLarge api.Code = "answer_too_large"

var errListTooLarge = api.Errorf(api.Invalid,
	"The list is too large for one answer: ask for it in pages, or in smaller ones, with limit").
	WithCode(AnswerTooLarge)

// list answers the categories of a portal by position, those without one last, then by id. Nothing of them is read
// before it is known that the caller may see them.
func (s *Service) list(ctx context.Context, r *api.Request, m member, q listQuery) (api.Response, error) {
	l, err := s.readList(ctx, m.portal, q, newAnswerSize(r))
	if err != nil {
		return api.Response{}, err
	}
	return api.Response{
		Body: struct {
			Payload []view `json:"payload"`
			Meta    meta   `json:"meta"`
		}{l.views(m.portal), l.meta},
		TooLarge: errListTooLarge,
	}, nil
}

// meta is what a list says of itself.
type meta struct {
	// Count is of the portal, or of the locale that was asked for. It is absent where there is a limit: to count the
	// categories is to read them.
	Count *int `json:"categories_count,omitempty"`
	api.PageMeta
}

// listing is what a list shows.
type listing struct {
	page     []changeset.Record
	incoming incomings
	linked   records // at least those that the page links to
	meta     meta
}

// views are the categories of a portal as they are answered.
func (l listing) views(p portal.Portal) []view {
	views := make([]view, len(l.page))
	for i, r := range l.page {
		views[i] = l.view(p, r)
	}
	return views
}

// view is one of them.
func (l listing) view(p portal.Portal, r changeset.Record) view {
	return newView(p.Account, r.Category(), l.incoming[r.ID], l.linked)
}

// readList reads the list that a query asks for.
func (s *Service) readList(ctx context.Context, p portal.Portal, q listQuery, size *answerSize) (listing, error) {
	if q == (listQuery{}) { // it reads all
		return s.readAll(ctx, p, func(r changeset.Record) error { return size.add(minSize(r)) })
	}
	if q.limit > 0 {
		return s.readPage(ctx, p, q, size)
	}
	var l listing
	var count int
	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		l, err = s.readPage(reading, p, q, size)
		return err
	})
	group.Go(func() (err error) {
		count, err = s.countBefore(reading, p, q)
		return err
	})
	err := group.Wait()
	count += len(l.page)
	l.meta.Count = &count
	return l, err
}

// readAll reads all categories of a portal, by a query for each 1 MB. They tell each other's incoming links, so nothing
// else is read. It asks check of each, and ends with its error.
func (s *Service) readAll(
	ctx context.Context, p portal.Portal, check func(changeset.Record) error,
) (listing, error) {
	l := listing{linked: records{}, incoming: incomings{}}
	read, err := table.Query[changeset.Record](ctx, s.Table, p.Key().Categories(), table.Records, 0)
	for err == nil {
		for _, r := range read.Items { // by id, as they were created
			if err := check(r); err != nil {
				return listing{}, err
			}
			l.page = append(l.page, r)
			l.linked[r.ID] = r
			l.incoming.add(r.Parent, table.Sub, r.ID)
			l.incoming.add(r.Root, table.Assoc, r.ID)
		}
		if !read.More() {
			break
		}
		read, err = read.Next(ctx, 0)
	}
	slices.SortFunc(l.page, func(a, b changeset.Record) int { return sortKeyOf(a).compare(sortKeyOf(b)) })
	count := len(l.page)
	l.meta.Count = &count
	return l, err
}
