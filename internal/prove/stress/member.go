package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user/platformapp"
)

// membership is what a client knows of its user's membership in the tenant's portal.
type membership struct {
	member bool
	// unsure: the outcome of a write is unknown, and the write may still arrive.
	unsure bool
}

// wrote records the answer to a write that makes a user a member, or ends the membership.
func (m *membership) wrote(member bool, a answer) {
	switch {
	case a.unknown():
		m.unsure = true
	case a.ok():
		m.member = member
	}
}

// setMember makes a user a member, or ends the membership.
func (c *client) setMember(ctx context.Context, token string, u *userModel, member bool, also ...int) answer {
	r := request{endpoint: memberRemove, values: []any{c.tenant.Portal, u.id}, token: token, also: also}
	if member {
		r = request{
			endpoint: memberAdd, values: []any{c.tenant.Portal}, token: token, also: also,
			body: object{"user_id": u.id},
		}
	}
	return c.do(ctx, r)
}

// pageOfMembers reads a page of the portal's members.
func (c *client) pageOfMembers(ctx context.Context, token, query string, also ...int) answer {
	return c.do(ctx, request{
		endpoint: memberList, values: []any{c.tenant.Portal}, query: query, token: token, also: also,
	})
}

// keepMember makes one of the client's users a member, or ends the membership. Both requests may be repeated, because
// they ask for a state and not for a change.
func (c *client) keepMember(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	member := c.chance(0.6)
	for range attempts {
		a := c.setMember(ctx, c.tenant.AppToken, u, member)
		u.membership.wrote(member, a)
		if a.ok() || c.chance(0.5) {
			return
		}
	}
}

// listMembers reads the members of the portal, and checks the client's own users.
func (c *client) listMembers(ctx context.Context) {
	shown := map[int64]bool{}
	for cursor := ""; ; {
		a := c.pageOfMembers(ctx, c.tenant.AppToken, "?cursor="+cursor)
		if !a.ok() {
			return
		}
		page := read[struct {
			Payload []struct {
				User int64 `json:"user_id"`
			}
			Meta struct {
				Next string `json:"next_cursor"`
			}
		}](a)
		for _, m := range page.Payload {
			shown[m.User] = true
		}
		cursor = page.Meta.Next
		if cursor == "" {
			break
		}
	}
	for _, u := range c.users {
		if !u.shared() && !u.membership.unsure && shown[u.id] != u.membership.member {
			c.violations.add("user %d is a member: %t, but is listed: %t", u.id, u.membership.member, shown[u.id])
		}
	}
}

// isMember reports whether the table has the membership.
func (c *client) isMember(ctx context.Context, u *userModel) bool {
	key := c.tenant.Portal.Member(id.ID(u.id))
	items, err := c.table.Read(ctx, key)
	if err != nil {
		c.violations.add("read a membership: %v", err)
	}
	return items[key] != nil
}

// revokeGrant revokes the grant of an app of the client's own, or the app, while a request of the app is under way.
// From the answer to the revocation on, the table must not change, whatever the app has asked for.
func (c *client) revokeGrant(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok || u.membership.unsure {
		return
	}
	apps := platformapp.Store{Table: c.table}
	app, token, err := apps.Create(ctx, platformapp.App{Name: c.name("app")})
	if err == nil {
		err = apps.Grant(ctx, app.ID, c.tenant.Portal.Account)
	}
	if err != nil {
		c.violations.add("grant an account: %v", err)
		return
	}
	link := request{endpoint: userCreate, token: token, body: object{"email": u.email}}
	if !c.do(ctx, link).ok() {
		return
	}
	member := c.chance(0.5)
	before := u.membership.member
	underWay := make(chan answer)
	go func() { underWay <- c.setMember(ctx, token, u, member, http.StatusUnauthorized) }()
	c.pause(ctx, c.upTo(thinkTime))
	if c.chance(0.5) {
		err = apps.RevokeGrant(ctx, app.ID, c.tenant.Portal.Account)
	} else {
		_, err = apps.Revoke(ctx, app.ID)
	}
	after := c.isMember(ctx, u)
	asked := <-underWay
	if err != nil {
		c.violations.add("revoke a grant: %v", err)
		return
	}
	u.membership = membership{member: after}
	if asked.ok() && after != member || !asked.ok() && !asked.unknown() && after != before {
		c.violations.add("user %d was asked to be a member: %t, which was answered %s; it was one before: %t, now: %t",
			u.id, member, asked, before, after)
	}
	for _, a := range []answer{
		c.setMember(ctx, token, u, !after, http.StatusUnauthorized),
		c.pageOfMembers(ctx, token, "", http.StatusUnauthorized),
	} {
		if a.ok() {
			c.violations.add("what a revoked app asks for is done: %s", a)
		}
	}
}

// checkMember checks that a user is a member exactly if the client was told so.
func (o *oracle) checkMember(ctx context.Context, c *client, u *userModel) {
	if u.shared() || u.membership.unsure || slices.Contains(c.deleted, u) {
		return
	}
	if now := c.isMember(ctx, u); now != u.membership.member {
		o.violations.add("user %d, %s, is a member: %t, which nobody was told", u.id, u.email, now)
	}
	if u.membership.member {
		o.confirmed.members++
	}
}

// grant lets the tenant's app manage the members of its portal.
func (t *tenant) grant(ctx context.Context, in table.Table) error {
	if err := (platformapp.Store{Table: in}).Grant(ctx, t.App.ID, t.Portal.Account); err != nil {
		return fmt.Errorf("grant an account: %w", err)
	}
	return nil
}
