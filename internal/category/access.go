package category

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// access is what a request says of who asks, and for which portal.
type access struct {
	token  credential.Credential
	portal table.Portal
	named  bool // the portal may exist
}

// accessOf reads it from a request. For a token that is none, nothing else need be looked at.
func accessOf(r *api.Request) (a access, err error) {
	token, ok := credential.Parse(credential.Agent, r.Token())
	if !ok {
		return access{}, errUnauthorized
	}
	a.token = token
	a.portal.Account, a.named = id.Parse(r.PathParameters["account_id"])
	a.portal.Slug = r.PathParameters["portal_slug"]
	a.named = a.named && a.portal.Key().Fits()
	r.Log(slog.Int64("user", int64(a.token.ID))) // whom the token says it is of; the status says whether it is
	if a.named {
		r.Log(slog.Int64("account", int64(a.portal.Account)), slog.String("portal", a.portal.Slug))
	}
	return a, nil
}

// keys are what has to be read to decide: the token, the portal, the membership.
func (a access) keys() []table.Key {
	keys := []table.Key{a.tokenKey()}
	if a.named {
		keys = append(keys, a.portal.Key(), a.portal.Member(a.token.ID))
	}
	return keys
}

// The token's digest is part of its key: to find the record is to have compared it.
func (a access) tokenKey() table.Key { return table.AgentToken(a.token.ID, a.token.Digest) }

var (
	errUnauthorized = api.Errorf(api.Unauthorized, "You need to sign in: the access token is missing or not valid")
	errForbidden    = api.Errorf(api.Forbidden, "You are not a member of this portal")
)

// enter reads who asks and for which portal, in one round trip with whatever else the request needs, and
// gives the portal to its member.
func (s *Service) enter(ctx context.Context, a access, more ...table.Key) (Portal, table.Items, error) {
	items, err := s.Table.Read(ctx, append(a.keys(), more...)...)
	if err != nil {
		return Portal{}, nil, err
	}
	portal, err := a.check(items, now())
	if err != nil {
		return Portal{}, nil, err
	}
	return portal, items, nil
}

// check gives the portal to its member. A portal that does not exist is one that nobody is a member of.
func (a access) check(items table.Items, now time.Time) (Portal, error) {
	var token struct {
		ExpiresAt int64 `dynamo:"expires_at"` // seconds since 1970
	}
	if found, err := items.Get(a.tokenKey(), &token); err != nil {
		return Portal{}, err
	} else if !found || now.Unix() >= token.ExpiresAt {
		return Portal{}, errUnauthorized
	}
	if _, member := items[a.portal.Member(a.token.ID)]; !member || !a.named {
		return Portal{}, errForbidden
	}
	var item portalItem
	if found, err := items.Get(a.portal.Key(), &item); err != nil {
		return Portal{}, err
	} else if !found {
		return Portal{}, errForbidden
	}
	return item.portal(), nil
}

// categoryKeys are the keys of categories that may exist: a number that is no id names none.
func categoryKeys(p table.Portal, ids []id.ID) []table.Key {
	var keys []table.Key
	for _, c := range ids {
		if c >= 1 && c <= id.Max && !slices.Contains(keys, p.Category(c)) {
			keys = append(keys, p.Category(c))
		}
	}
	return keys
}

// logCategory adds to a request's log line which category it was about.
func logCategory(r *api.Request, category id.ID) { r.Log(slog.Int64("category", int64(category))) }
