package main

import (
	"testing"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
)

// TestOperatorsGrantAccounts: an app has no grant at first. When a grant ends, the memberships that the app made
// stay, and the command counts them.
func TestOperatorsGrantAccounts(t *testing.T) {
	o := onStack(t)
	tenant := o.NewTenant(t)
	app := tenant.App.ID.String()
	type listed struct {
		ID       id.ID
		Accounts []id.ID
	}
	accounts := func() []id.ID {
		t.Helper()
		apps := printed[[]listed](o, "platform-app", "list")
		expect.Len(t, "apps", apps, 1)
		return apps[0].Accounts
	}
	type result struct {
		App, Account id.ID
		Granted      bool
		Members      int
	}
	members := fixture.MembersPath(tenant.Portal)
	// The answer to an app without a grant is 401, as to everything that an app may not do.
	keeps := func(status int) {
		t.Helper()
		o.Call(t, "GET", members, fixture.Token(tenant.AppToken), nil).Is(t, status, nil)
	}

	expect.Len(t, "accounts of a new app", accounts(), 0)
	keeps(401)
	for range 2 {
		got := printed[result](o, "platform-app", "grant", app, "--account", "1")
		expect.Equal(t, "granted", got, result{App: tenant.App.ID, Account: 1, Granted: true})
	}
	printed[result](o, "platform-app", "grant", app, "--account", "20")
	expect.Equal(t, "accounts", accounts(), []id.ID{1, 20})
	expect.Contains(t, "the list", o.prints("platform-app", "list"), "1 20\n")
	keeps(200)

	store := portal.Store{Table: o.Table}
	if err := store.RemoveMember(t.Context(), tenant.Portal, tenant.Agent.ID); err != nil {
		t.Fatal(err)
	}
	body := fixture.Object{"user_id": tenant.Agent.ID}
	o.Call(t, "POST", members, fixture.Token(tenant.AppToken), body).Is(t, 200, nil)
	for range 2 {
		got := printed[result](o, "platform-app", "revoke-grant", "--yes", app, "--account", "1")
		expect.Equal(t, "revoked", got, result{App: tenant.App.ID, Account: 1, Members: 1})
	}
	keeps(401)
	expect.Equal(t, "accounts after one was revoked", accounts(), []id.ID{20})
	out := o.prints("platform-app", "revoke-grant", "--yes", app, "--account", "20")
	expect.Contains(t, "revoke-grant", out, "which stay: 0\n")
	expect.Contains(t, "revoke", o.prints("platform-app", "revoke", "--yes", app), "which stay: 1\n")
	o.MustBeWhole(t)

	to := func(verb, app string, flags ...string) []string {
		return append([]string{"platform-app", verb, app}, flags...)
	}
	gone := "there is no platform app " + app + ", or it is revoked"
	mustRefuse(o, map[string]refused{
		"a grant to a revoked app": {to("grant", app, "--account", "1"), gone},
		"a grant to no app":        {to("grant", "7", "--account", "1"), "there is no platform app 7"},
		"a grant of no account":    {to("grant", app), "--account"},
		"a grant of account 0":     {to("grant", app, "--account", "0"), "account must be an integer"},
		"revoke-grant of no app":   {to("revoke-grant", "7", "--yes", "--account", "1"), "there is no platform app 7"},
	})
}
