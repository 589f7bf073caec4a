package main

import (
	"context"
	"fmt"

	"frontdesk/internal/category"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/mail"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// tenant is what a few clients share, so that they meet at the same items: a mail key with a quota, a platform app,
// and a portal with an agent who keeps it.
type tenant struct {
	mailKey    string
	mailKeyID  id.ID
	daily      int // quota of the mail key, in recipients
	appToken   string
	agentToken string
	portal     string // path of its categories
	shelf      *shelf
}

// tenantClients is how many clients a tenant has.
const tenantClients = 8

const (
	// wideQuota is more than a tenant's clients can use up.
	wideQuota = 1_000_000
	// narrowQuota is less: that of the first tenant.
	narrowQuota = 2_000
)

// openTable opens the stack's table as an operator.
func openTable(stack *local.Stack) table.Table {
	return table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])
}

func provision(ctx context.Context, t table.Table, number int) (*tenant, error) {
	of := &tenant{shelf: newShelf(), daily: wideQuota}
	if number == 0 {
		of.daily = narrowQuota
	}
	key := mail.Key{Name: "stress", Sender: mail.Recipient{Name: "Stress", Email: "stress@example.com"}, Daily: of.daily}
	key, mailKey, err := mail.Keys{Table: t}.Create(ctx, key)
	if err != nil {
		return nil, err
	}
	of.mailKeyID, of.mailKey = key.ID, mailKey
	app, appToken, err := user.Apps{Table: t}.Create(ctx, "stress")
	if err != nil {
		return nil, err
	}
	of.appToken = appToken
	agent, err := (&user.Service{Table: t}).Create(ctx, app.ID, user.Details{
		Name: "Agent", Email: fmt.Sprintf("agent-%d@example.com", number), Password: password,
	})
	if err != nil {
		return nil, err
	}
	if of.agentToken, _, err = (user.Tokens{Table: t}).Create(ctx, agent.ID, user.TokenLife); err != nil {
		return nil, err
	}
	portals := category.Portals{Table: t}
	portal, err := portals.Create(ctx, category.Portal{
		Account: 1, Slug: fmt.Sprintf("portal-%d", number), Name: "Portal", Locales: locales,
	})
	if err != nil {
		return nil, err
	}
	of.portal = fmt.Sprintf("/api/v1/accounts/%d/portals/%s/categories", portal.Account, portal.Slug)
	return of, portals.AddMember(ctx, table.Portal{Account: portal.Account, Slug: portal.Slug}, agent.ID)
}
