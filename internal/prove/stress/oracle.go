package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/service/user"
)

// confirmed counts what the oracles have found right: an experiment that has confirmed nothing proves nothing.
type confirmed struct {
	items      int // of the table
	categories int
	users      int
	deleted    int // users
	tokens     int // agent tokens
	links      int // login links
	members    int // users who are members of a portal
	mails      int
	outcomes   int // mails whose outcome is right in the log
	trees      int // imported trees that are exported as they were
	rows       int // rows of fixture.Requests that read, whose answers under load were right
	forgotten  int // persons of whom nothing is left
}

// oracle compares the API, the table and the outbox with what the clients were told.
type oracle struct {
	*experiment
	confirmed confirmed
}

// verify checks everything that the clients were told.
func (e *experiment) verify(ctx context.Context) confirmed {
	o := &oracle{experiment: e}
	// The check comes first: interrupted deletions end by it, and the oracles after it then see what users see.
	o.checkTable(ctx)
	for clients := range slices.Chunk(e.clients, tenantClients) {
		o.checkPortal(ctx, clients)
	}
	for _, c := range e.clients {
		for _, u := range c.users {
			o.checkUser(ctx, c, u)
			o.checkTokens(ctx, c, u)
			o.checkMember(ctx, c, u)
		}
		o.checkLeft(ctx, c)
	}
	o.checkQuotas(ctx, o.checkOutbox())
	o.checkOutcomes(ctx)
	o.checkTrees(ctx)
	o.checkRows()
	o.checkForgotten(ctx) // after all events were delivered
	return o.confirmed
}

// checkLoad checks that the load was one: every endpoint has succeeded, and every kind of fault has happened.
func checkLoad(operations []operation, injected []injection, v *violations) {
	groups := byEndpoint(operations)
	for _, e := range endpoints {
		if !slices.ContainsFunc(groups[e], func(o operation) bool { return o.failure == "" }) {
			v.add("this proves nothing: no request of %s has succeeded", e.name)
		}
	}
	for _, k := range faultKinds {
		if !slices.ContainsFunc(injected, func(i injection) bool { return i.kind == k }) {
			v.add("this proves nothing: there was no fault of the kind %s", k)
		}
	}
}

// checkTable runs `frontdesk check --repair`, and ends deletions that were interrupted, by the command that it tells.
func (o *oracle) checkTable(ctx context.Context) {
	for _, f := range o.faults(ctx) {
		var userID id.ID
		n, _ := fmt.Sscanf(f.Do, "frontdesk user delete %d", &userID)
		if n == 0 || !o.leftOver(f.What) {
			// The next check finds it again.
			continue
		}
		if _, err := (&user.Service{Table: o.table}).Delete(ctx, userID); err != nil {
			o.violations.add("%s: %v", f.Do, err)
		}
	}
	for _, f := range o.faults(ctx) {
		o.violations.add("check: %s", f.What)
	}
}

// faults returns what the check finds, and a repair does not mend.
func (o *oracle) faults(ctx context.Context) []check.Fault {
	report, err := check.Run(ctx, o.table, registry.Kinds(), check.Options{Repair: true})
	if err != nil {
		o.violations.add("check the table: %v", err)
	}
	o.confirmed.items = report.Items
	return report.Faults
}

// checkPortal reads a portal as its clients do.
func (o *oracle) checkPortal(ctx context.Context, clients []*client) {
	tenant := clients[0].tenant
	list, ok := clients[0].list(ctx, "")
	if !ok {
		o.violations.add("the categories of %+v cannot be read", tenant.Portal)
		return
	}
	var models []*categoryModel
	for _, c := range clients {
		models = append(models, c.categories...)
	}
	checkCategories(models, list, &tenant.targets, o.violations)
	for _, shown := range list {
		if !slices.ContainsFunc(models, func(m *categoryModel) bool { return m.is(shown) }) {
			o.violations.add("no client has created the category %+v", shown)
		}
	}
	o.confirmed.categories += len(list)
}

// checkUser reads a user, and signs in by the links that nobody has tried.
func (o *oracle) checkUser(ctx context.Context, c *client, u *userModel) {
	a := c.callUsers(ctx, userShow, nil, u.id)
	if !a.ok() {
		o.violations.add("user %d, %s, was created, but is not there: %s", u.id, u.email, a)
		return
	}
	o.confirmed.users++
	u.check(read[userView](a), o.violations)
	for _, l := range u.links {
		if l.tried > 0 {
			continue
		}
		if a := c.signIn(ctx, u, "sso_auth_token", l.token); a.ok() {
			o.confirmed.links++
		} else {
			o.violations.add("a login link of %s that was never used does not work: %s", u.email, a)
		}
		l.tried++
	}
}

// checkTokens checks that the agent tokens from sign-ins work.
func (o *oracle) checkTokens(ctx context.Context, c *client, u *userModel) {
	for _, token := range u.tokens {
		of, _ := credential.Parse(credential.Agent, token)
		if !c.isSignedIn(ctx, token) || int64(of.ID) != u.id {
			o.violations.add("an agent token of user %d is no good, or user %d's", u.id, of.ID)
		} else {
			o.confirmed.tokens++
		}
	}
}

// isSignedIn reports whether the API takes an agent token. It asks for a portal that nobody has: an agent is no member
// of it.
func (c *client) isSignedIn(ctx context.Context, token string) bool {
	a := c.do(ctx, request{
		endpoint: categoryList, values: []any{table.Portal{Account: 1, Slug: "nobodys"}}, token: token,
		also: []int{http.StatusUnauthorized, http.StatusForbidden},
	})
	return a.status == http.StatusForbidden
}

// checkLeft checks that ended tokens and links no longer work, and that nothing of a deleted user is left.
func (o *oracle) checkLeft(ctx context.Context, c *client) {
	for _, u := range c.deleted {
		if !u.deleted {
			continue
		}
		a := c.do(ctx, request{
			endpoint: userShow, values: []any{u.id}, token: c.tenant.AppToken, also: []int{http.StatusUnauthorized},
		})
		if a.status != http.StatusUnauthorized {
			o.violations.add("user %d was deleted, but is there: %s", u.id, a)
		}
		o.confirmed.deleted++
	}
	for _, u := range slices.Concat(c.users, c.deleted) {
		for _, token := range u.ended {
			if c.isSignedIn(ctx, token) {
				o.violations.add("an agent token of user %d has ended, but works", u.id)
			}
		}
	}
}

// leftOver reports whether a fault that the check found belongs to a user whose deletion may have been interrupted.
func (o *oracle) leftOver(fault string) bool {
	for _, c := range o.clients {
		for _, u := range c.deleted {
			if strings.Contains(fault, id.ID(u.id).Key()) || strings.Contains(fault, fmt.Sprintf("user %d ", u.id)) {
				return true
			}
		}
	}
	return false
}

// checkOutbox looks for every mail in the outbox, and returns the captures of each by its subject.
func (o *oracle) checkOutbox() map[string]captures {
	models, got := map[string]*mailModel{}, map[string]captures{}
	for _, c := range o.mailers() {
		for _, m := range c.mails {
			models[m.subject], got[m.subject] = m, captures{}
		}
	}
	for _, captured := range o.stack.Outbox().Mails() {
		raw, ok := o.stack.Outbox().Raw(captured.ID)
		subject, recipients := intended(captured, raw)
		m := models[subject]
		if m == nil {
			o.violations.add("no client has sent the mail %q to %v", captured.Subject, captured.To)
			continue
		}
		if m.redirected != slices.Equal(captured.To, []string{redirectedTo}) {
			o.violations.add("the mail %s is to be redirected: %t, and went to %v",
				m.subject, m.redirected, captured.To)
		}
		for _, a := range m.attachments {
			if !ok || !a.isWholeIn(raw) {
				o.violations.add("the attachment %s of mail %s is not whole", a.name, m.subject)
			}
		}
		for _, to := range recipients {
			got[m.subject][to]++
		}
	}
	for subject, m := range models {
		if m.check(got[subject], o.violations) && m.outcome.final() && m.outcome.unknown == 0 {
			o.confirmed.mails++
		}
	}
	return got
}
