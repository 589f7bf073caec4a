package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"

	"github.com/aws/aws-lambda-go/events"
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
	apps, users := platformapp.Store{Table: t}, &user.Service{Table: t}
	app, platformToken, err := demoApp(ctx, apps, users.ListFunction(), saved["PLATFORM_TOKEN"])
	if err != nil {
		return 0, err
	}
	if err := apps.Grant(ctx, app, demoPortal.Account); err != nil {
		return 0, err
	}
	details := demoUser
	details.Password = rand.Text()
	u, err := users.Create(ctx, app, details)
	if err != nil {
		return 0, err
	}
	if _, err := users.Create(ctx, app, exampleUser); err != nil {
		return 0, err
	}
	agentToken, err := demoAgent(ctx, t, u.ID, saved["AGENT_TOKEN"])
	if err != nil {
		return 0, err
	}
	d.Variables["PLATFORM_TOKEN"], d.Variables["AGENT_TOKEN"] = platformToken, agentToken
	return u.ID, nil
}

// demoApp returns the app of the last start if its token still works, and otherwise a new one.
func demoApp(
	ctx context.Context, apps platformapp.Store, list api.Function, saved string,
) (id.ID, string, error) {
	if c, ok := credential.Parse(credential.PlatformApp, saved); ok && accepts(ctx, list, saved) {
		return c.ID, saved, nil
	}
	app, text, err := apps.Create(ctx, platformapp.App{Name: "demo"})
	return app.ID, text, err
}

// demoAgent returns the agent token of the last start if it is still the agent's, and otherwise a new one.
func demoAgent(ctx context.Context, t table.Table, u id.ID, saved string) (string, error) {
	list := (&category.Service{Table: t}).ListFunction()
	if c, ok := credential.Parse(credential.Agent, saved); ok && c.ID == u && accepts(ctx, list, saved) {
		return saved, nil
	}
	text, _, err := user.Tokens{Table: t}.Create(ctx, u, user.TokenLife)
	return text, err
}

// accepts reports whether an endpoint of the API takes a token: its answer is anything but 401. It runs in this
// process, because sam local serves the API only later.
func accepts(ctx context.Context, endpoint api.Function, token string) bool {
	_, err := endpoint.Handle(ctx, &api.Request{APIGatewayV2HTTPRequest: events.APIGatewayV2HTTPRequest{
		Headers: map[string]string{"api-access-token": token},
	}})
	refused, ok := errors.AsType[*api.Error](err)
	return !ok || refused.Kind != api.Unauthorized
}
