package main

import (
	"context"
	"net/http"
	"slices"

	"frontdesk/internal/prove/fixture"
)

const maxUsers = 6 // how many of its users a client still uses

// callUsers calls an endpoint of the tenant's platform app.
func (c *client) callUsers(ctx context.Context, e *endpoint, body any, values ...any) answer {
	return c.do(ctx, request{endpoint: e, values: values, token: c.tenant.AppToken, body: body})
}

// createUser creates a user of the client's own.
func (c *client) createUser(ctx context.Context) {
	name := c.name("user")
	u := &userModel{email: name + "@example.org", name: states[string]{name}}
	for range attempts { // a create may be repeated
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

// The hash that another program made of a password: Ruby's bcrypt, with the lowest cost.
const (
	importedPassword = "short"
	importedHash     = "$2a$04$QAcBaOhcMyzaOGIBzyR.i.G6HBcQEtKEwW94tLGgZLRh8y.3l/lGu"
)

// importUser creates a user with the hash of another program, which the first sign-in replaces.
func (c *client) importUser(ctx context.Context) {
	name := c.name("imported")
	u := &userModel{email: name + "@example.org", name: states[string]{name}, password: importedPassword}
	for range attempts {
		if c.create(ctx, u).ok() {
			return
		}
	}
}

// create creates a user, and the client uses it from then on.
func (c *client) create(ctx context.Context, u *userModel) answer {
	fields := object{"name": u.name[0], "email": u.email, "password": fixture.Password}
	if u.password == importedPassword {
		delete(fields, "password")
		fields["password_hash"] = importedHash
	}
	a := c.callUsers(ctx, userCreate, fields)
	if a.ok() {
		u.id = read[userView](a).ID
		c.users = append(c.users, u)
	}
	return a
}

// recentUser draws one of the client's latest users. The client leaves older ones alone.
func (c *client) recentUser() (*userModel, bool) {
	return choose(c.rng, c.users[max(0, len(c.users)-maxUsers):])
}

// showUser reads a user, and compares the name with all names that it may have.
func (c *client) showUser(ctx context.Context) {
	if u, ok := c.recentUser(); ok {
		if a := c.callUsers(ctx, userShow, nil, u.id); a.ok() {
			u.check(read[userView](a), c.violations)
		}
	}
}

// renameUser gives a user another name. An unknown outcome leaves two possible names.
func (c *client) renameUser(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok || u.shared() { // other clients would rename it as well
		return
	}
	name := c.name("renamed")
	rename := func(string) string { return name }
	for range attempts {
		a := c.callUsers(ctx, userUpdate, object{"name": name}, u.id)
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

// ownUser draws a user whom nobody else changes.
func (c *client) ownUser() (*userModel, bool) {
	u, ok := c.recentUser()
	return u, ok && !u.shared()
}

// persist repeats a request until its outcome is known. If it stays unknown, the client leaves the user alone from
// then on.
func (c *client) persist(u *userModel, send func() answer) (a answer) {
	unknown := false
	for range attempts {
		a = send()
		if !a.unknown() {
			break
		}
		unknown = true
	}
	if unknown && !a.ok() {
		c.leave(u)
	}
	return a
}

// leave makes the client stop using a user.
func (c *client) leave(u *userModel) {
	if slices.Contains(c.deleted, u) {
		return
	}
	c.users = slices.DeleteFunc(c.users, func(other *userModel) bool { return other == u })
	c.deleted = append(c.deleted, u)
}

// changeEmail gives a user another address, to which later sign-ins refer.
func (c *client) changeEmail(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	email := c.name("moved") + "@example.org"
	a := c.persist(u, func() answer { return c.callUsers(ctx, userUpdate, object{"email": email}, u.id) })
	if a.ok() {
		u.email, u.failures = email, 0
		u.check(read[userView](a), c.violations)
	}
}

// changePassword sets another password, which ends all agent tokens and login links of the user.
func (c *client) changePassword(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	password := c.name("password")
	a := c.persist(u, func() answer { return c.callUsers(ctx, userUpdate, object{"password": password}, u.id) })
	if a.ok() {
		u.password = password
		u.signedOut()
	}
}

// endTokens ends the same tokens and links, and keeps the password.
func (c *client) endTokens(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	a := c.persist(u, func() answer { return c.callUsers(ctx, userTokensEnd, nil, u.id) })
	if a.ok() {
		u.signedOut()
	}
}

// makeToken makes an agent token by the platform app, without a sign-in.
func (c *client) makeToken(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok {
		return
	}
	if a := c.callUsers(ctx, userToken, nil, u.id); a.ok() {
		made := read[struct {
			AccessToken string `json:"access_token"`
		}](a)
		u.tokens = append(u.tokens, made.AccessToken)
	}
}

// listUsers finds a user by its address.
func (c *client) listUsers(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok {
		return
	}
	a := c.do(ctx, request{endpoint: userList, query: "?email=" + u.email, token: c.tenant.AppToken})
	if !a.ok() {
		return
	}
	found := read[struct{ Payload []userView }](a).Payload
	if len(found) != 1 {
		c.violations.add("%s is the address of one user, but found are %+v", u.email, found)
		return
	}
	u.check(found[0], c.violations)
}

// deleteUser deletes a user. An answer that the user does not exist confirms an earlier deletion without an answer.
func (c *client) deleteUser(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	asked := false
	a := c.persist(u, func() answer {
		r := request{endpoint: userDelete, values: []any{u.id}, token: c.tenant.AppToken}
		if asked {
			r.also = []int{http.StatusUnauthorized}
		}
		asked = true
		return c.do(ctx, r)
	})
	if a.ok() || a.status == http.StatusUnauthorized {
		u.deleted, u.ended = true, append(u.ended, u.tokens...)
		c.leave(u)
	}
}
