package main

import (
	"context"
	"net/http"

	"frontdesk/internal/service/user/platformapp"
)

// rotateApp gives an app of the client's own a new token, and checks that the old token and its login links no
// longer work.
func (c *client) rotateApp(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok || u.failures >= maxFailures-2 {
		return
	}
	apps := platformapp.Store{Table: c.table}
	app, before, err := apps.Create(ctx, platformapp.App{Name: c.name("app")})
	if err != nil {
		c.violations.add("create a platform app: %v", err)
		return
	}
	if !c.do(ctx, request{endpoint: userCreate, token: before, body: object{"email": u.email}}).ok() {
		return
	}
	link := c.do(ctx, request{endpoint: userLogin, values: []any{u.id}, token: before})
	_, after, err := apps.Rotate(ctx, app.ID)
	if err != nil {
		c.violations.add("rotate a platform app: %v", err)
		return
	}
	show := request{endpoint: userShow, values: []any{u.id}, token: before, also: []int{http.StatusUnauthorized}}
	if a := c.do(ctx, show); a.ok() {
		c.violations.add("the token of before a rotation works: %s", a)
	}
	show.token, show.also = after, nil
	if a := c.do(ctx, show); a.ok() {
		u.check(read[userView](a), c.violations)
	}
	if !link.ok() {
		return
	}
	a := c.signIn(ctx, u, "sso_auth_token", tokenOf(link))
	u.failures++
	if a.ok() {
		c.violations.add("a login link of before a rotation works: %s", a)
	}
}
