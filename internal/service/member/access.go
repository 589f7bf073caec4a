package member

import (
	"context"
	"log/slog"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user/platformapp"
)

// target is the user that a request names, if it names one.
type target struct {
	named    bool
	user     id.ID    // 0 when the text is no id; nobody has it
	warnings []string // one for each field of the body that does not exist
}

// identity is for endpoints whose input is the target.
func identity(t target) target { return t }

// claim is who a request says that it comes from, and what it is about. Nothing of it is verified yet.
type claim struct {
	app    credential.Credential
	portal table.Portal
	target
}

// grantee is an app that may keep the members of a portal, with all that proves it.
type grantee struct {
	claim  claim
	app    platformapp.App
	grant  platformapp.Grant
	portal portal.Portal
}

// forGrantees makes an endpoint for the apps that may keep the members of the portal in the path. whom returns the user
// that an input names; the app must be linked to this user. Pass nil for inputs that name no user.
func forGrantees[Input any](
	s *Service, decode func(*api.Request) (Input, error), whom func(Input) target,
	answer func(context.Context, *api.Request, grantee, Input) (api.Response, error),
) api.Handler {
	return api.Endpoint[Input, grantee]{
		Decode: decode,
		Authenticate: func(ctx context.Context, r *api.Request, in Input) (grantee, error) {
			var t target
			if whom != nil {
				t = whom(in)
			}
			c, err := parseClaim(r, t)
			if err != nil {
				return grantee{}, err
			}
			items, err := s.Table.Read(ctx, c.keys()...)
			if err != nil {
				return grantee{}, err
			}
			g, err := c.authorize(items)
			if err == nil {
				g.log(r)
			}
			return g, err
		},
		Answer: answer,
	}.Handle
}

// parseClaim reads the token and the path of a request. It refuses what cannot exist before anything is read.
func parseClaim(r *api.Request, t target) (claim, error) {
	app, err := platformapp.Credential(r)
	if err != nil {
		return claim{}, err
	}
	p, ok := portal.ParsePath(r)
	if !ok || t.named && t.user == 0 {
		return claim{}, platformapp.ErrUnauthorized
	}
	return claim{app: app, portal: p, target: t}, nil
}

// keys returns the keys of the items that [claim.authorize] needs.
func (c claim) keys() []table.Key {
	keys := []table.Key{table.App(c.app.ID), table.Grant(c.app.ID, c.portal.Account), c.portal.Key()}
	if c.named {
		keys = append(keys, linkKeys(c.app.ID, c.user)...)
	}
	return keys
}

// authorize finds the app, its grant and the portal. In every other case it returns the same error. So an app learns
// nothing of accounts without a grant, of their portals, and of users that it is not linked to, not even whether
// they exist.
func (c claim) authorize(items table.Items) (grantee, error) {
	app, err := platformapp.Authenticate(c.app, items)
	if err != nil {
		return grantee{}, err
	}
	var grant platformapp.Grant
	granted, err := items.Get(table.Grant(c.app.ID, c.portal.Account), &grant)
	if err != nil {
		return grantee{}, err
	}
	p, found, err := portal.FromItems(items, c.portal)
	if err != nil {
		return grantee{}, err
	}
	if !granted || !found || c.named && !isLinked(items, c.app.ID, c.user) {
		return grantee{}, platformapp.ErrUnauthorized
	}
	return grantee{claim: c, app: app, grant: grant, portal: p}, nil
}

// log adds to a request's log line who asked, and about whom.
func (g grantee) log(r *api.Request) {
	g.app.Log(r)
	if g.claim.named {
		r.Log(slog.Int64("user", int64(g.claim.user)))
	}
}

// stillGranted checks, with items that were read later, that the app may still do what it asked for. A grant or a
// portal that has ended and was made again counts as ended.
func (g grantee) stillGranted(items table.Items) error {
	now, err := g.claim.authorize(items)
	if err == nil && !(now.grant.CreatedAt.Equal(g.grant.CreatedAt) && now.portal.CreatedAt.Equal(g.portal.CreatedAt)) {
		err = platformapp.ErrUnauthorized
	}
	return err
}

// begin begins a transaction on the user that the request names. The transaction has all that proved the app's right as
// its conditions, so a revocation also stops a request under way.
func (s *Service) begin(g grantee) *table.Tx {
	tx := s.Table.Tx()
	platformapp.RequireToken(tx, g.claim.app.ID, g.claim.app.Digest[:], platformapp.ErrUnauthorized)
	g.grant.Require(tx, platformapp.ErrUnauthorized)
	g.portal.Require(tx, platformapp.ErrUnauthorized)
	for _, k := range linkKeys(g.claim.app.ID, g.claim.user) {
		tx.Check(s.Table.CheckItem(k).IfExists(), platformapp.ErrUnauthorized)
	}
	return tx
}

// linkKeys returns the keys of an app's link to a user, and of the user. Both are needed, because the link of a deleted
// user exists until it is tidied up.
func linkKeys(app, user id.ID) []table.Key {
	return []table.Key{table.PermissibleLink(app, user), table.User(user)}
}

// isLinked reports whether the items include both of [linkKeys].
func isLinked(items table.Items, app, user id.ID) bool {
	for _, k := range linkKeys(app, user) {
		if items[k] == nil {
			return false
		}
	}
	return true
}
