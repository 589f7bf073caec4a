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

// maxBatches is how many times a page reads members and looks them up. Each takes 100 units and 15 ms or so.
const maxBatches = 8

// list answers the members of a portal that the app is linked to, in the order of their ids.
func (s *Service) list(ctx context.Context, _ *api.Request, g grantee, q listQuery) (api.Response, error) {
	linked, rest, err := s.read(ctx, g, q)
	if err != nil {
		return api.Response{}, err
	}
	var page api.Page[view]
	page.Payload, page.Meta.NextCursor = api.CutPage(linked, q.limit, func(v view) string { return v.User.String() })
	if page.Meta.NextCursor == "" && rest != 0 {
		page.Meta.NextCursor = api.Cursor(rest.String())
	}
	return api.Response{Body: page}, nil
}

// read reads members until more of them than the page has are linked to the app, or the portal has no more. It passes
// over those that the app is not linked to: where a batch has none that it is, it goes on at the app's next link. After
// maxBatches it ends with what it has; rest is then the cursor by which the list goes on, else 0. A cursor names no
// stranger: it is a user who was shown, or the id before that of a user whom the app is linked to.
func (s *Service) read(ctx context.Context, g grantee, q listQuery) (linked []view, rest id.ID, err error) {
	linked = []view{} // none is an empty array in JSON
	after := q.after  // no user has the id 0
	for batch := 1; ; batch++ {
		members, err := table.QueryAfter[portal.Membership](
			ctx, s.Table, g.portal.Key().Member(after), table.Users, atOnce)
		if err != nil {
			return nil, 0, err
		}
		more, err := s.linked(ctx, g, members.Items)
		if err != nil {
			return nil, 0, err
		}
		linked = append(linked, more...)
		if len(linked) > q.limit || !members.More() {
			return linked, 0, nil
		}
		after = members.Items[len(members.Items)-1].User
		if len(more) > 0 && batch < maxBatches {
			continue
		}
		after, err = s.beforeNextLink(ctx, g, after)
		if err != nil {
			return nil, 0, err
		}
		if after == 0 || batch == maxBatches {
			_, err := s.linked(ctx, g, nil) // whether the app still had its grant when its next link was read
			return linked, after, err
		}
	}
}

// link is what is read of a permissible link.
type link struct {
	User id.ID `dynamo:"user"`
}

// beforeNextLink is the id before that of the next user behind another one to whom the app is linked; 0: there is none.
func (s *Service) beforeNextLink(ctx context.Context, g grantee, after id.ID) (id.ID, error) {
	key := table.PermissibleLink(g.app.ID, after)
	links, err := table.QueryAfter[link](ctx, s.Table, key, table.Users, 1)
	if err != nil || len(links.Items) == 0 {
		return 0, err
	}
	return links.Items[0].User - 1, nil
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
