package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/user"
	"frontdesk/internal/user/platformapp"
)

// ownUser draws a user whom nobody else changes.
func (c *client) ownUser() (*userModel, bool) {
	u, ok := c.recentUser()
	return u, ok && !u.shared()
}

// persist sends a request until it is known what came of it. Where it may have been served, and was not acknowledged,
// the client leaves the user alone from then on.
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

// leave makes the client use a user no longer.
func (c *client) leave(u *userModel) {
	if slices.Contains(c.left, u) {
		return
	}
	c.users = slices.DeleteFunc(c.users, func(other *userModel) bool { return other == u })
	c.left = append(c.left, u)
}

func (c *client) changeEmail(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	email := c.name("moved") + "@example.org"
	a := c.persist(u, func() answer { return c.callUsers(ctx, userUpdate, u.path(), object{"email": email}) })
	if a.ok() {
		u.email, u.failures = email, 0
		u.check(read[userView](a), c.violations)
	}
}

// changePassword ends all that the user is signed in by.
func (c *client) changePassword(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	password := c.name("password")
	a := c.persist(u, func() answer { return c.callUsers(ctx, userUpdate, u.path(), object{"password": password}) })
	if a.ok() {
		u.ended = append(u.ended, u.tokens...)
		u.password, u.tokens, u.links = password, nil, nil
	}
}

func (c *client) makeToken(ctx context.Context) {
	u, ok := c.recentUser()
	if !ok {
		return
	}
	if a := c.callUsers(ctx, userToken, u.path()+"/token", nil); a.ok() {
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
	a := c.callUsers(ctx, userList, "?email="+u.email, nil)
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

// deleteUser deletes a user. That it is not there says that it is deleted, where that was asked for before.
func (c *client) deleteUser(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok {
		return
	}
	asked := false
	a := c.persist(u, func() answer {
		r := request{endpoint: userDelete, path: usersPath + u.path(), token: c.tenant.AppToken}
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

// rotateApp gives an app of the client's own another token, and tries what the app had before.
func (c *client) rotateApp(ctx context.Context) {
	u, ok := c.ownUser()
	if !ok || u.failures >= maxFailures-2 {
		return
	}
	apps := platformapp.Store{Table: c.table}
	app, before, err := apps.Create(ctx, c.name("app"))
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

// checkLeft looks whether what has ended is of no use, and whether nothing of a deleted user is there.
func (o *oracle) checkLeft(ctx context.Context, c *client) {
	for _, u := range c.left {
		if !u.deleted {
			continue
		}
		a := c.do(ctx, request{endpoint: userShow, path: usersPath + u.path(), token: c.tenant.AppToken,
			also: []int{http.StatusUnauthorized}})
		if a.status != http.StatusUnauthorized {
			o.violations.add("user %d was deleted, but is there: %s", u.id, a)
		}
		o.confirmed.deleted++
	}
	for _, u := range slices.Concat(c.users, c.left) {
		for _, token := range u.ended {
			if _, err := (user.Tokens{Table: o.table}).Authenticate(ctx, token); err == nil {
				o.violations.add("an agent token of user %d has ended, but works", u.id)
			}
		}
	}
}

// leftOver reports whether a fault that the check finds is of a user whose deletion may have been interrupted: what is
// left of such a user the check deletes.
func (o *oracle) leftOver(fault string) bool {
	for _, c := range o.clients {
		for _, u := range c.left {
			if strings.Contains(fault, id.ID(u.id).Key()) || strings.Contains(fault, fmt.Sprintf("user %d ", u.id)) {
				return true
			}
		}
	}
	return false
}

// currentPassword is what the user signs in with.
func (u *userModel) currentPassword() string {
	if u.password == "" {
		return fixture.Password
	}
	return u.password
}
