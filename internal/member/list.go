package member

import (
	"context"

	"frontdesk/internal/api"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxLimit is the largest page of a list, and the one that a client gets that asks for none.
const MaxLimit = 100

// ListFunction is the endpoint GET …/members.
func (s *Service) ListFunction() api.Function {
	return api.Function{Handle: forGrantees(s, decodeListQuery, nil, s.list)}
}

// listQuery is what the query string of a list asks for.
type listQuery struct {
	limit int
	after id.ID // 0 for the beginning
}

func decodeListQuery(r *api.Request) (q listQuery, err error) {
	q.limit, err = api.ParseLimit(r.QueryStringParameters, MaxLimit, MaxLimit)
	if err != nil {
		return q, err
	}
	q.after, err = api.ParseCursor(r.QueryStringParameters, id.Parse)
	return q, err
}

// atOnce is how many members are read, and then looked up with one batch: the link and the user of each, beside the
// three items that the app is found by.
const atOnce = (table.MaxItems - 3) / 2

// list answers the members of a portal that the app is linked to, in the order of their ids. It passes over those that
// the app is not linked to, and reads on until the page is full or the portal has no more members: a cursor may name
// none but a user whom the app was shown.
func (s *Service) list(ctx context.Context, _ *api.Request, g grantee, q listQuery) (api.Response, error) {
	after := g.portal.Key().Member(q.after) // no user has the id 0
	members, err := table.QueryAfter[portal.Membership](ctx, s.Table, after, table.Users, atOnce)
	if err != nil {
		return api.Response{}, err
	}
	linked := []view{} // none is an empty array in JSON
	for {
		more, err := s.linked(ctx, g, members.Items)
		if err != nil {
			return api.Response{}, err
		}
		linked = append(linked, more...)
		if len(linked) > q.limit || !members.More() {
			break
		}
		members, err = members.Next(ctx, atOnce)
		if err != nil {
			return api.Response{}, err
		}
	}
	var page api.Page[view]
	page.Payload, page.Meta.NextCursor = api.CutPage(linked, q.limit, func(v view) string { return v.User.String() })
	return api.Response{Body: page}, nil
}

// linked are those of the members to whom the app is linked. What the app is found by is read again here, after the
// members: they were so while the app had its grant.
func (s *Service) linked(ctx context.Context, g grantee, members []portal.Membership) ([]view, error) {
	app, keys := g.app.ID, g.claim.keys()
	for _, m := range members {
		keys = append(keys, linkKeys(app, m.User)...)
	}
	items, err := s.Table.Read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	if err := g.goesOn(items); err != nil {
		return nil, err
	}
	var views []view
	for _, m := range members {
		if isLinked(items, app, m.User) {
			views = append(views, view{m.User})
		}
	}
	return views, nil
}
