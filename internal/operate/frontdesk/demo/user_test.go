package demo

import (
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// TestTokensOfTheLastStartAreKeptWhileTheyAreGood, because they may be in somebody's terminal. One that is revoked, or
// another user's, is replaced by a new one.
func TestTokensOfTheLastStartAreKeptWhileTheyAreGood(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		tenant := stack.NewTenant(t)
		apps, list := platformapp.Store{Table: stack.Table}, (&user.Service{Table: stack.Table}).ListFunction()
		app := func(saved string, kept bool) {
			t.Helper()
			got, text, err := demoApp(t.Context(), apps, list, saved)
			expect.Equal(t, err, nil, "error")
			expect.Equal(t, text == saved, kept, "the app's token is kept")
			expect.Equal(t, got == tenant.App.ID, kept, "so is the app")
		}
		agent := func(of id.ID, saved string, kept bool) {
			t.Helper()
			text, err := demoAgent(t.Context(), stack.Table, of, saved)
			expect.Equal(t, err, nil, "error")
			expect.Equal(t, text == saved, kept, "the agent's token is kept")
		}
		app(tenant.AppToken, true)
		app("", false)
		app(tenant.AgentToken, false)
		agent(tenant.Agent.ID, tenant.AgentToken, true)
		agent(tenant.Agent.ID, "", false)
		other, _ := stack.NewAgent(t, time.Now().Add(time.Hour))
		agent(other, tenant.AgentToken, false)
		if _, err := apps.Revoke(t.Context(), tenant.App.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := (user.Tokens{Table: stack.Table}).Revoke(t.Context(), tenant.Agent.ID); err != nil {
			t.Fatal(err)
		}
		app(tenant.AppToken, false)
		agent(tenant.Agent.ID, tenant.AgentToken, false)
	})
}
