package main

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/terminaltest"

	"github.com/alecthomas/kong"
)

// TestWhatDeletesOrRevokesAsks: at a terminal such a command does nothing unless the answer is yes, and elsewhere it
// does nothing at all. With --yes it does not ask. A command that has --yes and is not in the list fails the test. The
// question names what will end.
func TestWhatDeletesOrRevokesAsks(t *testing.T) {
	t.Parallel()
	o := onProcesses(t).withKey()
	of := o.NewTenant(t)
	portal := []string{"--account", "1", "--slug", of.Portal.Slug}
	app, key, agent := of.App.ID.String(), of.MailKey.ID.String(), of.Agent.ID.String()
	o.Grant(t, of.App.ID, 1)
	const suppressed = "gone@example.org"
	if err := o.Account().SES.Suppressed.Put(ses.Suppressed{Address: suppressed, Reason: "BOUNCE"}); err != nil {
		t.Fatal(err)
	}
	o.prints("unsubscribes", "add", key, suppressed)
	cases := []struct {
		command, asks string
		args          []string
	}{
		{"suppression remove", "let SES send to gone@example.org again?", []string{suppressed}},
		{"unsubscribes remove", "send these mails to gone@example.org again?", []string{key, suppressed}},
		{"portal remove-member", "end the membership of user " + agent + " in portal", append(portal, agent)},
		{"portal delete", "delete portal " + of.Portal.Slug + " of account 1 for good?", portal},
		{"platform-app revoke-grant", "to the portals of account 1?", []string{app, "--account", "1"}},
		{"platform-app rotate", "end the access token and the login links of platform app " + app, []string{app}},
		{"platform-app revoke", "end platform app " + app + " for good?", []string{app}},
		{"mail-key revoke", "end mail key " + key + " for good?", []string{key}},
		{"user revoke-tokens", "end all agent tokens and login links of user " + agent, []string{agent}},
		{"user delete", "delete user " + agent + " for good?", []string{agent}},
		{"person forget", "forget agent-0@example.com for good?", []string{"agent-0@example.com"}},
		{"check", "mend what is broken in table", []string{"--repair"}},
		{"table reopen", "end in table", []string{"--nothing-ended"}},
	}
	asking := map[string]bool{}
	for _, command := range wholeGrammar().Model.Leaves(true) {
		asking[command.Path()] = slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == "yes" })
	}
	before := o.Items(t)
	for _, c := range cases {
		t.Run(c.command, func(t *testing.T) {
			in, typing := terminaltest.Open(t)
			fmt.Fprintln(typing, "no")
			var said bytes.Buffer
			s := o.session
			s.In, s.Err = in, &said
			args := slices.Concat([]string{"--local=" + o.file}, strings.Fields(c.command), c.args)
			err := s.run(t.Context(), args)
			expect.Contains(t, said.String(), c.asks)
			expect.Contains(t, fmt.Sprint(err), "nothing was done")
			s.In = strings.NewReader("yes\n")
			err = s.run(t.Context(), args)
			expect.Contains(t, fmt.Sprint(err), "missing: --yes", "error without a terminal")
			expect.Contains(t, fmt.Sprint(err), c.asks, "error without a terminal")
			if !reflect.DeepEqual(before, o.Items(t)) {
				t.Error("something was changed")
			}
		})
		delete(asking, c.command)
	}
	delete(asking, "local") // TestLocalOffersToStartAnew
	for command, asks := range asking {
		if asks {
			t.Errorf("%s is not tested", command)
		}
	}
	if _, listed := o.Account().SES.Suppressed.Get(suppressed); !listed {
		t.Error("the address is off the suppression list")
	}
	in, _ := terminaltest.Open(t)
	s := o.session
	s.In = in
	if err := s.run(t.Context(), []string{"--local=" + o.file, "user", "delete", agent, "--yes"}); err != nil {
		t.Error(err)
	}
	expect.Equal(t, o.CountItems(t, "USER#", "USER"), 0, "users who are left")
	o.Call(t, fixture.To("getUser", agent), fixture.Token(of.AppToken), nil).Is(t, 401, nil)
}
