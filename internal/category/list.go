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
	return api.Function{Handle: forMembers(s, api.KnownParameters(decodeListQuery, "locale"), nil, s.list)}
}

// AnswerTooLarge is the code of the error for a list that does not fit into one answer. The client has to set limit, or
// a smaller one.
const AnswerTooLarge api.Code = "answer_too_large"

var errListTooLarge = api.Errorf(api.Invalid,
	"The list is too large for one answer: ask for it in pages, or in smaller ones, with limit").
	WithCode(AnswerTooLarge)

// list answers the categories of a portal, sorted by position, then by id. Categories without a position come last. It
// reads none of them before it knows that the caller may see them.
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

// meta describes the list that it comes with.
type meta struct {
	// Count is the number of categories in the portal, or in the locale that the query names. A page with a limit does
	// not have it, because counting the categories means reading them.
	Count *int `json:"categories_count,omitempty"`
	api.PageMeta
}

// listing is what one answer shows: a page of categories and what is around them.
type listing struct {
	page     []changeset.Record
	incoming incomings
	linked   records // those that the page links to, and maybe others
	meta     meta
}

// views returns the categories of the page in their JSON form.
func (l listing) views(p portal.Portal) []view {
	views := make([]view, len(l.page))
	for i, r := range l.page {
		views[i] = l.view(p, r)
	}
	return views
}

// view returns one category in its JSON form.
func (l listing) view(p portal.Portal, r changeset.Record) view {
	return newView(p.Account, r.Category(), l.incoming[r.ID], l.linked)
}

// readList reads the list that a query asks for, in one of three ways. A query without parameters reads the whole
// portal. One with a limit reads a page. One with a cursor or locale alone reads all that follows, and counts side by
// side what comes before the cursor.
func (s *Service) readList(ctx context.Context, p portal.Portal, q listQuery, size *answerSize) (listing, error) {
	if q == (listQuery{}) { // all categories
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

// readAll reads all categories of a portal, by one query for each 1 MB, which is the most that DynamoDB returns for
// one. It needs no other read: the outgoing links of all categories are also their incoming links. readAll calls check
// for each category and stops at its first error.
func (s *Service) readAll(
	ctx context.Context, p portal.Portal, check func(changeset.Record) error,
) (listing, error) {
	l := listing{linked: records{}, incoming: incomings{}}
	read, err := table.Query[changeset.Record](ctx, s.Table, p.Key().Categories(), table.Records, 0)
	for err == nil {
		for _, r := range read.Items { // in the order of their ids, which is that of their creation
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
