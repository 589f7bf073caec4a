package main

import (
	"context"
	"net/http"

	"frontdesk/internal/base/id"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// revokeApp revokes an app of the client's own while the app's request for another password or address is under way.
// From the answer to the revocation on, the user's access must not change, whatever the app has asked for.
func (c *client) revokeApp(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	apps := platformapp.Store{Table: c.table}
	app, token, err := apps.Create(ctx, platformapp.App{Name: c.name("app")})
	if err != nil {
		c.violations.add("create a platform app: %v", err)
		return
	}
	link := request{endpoint: userCreate, token: token, body: object{"email": u.email}}
	if !c.do(ctx, link).ok() {
		return
	}
	before := c.accessTo(ctx, u)
	password, email := c.name("password"), ""
	change := object{"password": password}
	if c.chance(0.5) {
		password, email = "", c.name("moved")+"@example.org"
		change = object{"email": email}
	}
	update := request{
		endpoint: userUpdate, values: []any{u.id}, token: token, body: change,
		also: []int{http.StatusUnauthorized},
	}
	underWay := make(chan answer)
	go func() { underWay <- c.do(ctx, update) }()
	c.pause(ctx, c.upTo(thinkTime))
	_, err = apps.Revoke(ctx, app.ID)
	after := c.accessTo(ctx, u)
	asked := <-underWay
	if err != nil {
		c.violations.add("revoke a platform app: %v", err)
		c.leave(u)
		return
	}
	if now := c.accessTo(ctx, u); now != after {
		c.violations.add("user %d was changed by an app after its revocation, with the answer %s: from %+v to %+v",
			u.id, asked, after, now)
	}
	changed := after != before
	if asked.ok() && !changed || !asked.ok() && !asked.unknown() && changed {
		c.violations.add("an app asked for %v of user %d, which was answered %s; it is changed: %t",
			change, u.id, asked, changed)
	}
	switch {
	case changed && password != "":
		u.password = password
		u.signedOut()
	case changed:
		u.email, u.failures = email, 0
	}
	if a := c.do(ctx, update); a.ok() {
		c.violations.add("what a revoked app asks for is done: %s", a)
	}
}

// access is what a user signs in with.
type access struct {
	email      string
	generation int64 // rises with each password
}

// accessTo reads from the table what a user signs in with.
func (c *client) accessTo(ctx context.Context, u *userModel) access {
	users, err := (&user.Service{Table: c.table}).Read(ctx, id.ID(u.id))
	if err != nil || len(users) != 1 {
		c.violations.add("read user %d: %d users, %v", u.id, len(users), err)
		return access{}
	}
	return access{users[0].Email, users[0].Generation}
}
