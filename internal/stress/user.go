package main

import (
	"context"
	"fmt"
	"net/http"
)

const (
	usersPath = "/platform/api/v1/users"
	password  = "correct horse battery" // of everybody
	maxPeople = 6                       // that a client still uses
)

func (p *person) path(more string) string { return fmt.Sprintf("%s/%d%s", usersPath, p.id, more) }

// createPerson creates a user. Once there are enough, older ones are left alone.
func (c *client) createPerson(ctx context.Context) {
	name := c.name("user")
	p := &person{tenant: c.tenant, email: name + "@example.org", name: possible[string]{name}}
	for range tries { // to repeat it is safe
		a := c.do(ctx, c.creation(p))
		if !a.ok() {
			continue
		}
		u := read[shownUser](a)
		if u.Name != name || u.Email != p.email {
			c.broken.add("created %s as %s, but it is %s", p.email, name, a)
		}
		p.id = u.ID
		c.people = append(c.people, p)
		return
	}
}

func (c *client) creation(p *person) request {
	return request{
		endpoint: userCreate, method: http.MethodPost, path: usersPath, token: c.tenant.appToken, may: []int{http.StatusConflict},
		body: write(map[string]string{"name": p.name[0], "email": p.email, "password": password}),
	}
}

// recent draws one of the users that the client has created last.
func (c *client) recent() (*person, bool) {
	return choose(c.rng, c.people[max(0, len(c.people)-maxPeople):])
}

func (c *client) showPerson(ctx context.Context) {
	if p, ok := c.recent(); ok {
		if a := c.show(ctx, p); a.ok() {
			p.judge(read[shownUser](a), c.broken)
		}
	}
}

func (c *client) show(ctx context.Context, p *person) answer {
	return c.do(ctx, request{endpoint: userShow, method: http.MethodGet, path: p.path(""), token: p.tenant.appToken})
}

func (c *client) renamePerson(ctx context.Context) {
	p, ok := c.recent()
	if !ok || p.common() { // whom others would rename as well
		return
	}
	name := c.name("renamed")
	rename := func(string) string { return name }
	for range tries {
		a := c.do(ctx, request{
			endpoint: userUpdate, method: http.MethodPatch, path: p.path(""), token: c.tenant.appToken, may: []int{http.StatusConflict},
			body: write(map[string]string{"name": name}),
		})
		if a.ok() {
			p.name.surely(rename)
			p.judge(read[shownUser](a), c.broken)
			return
		}
		if a.unknown() {
			p.name.maybe(rename)
		}
		if c.chance(0.5) {
			return
		}
	}
}
