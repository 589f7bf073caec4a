package category

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
)

// ListFunction is the endpoint GET …/categories.
func (s *Service) ListFunction() api.Function {
	return api.Function{Handle: forMembers(s, api.KnownParameters(decodeListQuery, "locale"), nil, s.list)}
}

// MaxLimit is the largest limit that a client may set.
const MaxLimit = 1000

// decodeListQuery reads locale, limit (1 to [MaxLimit]) and cursor. It ignores parameters that do not exist.
func decodeListQuery(r *api.Request) (q tree.Query, err error) {
	params := r.QueryStringParameters
	q.Locale = portal.NormalLocale(params["locale"])
	q.Limit, err = api.ParseLimit(params, 0, MaxLimit)
	if err != nil {
		return q, err
	}
	q.After, err = api.ParseCursor(params, tree.ParsePlace)
	return q, err
}

// The codes of the errors for lists that are too large.
const (
	// AnswerTooLarge: the list does not fit into one answer. The client has to set limit, or a smaller one.
	AnswerTooLarge api.Code = "answer_too_large"
	// PortalTooLarge: no list of the portal can be made, whatever its limit is.
	PortalTooLarge api.Code = "portal_too_large"
)

var (
	errListTooLarge = api.Errorf(api.Invalid,
		"The list is too large for one answer: ask for it in pages, or in smaller ones, with limit").
		WithCode(AnswerTooLarge)
	errPortalTooLarge = api.Errorf(api.Invalid,
		"The portal has too many categories for a list, whatever its limit is: they take more than %d MiB",
		maxRead>>20).WithCode(PortalTooLarge)
)

// What a list may take. A request that needs more cannot succeed, however often it is repeated.
const (
	// maxRead is how many bytes of records a list reads. One partition serves as many in 5.5 seconds, at its 3,000
	// units a second of 4 KB each, and a request has 15.
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
	maxRead = 64 << 20
	// maxHeld is how much memory its categories take, of the 512 MB of a function.
	maxHeld = 96 << 20
	// readUnit is what a unit of strongly consistent reads covers, in bytes.
	readUnit = 4 << 10
)

// readPortal reads the records of a portal, by one query for each 1 MB, which is the most that DynamoDB returns for
// one, and adds each to the lister. It stops when the list is certain to take more than maxJSON bytes. All reads are
// strongly consistent, so a list shows every change that was answered before the request came.
//
// The queries see no one moment: of a change that is applied meanwhile they may show one category as it was, and
// another as it will be.
func (s *Service) readPortal(ctx context.Context, p portal.Portal, l *tree.Lister, maxJSON int) error {
	units := 0.0
	read, err := table.Query[changeset.Record](ctx, s.Table, p.Key().Categories(), table.Records, 0)
	for err == nil {
		units += read.Units
		for _, r := range read.Items { // in the order of their ids, which is that of their creation
			l.Add(r.Category)
		}
		switch {
		case l.MinJSON() > maxJSON:
			return errListTooLarge
		case units*readUnit > maxRead || l.Memory() > maxHeld:
			return errPortalTooLarge
		}
		if !read.More() {
			return nil
		}
		read, err = read.Next(ctx, 0)
	}
	return err
}

// meta describes the list that it comes with.
type meta struct {
	// Count is the number of categories in the portal, or in the locale that the query names. Readers do not get it.
	Count *int `json:"categories_count,omitempty"`
	api.PageMeta
}

// list answers the categories of a portal, sorted by position, then by id. Categories without a position come last. It
// reads none of them before it knows that the caller may see them. A locale that the portal never had is an error,
// because its list would be empty for a spelling mistake.
func (s *Service) list(ctx context.Context, r *api.Request, m member, q tree.Query) (api.Response, error) {
	if q.Locale != "" && !m.portal.Knows(q.Locale) {
		return api.Response{}, api.Errorf(api.Malformed,
			"locale %q is not one of the portal's %s", api.Brief(q.Locale), m.portal.LocaleList())
	}
	l, left := tree.NewLister(q), r.MaxJSON()
	if err := s.readPortal(ctx, m.portal, l, left); err != nil {
		return api.Response{}, err
	}
	page, next := l.Page()
	views := make([]tree.View, len(page))
	for i, c := range page {
		left -= l.MinSize(c)
		if left < 0 {
			return api.Response{}, errListTooLarge
		}
		views[i] = l.View(portalView(m.portal), c)
	}
	return api.Response{
		Body: struct {
			Payload []tree.View `json:"payload"`
			Meta    meta        `json:"meta"`
		}{views, meta{&l.Count, api.PageMeta{NextCursor: next}}},
		TooLarge: errListTooLarge,
	}, nil
}
