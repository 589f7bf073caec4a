package member

import (
	"context"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/portal"
)

// MaxLimit is the largest page of a list. A client that sets no limit gets this one.
const MaxLimit = 100

// ListFunction is the endpoint GET …/members.
func (s *Service) ListFunction() api.Function {
	return api.Function{Handle: forGrantees(s, api.KnownParameters(decodeListQuery), nil, s.list)}
}

// listQuery is a parsed query string of a list.
type listQuery struct {
	limit int
	after id.ID // 0 starts at the beginning
}

func decodeListQuery(r *api.Request) (q listQuery, err error) {
	q.limit, err = api.ParseLimit(r.QueryStringParameters, MaxLimit, MaxLimit)
	if err != nil {
		return q, err
	}
	q.after, err = api.ParseCursor(r.QueryStringParameters, id.Parse)
	return q, err
}

// atOnce is how many members are read at once, and then looked up with one batch of 100 items: the link and the user of
// each, and the three items that prove the app's right.
const atOnce = (table.MaxItems - 3) / 2

// maxBatches is how many times one page reads members and looks them up. Each time takes about 100 units and 15 ms.
const maxBatches = 8

// list answers the members of a portal that the app is linked to, sorted by their ids.
func (s *Service) list(ctx context.Context, _ *api.Request, g grantee, q listQuery) (api.Response, error) {
	views, rest, err := s.read(ctx, g, q)
	if err != nil {
		return api.Response{}, err
	}
	var page api.Page[view]
	page.Payload, page.Meta.NextCursor = api.CutPage(views, q.limit, func(v view) string { return v.User.String() })
	if page.Meta.NextCursor == "" && rest != 0 {
		page.Meta.NextCursor = api.Cursor(rest.String())
	}
	return api.Response{Body: page}, nil
}

// read reads members until it has found more than a page of them that the app is linked to, or the portal has no more.
// It skips the others: after a batch of strangers only, it goes on at the app's next link. After maxBatches it returns
// what it has found; rest is then the cursor where the list goes on, and 0 otherwise.
//
// A cursor never names a stranger. It is a user whom the app was shown, or the id before that of a user whom it is
// linked to.
func (s *Service) read(ctx context.Context, g grantee, q listQuery) (views []view, rest id.ID, err error) {
	views = []view{} // encodes as [], not as null
	after := q.after // no user has the id 0
	for batch := 1; ; batch++ {
		members, err := table.QueryAfter[portal.Membership](
			ctx, s.Table, g.portal.Key().Member(after), table.Users, atOnce)
		if err != nil {
			return nil, 0, err
		}
		more, err := s.filterLinked(ctx, g, members.Items)
		if err != nil {
			return nil, 0, err
		}
		views = append(views, more...)
		if len(views) > q.limit || !members.More() {
			return views, 0, nil
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
			_, err := s.filterLinked(ctx, g, nil) // the app must still have had its grant when its next link was read
			return views, after, err
		}
	}
}

// link is the part of a permissible link that is read here.
type link struct {
	User id.ID `dynamo:"user"`
}

// beforeNextLink finds the next user after an id that the app is linked to, and returns the id before that user's. It
// returns 0 when there is none.
func (s *Service) beforeNextLink(ctx context.Context, g grantee, after id.ID) (id.ID, error) {
	key := table.PermissibleLink(g.app.ID, after)
	links, err := table.QueryAfter[link](ctx, s.Table, key, table.Users, 1)
	if err != nil || len(links.Items) == 0 {
		return 0, err
	}
	return links.Items[0].User - 1, nil
}

// filterLinked returns the members that the app is linked to. It reads the app's right again, after the members were
// read. So the members were read while the app had its grant.
func (s *Service) filterLinked(ctx context.Context, g grantee, members []portal.Membership) ([]view, error) {
	app, keys := g.app.ID, g.claim.keys()
	for _, m := range members {
		keys = append(keys, linkKeys(app, m.User)...)
	}
	items, err := s.Table.Read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	if err := g.stillGranted(items); err != nil {
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
