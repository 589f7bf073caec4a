package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/config"
)

// operatorTable is the table of the environment.
func operatorTable(t *testing.T) table.Table {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return table.Open(cfg, os.Getenv("TABLE_NAME"))
}

// putUser puts the least that a user is.
func putUser(t *testing.T, user id.ID) {
	t.Helper()
	tab := operatorTable(t)
	for _, item := range []any{
		struct {
			table.Key
			ID    id.ID  `dynamo:"id"`
			Email string `dynamo:"email"`
		}{table.User(user), user, "a@example.org"},
		struct {
			table.Key
			User id.ID `dynamo:"user"`
		}{table.Email("a@example.org"), user},
	} {
		if err := tab.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPortals(t *testing.T) {
	onStack(t)
	created := printed[portalShown](t, "portal", "create", "--account", "1", "--slug", "handbook", "--name", "Handbook", "--locales", "en,es")
	if created.Account != 1 || created.Slug != "handbook" || created.DefaultLocale != "en" || strings.Join(created.Locales, " ") != "en es" {
		t.Errorf("created %+v", created)
	}
	updated := printed[portalShown](t, "portal", "update", "--account", "1", "--slug", "handbook", "--locales", "fr,es", "--name", "Manual")
	if updated.Name != "Manual" || updated.DefaultLocale != "fr" || strings.Join(updated.Locales, " ") != "fr es" {
		t.Errorf("updated %+v", updated)
	}
	if updated := printed[portalShown](t, "portal", "update", "--account", "1", "--slug", "handbook", "--default-locale", "es"); updated.DefaultLocale != "es" || updated.Name != "Manual" {
		t.Errorf("updated %+v", updated)
	}
	printed[portalShown](t, "portal", "create", "--account", "10", "--slug", "a", "--name", "A", "--locales", "pt_BR", "--default-locale", "pt_BR")
	if list := printed[[]portalShown](t, "portal", "list"); len(list) != 2 || list[0].Account != 1 || list[1].Account != 10 || list[0].Name != "Manual" {
		t.Errorf("listed %+v", list)
	}
	if out, err := frontdesk(t, "portal", "list"); err != nil || strings.Count(out, "\n") != 3 || !strings.Contains(out, "fr es") {
		t.Errorf("printed %q, %v", out, err)
	}

	putUser(t, 7)
	type result struct {
		User   id.ID
		Member bool
	}
	for _, step := range []struct {
		command string
		member  bool
	}{{"add-member", true}, {"add-member", true}, {"remove-member", false}, {"remove-member", false}} {
		if got := printed[result](t, "portal", step.command, "--account", "1", "--portal", "handbook", "--user", "7"); got.User != 7 || got.Member != step.member {
			t.Errorf("%s: %+v", step.command, got)
		}
	}
}

func TestPortalsThatCannotBe(t *testing.T) {
	onStack(t)
	printed[portalShown](t, "portal", "create", "--account", "1", "--slug", "handbook", "--name", "Handbook", "--locales", "en,es")
	create := func(flags ...string) []string { return append([]string{"portal", "create"}, flags...) }
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"twice":                        {create("--account", "1", "--slug", "handbook", "--name", "x", "--locales", "en"), "account 1 has a portal handbook already"},
		"account 0":                    {create("--account", "0", "--slug", "x", "--name", "x", "--locales", "en"), "account must be an integer from 1"},
		"an account that is no number": {create("--account", "x", "--slug", "x", "--name", "x", "--locales", "en"), "--account"},
		"a blank slug":                 {create("--account", "1", "--slug", " ", "--name", "x", "--locales", "en"), "Slug"},
		"a slug with a slash":          {create("--account", "1", "--slug", "a/b", "--name", "x", "--locales", "en"), "Slug must not contain"},
		"a blank name":                 {create("--account", "1", "--slug", "x", "--name", " ", "--locales", "en"), "name must not be blank"},
		"no locales":                   {create("--account", "1", "--slug", "x", "--name", "x"), "--locales"},
		"a locale that is none":        {create("--account", "1", "--slug", "x", "--name", "x", "--locales", "en,e#"), `"e#" is not a locale such as en or pt_BR`},
		"a locale twice":               {create("--account", "1", "--slug", "x", "--name", "x", "--locales", "en,en"), "locale en is given twice"},
		"another default":              {create("--account", "1", "--slug", "x", "--name", "x", "--locales", "en", "--default-locale", "fr"), `the default locale fr is not one of the portal's ["en"]`},
		"update of no portal":          {[]string{"portal", "update", "--account", "2", "--slug", "handbook", "--name", "x"}, "account 2 has no portal handbook"},
		"a member of no portal":        {[]string{"portal", "add-member", "--account", "2", "--portal", "handbook", "--user", "7"}, "account 2 has no portal handbook"},
		"a member who is no user":      {[]string{"portal", "add-member", "--account", "1", "--portal", "handbook", "--user", "7"}, "there is no user 7"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := frontdesk(t, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q; printed %q", err, c.want, out)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	onStack(t)
	printed[portalShown](t, "portal", "create", "--account", "1", "--slug", "handbook", "--name", "Handbook", "--locales", "en")
	out, err := frontdesk(t, "check")
	if err != nil || out != "1 items\n       1  portal\n" {
		t.Errorf("printed %q, %v", out, err)
	}
	putUser(t, 7)
	portal := table.Portal{Account: 1, Slug: "handbook"}
	broken := struct {
		table.Key
		User id.ID `dynamo:"user"`
	}{portal.Member(8), 8}
	if err := operatorTable(t).Put(broken).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	type report struct {
		Items  int
		Counts map[string]int
		Faults []check.ReportedFault
	}
	for _, c := range []struct {
		args   []string
		fails  bool
		mended string
		faults int
	}{
		{[]string{"--json", "check"}, true, "", 1},
		{[]string{"--json", "check", "--repair"}, false, "ended the membership", 1},
		{[]string{"--json", "check"}, false, "", 0},
	} {
		out, err := frontdesk(t, c.args...)
		var got report
		if decodeErr := json.Unmarshal([]byte(out), &got); decodeErr != nil || (err != nil) != c.fails || len(got.Faults) != c.faults || got.Faults == nil {
			t.Errorf("%q printed %q, %v", c.args, out, err)
		}
		if c.faults == 1 && (got.Faults[0].Mended != c.mended || !strings.Contains(got.Faults[0].What, "user 8 is a member of portal handbook of account 1")) {
			t.Errorf("%q reported %+v", c.args, got.Faults)
		}
	}
}
