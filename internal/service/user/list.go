package user

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// MaxLimit is the largest page of a list: as many users as one batch reads. A client that sets no limit gets this one.
const MaxLimit = table.MaxItems

// ListFunction is the endpoint GET /platform/api/v1/users.
func (s *Service) ListFunction() api.Function {
	email := func(q listQuery) Email { return q.email }
	return api.Function{Handle: forApps(s, api.KnownParameters(decodeListQuery, "email"), email, s.list)}
}

// list answers the users that an app is linked to, in the order of their creation, or the one with an e-mail address.
func (s *Service) list(ctx context.Context, _ *api.Request, c caller, q listQuery) (api.Response, error) {
	var page api.Page[User]
	var err error
	if q.byEmail {
		page.Payload, err = s.linkedOwner(ctx, c.app.ID, q.email, c.items)
	} else {
		page.Payload, page.Meta.NextCursor, err = s.linkedUsers(ctx, c.app.ID, q)
	}
	return api.Response{Body: page}, err
}

// listQuery is a parsed query string of a list.
type listQuery struct {
	limit   int
	after   id.ID // 0 starts at the beginning
	byEmail bool
	email   Email
}

func decodeListQuery(r *api.Request) (q listQuery, err error) {
	params := r.QueryStringParameters
	var email string
	email, q.byEmail = params["email"]
	if q.byEmail {
		q.email, err = ParseEmail(email)
		if err != nil {
			return q, api.Errorf(api.Malformed, "email %s", err)
		}
	}
	q.limit, err = api.ParseLimit(params, MaxLimit, MaxLimit)
	if err != nil {
		return q, err
	}
	q.after, err = api.ParseCursor(params, id.Parse)
	return q, err
}

// linkedUsers reads a page of an app's users. The cursor of the next page is the id of this page's last user.
func (s *Service) linkedUsers(ctx context.Context, app id.ID, q listQuery) ([]User, api.Cursor, error) {
	after := table.PermissibleLink(app, q.after) // no user has the id 0
	read, err := table.QueryAfter[PermissibleLink](ctx, s.Table, after, table.Users, q.limit+1)
	if err != nil {
		return nil, "", err
	}
	links, next := api.CutPage(read.Items, q.limit, func(l PermissibleLink) string { return l.User.String() })
	ids := make([]id.ID, len(links))
	for i, link := range links {
		ids[i] = link.User
	}
	users, err := s.Read(ctx, ids...)
	return users, next, err
}

// linkedOwner returns the user of an e-mail address, if the items have one and the app is linked to it. To an app that
// is not linked, the list is as empty as for an address that nobody has.
func (s *Service) linkedOwner(ctx context.Context, app id.ID, email Email, items table.Items) ([]User, error) {
	var owner Owner
	if found, err := items.Get(email.Key(), &owner); !found || err != nil {
		return []User{}, err
	}
	u, linked, err := s.readLinked(ctx, app, owner.User)
	if err != nil || !linked {
		return []User{}, err
	}
	return []User{u}, nil
}

// List reads every user, sorted by id. It scans the whole table, so it is for operators, never for a request.
func (s *Service) List(ctx context.Context) ([]User, error) {
	var items []dynamo.Item
	if err := s.Table.Scan().Filter("SK = ?", table.User(0).SK).Consistent(true).All(ctx, &items); err != nil {
		return nil, fmt.Errorf("scan users: %w", err)
	}
	users, err := table.DecodeAll[User](items)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(users, func(a, b User) int { return int(a.ID - b.ID) })
	return users, nil
}
