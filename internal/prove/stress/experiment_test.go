package main

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
)

// want checks that there is exactly one violation with this text, or none if the text is "".
func (v *violations) want(t *testing.T, said string) {
	t.Helper()
	switch {
	case said == "" && len(v.list) > 0:
		t.Errorf("violations: %q", v.list)
	case said != "" && (len(v.list) != 1 || !strings.Contains(v.list[0], said)):
		t.Errorf("violations: %q, want one with %q", v.list, said)
	}
}

// TestExperiment runs a short experiment, in which nothing is lost. Then it takes away some of what the clients were
// told of, and the oracles have to notice.
func TestExperiment(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := scenario{
			seed: 1, duration: 3 * time.Second, clients: 2 * tenantClients,
			phases: []phase{{"calm", 0.2, nil}, {"all at once", 0.8, everything}},
			faults: new(atomic.Pointer[injector]),
		}
		stack := fixture.Start(t, func(o *local.Options) { o.Contention = s.contention() })
		e, err := newExperiment(t.Context(), s, stack.Stack)
		defer e.close()
		if err != nil {
			t.Fatal(err)
		}
		e.load(t.Context())
		e.settle(t.Context())
		failEvents(t, e)
		// Chance may have left every client without one of them.
		last := e.clients[len(e.clients)-1]
		last.createUser(t.Context())
		last.sendMail(t.Context())
		c, injected := e.verify(t.Context()), len(e.injector.injected.all())
		e.violations.want(t, "")
		expect.AtLeast(t, c.mails, 1, "nothing was proved")
		expect.AtLeast(t, c.outcomes, 1, "nothing was proved")
		expect.AtLeast(t, c.categories, 1, "nothing was proved")
		expect.AtLeast(t, c.users, 1, "nothing was proved")
		expect.AtLeast(t, c.trees, 1, "nothing was proved")
		expect.AtLeast(t, c.forgotten, 1, "nothing was proved")
		expect.AtLeast(t, c.items, 1, "nothing was proved")
		expect.AtLeast(t, injected, 1, "nothing was proved")
		var report strings.Builder
		printReport(&report, e, c)
		if !strings.Contains(report.String(), "send-mail") {
			t.Errorf("the report is %s", &report)
		}

		e.violations = new(violations)
		e.api.violations = e.violations
		damage := tamper(t, e)
		e.verify(t.Context())
		all := strings.Join(e.violations.all(), "\n")
		for _, said := range damage {
			if !strings.Contains(all, said) {
				t.Errorf("it is not said that %q:\n%s", said, all)
			}
		}
	})
}

// failEvents sends a mail whose events cannot be recorded.
func failEvents(t *testing.T, e *experiment) {
	t.Helper()
	e.stack.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
		if c.Function == "RecordMailEventFunction" {
			return awsproxy.KillBefore
		}
		return nil
	})
	defer e.stack.AWSProxy().Inject(nil)
	before := len(e.stack.Lambda().DeadLetters())
	e.clients[len(e.clients)-1].sendMail(t.Context())
	err := e.stack.Lambda().Settle(t.Context())
	if err != nil {
		t.Fatalf("no event of a mail has failed: %v", err)
	}
	expect.Not(t, len(e.stack.Lambda().DeadLetters()), before, "no event of a mail has failed")
}

// tamper takes away what clients were told of, and returns the expected violations.
func tamper(t *testing.T, e *experiment) (want []string) {
	t.Helper()
	remove := func(k table.Key) {
		if err := e.table.Delete("PK", k.PK).Range("SK", k.SK).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tree, person := e.operator.trees[0], e.operator.persons[0]
	remove(table.Portal{Account: treeAccount, Slug: tree.slug}.Key())
	agent := e.table.UpdateItem(table.User(e.operator.tenant.Agent.ID)).Set("custom_attributes", `{"boss":"`+
		person.address+`"}`)
	if err := agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want = append(want, "the import of "+tree.slug+" was acknowledged, and of its portal records",
		person.address+" was forgotten, and stands in an item of the kind user", redirectOne(t, e))
	for _, c := range e.clients {
		captured := slices.IndexFunc(c.mails, func(m *mailModel) bool {
			return m.outcome == outcome{known: true, acknowledged: len(m.recipients)}
		})
		if captured < 0 || len(c.users) == 0 {
			continue
		}
		user, mail := c.users[0], c.mails[captured]
		remove(table.User(id.ID(user.id)))
		again := mail.request
		again.key = ""
		e.stack.Events().Replace(func(eventbridge.Event) []eventbridge.Event { return nil })
		if a := c.do(t.Context(), again); !a.ok() {
			t.Fatalf("send a mail again: %s", a)
		}
		for _, u := range c.users[1:] {
			if !u.membership.unsure && !u.shared() {
				toggleMember(t, c, u)
				want = append(want, u.email+", is a member")
				break
			}
		}
		return append(want,
			user.email+", was created, but is not there", "check: ", "2 times to "+mail.recipients[0],
			"SES took the mail "+mail.subject,
		)
	}
	t.Fatal("no client has a user, and a mail that was captured")
	return nil
}

// redirectOne expects of one mail that its key redirects it, and returns the expected violation.
func redirectOne(t *testing.T, e *experiment) string {
	t.Helper()
	for _, c := range e.clients {
		for _, m := range c.mails {
			if !m.redirected && m.outcome == (outcome{known: true, acknowledged: len(m.recipients)}) {
				m.redirected = true
				return "the mail " + m.subject + " is to be redirected: true, and went to"
			}
		}
	}
	t.Fatal("no mail was captured that no key redirects")
	return ""
}

// toggleMember makes a user a member of the tenant's portal, or removes the user, without the client's knowledge.
func toggleMember(t *testing.T, c *client, u *userModel) {
	t.Helper()
	portals, change := portal.Store{Table: c.table}, portal.Store.AddMember
	if u.membership.member {
		change = portal.Store.RemoveMember
	}
	if err := change(portals, t.Context(), c.tenant.Portal, id.ID(u.id)); err != nil {
		t.Fatal(err)
	}
}
