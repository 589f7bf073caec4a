package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// demoUser is signed in from the start. Nobody knows its random password: it signs in by a login link.
var demoUser = user.Details{Name: "Demo Agent", Email: "agent@example.com"}

// exampleUser is the user of the contract's examples, so that the docs page can try them out.
var exampleUser = user.Details{
	Name: "Ada Lovelace", Email: "ada@example.org", Password: "correct horse battery",
	CustomAttributes: json.RawMessage(`{"plan": "gold"}`),
}

// provisionUser creates a platform app, which manages the members of the demo portal's account, and two users of the
// app. One of them is signed in. Both users exist already at a later start; creating them again changes nothing, not
// even a password that somebody has given them since.
func (d *Tenant) provisionUser(ctx context.Context, t table.Table, saved map[string]string) (id.ID, error) {
	apps := platformapp.Store{Table: t}
	app, platformToken, err := demoApp(ctx, apps, saved["PLATFORM_TOKEN"])
	if err != nil {
		return 0, err
	}
	if err := apps.Grant(ctx, app, demoPortal.Account); err != nil {
		return 0, err
	}
	details := demoUser
	details.Password = rand.Text()
	users := &user.Service{Table: t}
	u, err := users.Create(ctx, app, details)
	if err != nil {
		return 0, err
	}
	if _, err := users.Create(ctx, app, exampleUser); err != nil {
		return 0, err
	}
	agentToken, err := demoAgent(ctx, user.Tokens{Table: t}, u.ID, saved["AGENT_TOKEN"])
	if err != nil {
		return 0, err
	}
	d.Variables["PLATFORM_TOKEN"], d.Variables["AGENT_TOKEN"] = platformToken, agentToken
	return u.ID, nil
}

// demoApp returns the app of the last start if its token still works, and otherwise a new one.
func demoApp(ctx context.Context, apps platformapp.Store, saved string) (id.ID, string, error) {
	if app, err := apps.Authenticate(ctx, saved); err == nil {
		return app.ID, saved, nil
	}
	app, text, err := apps.Create(ctx, platformapp.App{Name: "demo"})
	return app.ID, text, err
}

// demoAgent returns the agent token of the last start if it is still the agent's, and otherwise a new one.
func demoAgent(ctx context.Context, tokens user.Tokens, u id.ID, saved string) (string, error) {
	if owner, err := tokens.Authenticate(ctx, saved); err == nil && owner == u {
		return saved, nil
	}
	text, _, err := tokens.Create(ctx, u, user.TokenLife)
	return text, err
}
