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
	as := func(token string, e *endpoint, path string, body any, also ...int) answer {
		return c.do(ctx, request{endpoint: e, path: usersPath + path, token: token, body: body, also: also})
	}
	if !as(before, userCreate, "", object{"email": u.email}).ok() {
		return
	}
	link := as(before, userLogin, u.path()+"/login", nil)
	_, after, err := apps.Rotate(ctx, app.ID)
	if err != nil {
		c.violations.add("rotate a platform app: %v", err)
		return
	}
	if a := as(before, userShow, u.path(), nil, http.StatusUnauthorized); a.ok() {
		c.violations.add("the token of before a rotation works: %s", a)
	}
	if a := as(after, userShow, u.path(), nil); a.ok() {
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
