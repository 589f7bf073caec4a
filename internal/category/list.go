package category

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxLimit is the largest page of a list that a client may ask for.
const MaxLimit = 1000

// ListFunction is the endpoint GET …/categories.
func (s *Service) ListFunction() api.Function { return api.Function{Handle: s.list} }

// list answers the categories of a portal by position, those without one last, then by id. All of them are
// read whatever part is answered: what leads to a category is known only from the others.
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

	linked := make(map[id.ID]changeset.Record, len(all))
	in := make(map[id.ID]incoming, len(all))
	for _, record := range all { // by id, as they were created
		linked[record.ID] = record
		noteLinks(in, record)
	}
	chosen := slices.DeleteFunc(all, func(r changeset.Record) bool { return q.locale != "" && r.Locale != q.locale })
	slices.SortFunc(chosen, func(a, b changeset.Record) int { return placeOf(a).compare(placeOf(b)) })
	page, next := q.page(chosen)

	views := make([]view, len(page))
	for i, record := range page {
		views[i] = show(p.Account, record.Category(), in[record.ID], linked)
	}
	return api.Response{
		Body: struct {
			Payload []view `json:"payload"`
			Meta    meta   `json:"meta"`
		}{views, meta{len(chosen), next}},
		TooLarge: api.Errorf(api.Invalid, "The list is too large for one answer: ask for it in pages, or in smaller ones, with limit"),
	}, nil
}

// meta is what a list says of itself.
type meta struct {
	Count      int    `json:"categories_count"`      // of the portal, or of the locale that was asked for
	NextCursor string `json:"next_cursor,omitempty"` // absent on the last page
}

// readAll reads who asks beside the first categories, and the others once it is known that he may see them
// and that the request is not malformed.
func (s *Service) readAll(ctx context.Context, c portal.Caller, malformed error) (p portal.Portal, all []changeset.Record, err error) {
	if !c.NamesPortal() {
		p, _, err = s.authorize(ctx, c)
		return p, nil, err
	}
	var records table.Page[changeset.Record]
	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		p, _, err = s.authorize(reading, c)
		return err
	})
	group.Go(func() (err error) {
		records, err = table.Query[changeset.Record](reading, s.Table, c.Portal.Key().PK, table.Categories, firstPage)
		return err
	})
	if err := group.Wait(); err != nil {
		return portal.Portal{}, nil, err
	}
	if malformed != nil {
		return portal.Portal{}, nil, malformed
	}
	all, err = records.All(ctx)
	return p, all, err
}

func noteLinks(in map[id.ID]incoming, r changeset.Record) {
	if r.Parent != 0 {
		to := in[r.Parent]
		to.subs = append(to.subs, r.ID)
		in[r.Parent] = to
	}
	if r.Root != 0 {
		to := in[r.Root]
		to.associated = append(to.associated, r.ID)
		in[r.Root] = to
	}
}

// place is where a category stands in a list.
type place struct {
	Position *int64
	ID       id.ID
}

func placeOf(r changeset.Record) place { return place{r.Position, r.ID} }

func (p place) compare(q place) int {
	switch {
	case p.Position == nil && q.Position != nil:
		return 1
	case p.Position != nil && q.Position == nil:
		return -1
	case p.Position != nil && *p.Position != *q.Position:
		return cmp.Compare(*p.Position, *q.Position)
	}
	return cmp.Compare(p.ID, q.ID)
}

// listQuery is what the query string of a list asks for.
type listQuery struct {
	locale string // "" for all
	limit  int    // 0 for all
	after  *place // nil for the beginning
}

func parseListQuery(params map[string]string) (q listQuery, err error) {
	q.locale = params["locale"]
	if limit := params["limit"]; limit != "" {
		if q.limit, err = strconv.Atoi(limit); err != nil || q.limit < 1 || q.limit > MaxLimit {
			return q, api.Errorf(api.Malformed, "limit must be an integer from 1 to %d", MaxLimit)
		}
	}
	if cursor := params["cursor"]; cursor != "" {
		q.after = new(place)
		text, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || json.Unmarshal(text, q.after) != nil {
			return q, api.Errorf(api.Malformed, "cursor must be the next_cursor of an answer")
		}
	}
	return q, nil
}

// page is the part of a sorted list that is asked for, and the cursor of the one that follows. A cursor is a
// place, so that categories which come and go between two pages shift nothing.
func (q listQuery) page(sorted []changeset.Record) (page []changeset.Record, next string) {
	if q.after != nil {
		at, _ := slices.BinarySearchFunc(sorted, *q.after, func(r changeset.Record, after place) int {
			if placeOf(r).compare(after) <= 0 {
				return -1
			}
			return 1
		})
		sorted = sorted[at:]
	}
	if q.limit == 0 || len(sorted) <= q.limit {
		return sorted, ""
	}
	page = sorted[:q.limit]
	text, _ := json.Marshal(placeOf(page[len(page)-1])) // two integers can be encoded
	return page, base64.RawURLEncoding.EncodeToString(text)
}
