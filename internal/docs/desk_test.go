package docs_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/category"
	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/mail"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// desk is a running stack with a tenant: the portal and the account are those of the contract's examples.
type desk struct {
	stack                              *local.Stack
	mailKey, platformToken, agentToken string
}

func open(t *testing.T) *desk {
	t.Helper()
	ctx := context.Background()
	d := &desk{stack: localtest.Start(t)}
	tab := table.Open(d.stack.Operator(), d.stack.Environ()["TABLE_NAME"])
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	_, d.mailKey, err = mail.Keys{Table: tab}.Create(ctx, mail.Key{Name: "test", Sender: mail.Recipient{Email: "sender@example.com"}})
	must(err)
	app, token, err := user.Apps{Table: tab}.Create(ctx, "test")
	must(err)
	d.platformToken = token
	users := &user.Service{Table: tab}
	agent, err := users.Create(ctx, app.ID, user.Details{Name: "Agent", Email: "agent@example.org", Password: "correct horse battery"})
	must(err)
	d.agentToken, _, err = user.Tokens{Table: tab}.Create(ctx, agent.ID, time.Hour)
	must(err)
	portals := category.Portals{Table: tab}
	p, err := portals.Create(ctx, category.Portal{Account: 1, Slug: "handbook", Name: "Handbook", Locales: []string{"en", "es"}})
	must(err)
	must(portals.AddMember(ctx, table.Portal{Account: p.Account, Slug: p.Slug}, agent.ID))
	return d
}
