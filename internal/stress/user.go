package main

import (
	"context"

	"frontdesk/internal/fixture"
)

const (
	usersPath = "/platform/api/v1/users"
	maxUsers  = 6 // that a client still uses
)

// callUsers calls an endpoint of the tenant's platform app.
func (c *client) callUsers(ctx context.Context, e *endpoint, path string, body any) answer {
	return c.do(ctx, request{endpoint: e, path: usersPath + path, token: c.tenant.AppToken, body: body})
}

// createUser creates a user of the client's own.
func (c *client) createUser(ctx context.Context) {
	name := c.name("user")
	u := &userModel{email: name + "@example.org", name: states[string]{name}}
	for range attempts { // to repeat it is safe
		a := c.create(ctx, u)
		if !a.ok() {
			continue
		}
		if shown := read[userView](a); shown.Name != name || shown.Email != u.email {
			c.violations.add("created %s as %s, but it is %s", u.email, name, a)
		}
		return
	}
}

// create creates a user, whom the client uses from then on.
func (c *client) create(ctx context.Context, u *userModel) answer {
	a := c.callUsers(ctx, userCreate, "", object{"name": u.name[0], "email": u.email, "password": fixture.Password})
	if a.ok() {
		u.id = read[userView](a).ID
		c.users = append(c.users, u)
	}
	return a
}

// recentUser draws one of the users that the client has created last. Older ones are left alone.
func (c *client) recentUser() (*userModel, bool) {
	return choose(c.rng, c.users[max(0, len(c.users)-maxUsers):])
}

func (c *client) showUser(ctx context.Context) {
	if u, ok := c.recentUser(); ok {
		if a := c.callUsers(ctx, userShow, u.path(), nil); a.ok() {
			u.check(read[userView](a), c.violations)
		}
	}
}

func (c *client) renameUser(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok || u.shared() { // whom others would rename as well
		return
	}
	name := c.name("renamed")
	rename := func(string) string { return name }
	for range attempts {
		a := c.callUsers(ctx, userUpdate, u.path(), object{"name": name})
		if a.ok() {
			u.name.acknowledged(rename)
			u.check(read[userView](a), c.violations)
			return
		}
		if a.unknown() {
			u.name.unknown(rename)
		}
		if c.chance(0.5) {
			return
		}
	}
}
