package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/check"
	"frontdesk/internal/expect"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// putUser writes the least that makes a user. It has no password, because hashing one would take longer than the rest
// of the test.
func putUser(o *shell, user id.ID) {
	o.Helper()
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
		if err := o.Table.Put(item).Run(o.Context()); err != nil {
			o.Fatal(err)
		}
	}
}

// createHandbook creates a portal of account 1.
func createHandbook(o *shell, locales string) portalView {
	o.Helper()
	return printed[portalView](o, "portal", "create", "--account", "1", "--slug", "handbook", "--name", "Handbook",
		"--locales", locales)
}

// TestOperatorsKeepPortals: an update changes only what it names, and the default locale follows the first of
// new locales.
func TestOperatorsKeepPortals(t *testing.T) {
	o := onStack(t)
	created := createHandbook(o, "en,es")
	expect.Equal(t, "created.Account", created.Account, 1)
	expect.Equal(t, "created.Slug", created.Slug, "handbook")
	expect.Equal(t, "created.DefaultLocale", created.DefaultLocale, "en")
	expect.Equal(t, `strings.Join(created.Locales, " ")`, strings.Join(created.Locales, " "), "en es")
	update := []string{"portal", "update", "--account", "1", "--slug", "handbook"}
	updated := printed[portalView](o, append(update, "--locales", "fr,es", "--name", "Manual")...)
	expect.Equal(t, "updated.Name", updated.Name, "Manual")
	expect.Equal(t, "updated.DefaultLocale", updated.DefaultLocale, "fr")
	expect.Equal(t, `strings.Join(updated.Locales, " ")`, strings.Join(updated.Locales, " "), "fr es")
	updated = printed[portalView](o, append(update, "--default-locale", "es")...)
	expect.Equal(t, "updated.DefaultLocale", updated.DefaultLocale, "es")
	expect.Equal(t, "updated.Name", updated.Name, "Manual")
	for _, flag := range []string{"--public", "--no-public"} {
		got := printed[portalView](o, append(update, flag)...)
		expect.Equal(t, flag+": got.Public", got.Public, flag == "--public")
		expect.Equal(t, flag+": got.Name", got.Name, "Manual")
	}
	printed[portalView](o, "portal", "create", "--public", "--account", "10", "--slug", "a", "--name", "A",
		"--locales", "pt_BR", "--default-locale", "pt_BR")
	list := printed[[]portalView](o, "portal", "list")
	expect.Len(t, "list", list, 2)
	expect.Equal(t, "list[0].Account", list[0].Account, 1)
	expect.Equal(t, "list[1].Account", list[1].Account, 10)
	expect.Equal(t, "list[0].Name", list[0].Name, "Manual")
	expect.Equal(t, "list[0].Public", list[0].Public, false)
	expect.Equal(t, "list[1].Public", list[1].Public, true)
	out := o.prints("portal", "list")
	expect.Equal(t, `strings.Count(out, "\n")`, strings.Count(out, "\n"), 3)
	expect.Contains(t, "out", out, "fr es")

	putUser(o, 7)
	type result struct {
		User   id.ID
		Member bool
	}
	for _, step := range []struct {
		command []string
		member  bool
		// Each step is done twice: the second time changes nothing, and is no error.
	}{
		{[]string{"add-member"}, true}, {[]string{"add-member"}, true},
		{[]string{"remove-member", "--yes"}, false}, {[]string{"remove-member", "--yes"}, false},
	} {
		args := slices.Concat([]string{"portal"}, step.command, []string{"--account", "1", "--slug", "handbook", "7"})
		got := printed[result](o, args...)
		expect.Equal(t, step.command[0]+": got.User", got.User, 7)
		expect.Equal(t, step.command[0]+": got.Member", got.Member, step.member)
		members := printed[[]result](o, "portal", "members", "--account", "1", "--slug", "handbook")
		if (len(members) == 1) != step.member {
			t.Errorf("members after %s: %+v", step.command[0], members)
		}
		o.MustBeWhole(t)
	}
}

// TestOperatorsDeleteAPortal: the command counts what it deleted with the portal. A deletion that was interrupted
// goes on by the same command, and check says so until then. Afterwards the slug is free for another portal.
func TestOperatorsDeleteAPortal(t *testing.T) {
	o := onStack(t)
	createHandbook(o, "en")
	handbook := table.Portal{Account: 1, Slug: "handbook"}
	o.NewCategories(t, handbook, changeset.Category{Name: "a"}, changeset.Category{Name: "b"})
	o.NewMember(t, handbook)
	command := []string{"portal", "delete", "--yes", "--account", "1", "--slug", "handbook"}
	mustRefuse(o, map[string]refused{
		"a portal with categories": {
			command, "portal handbook of account 1 has 2 categories: --with-categories deletes them, too",
		},
		"no such portal": {
			[]string{"portal", "delete", "--yes", "--account", "2", "--slug", "handbook"},
			"account 2 has no portal handbook",
		},
	})
	mark := o.Table.UpdateItem(handbook.Key()).Set("deleting", true) // as an interrupted deletion leaves it
	if err := mark.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect.Contains(t, "the list", o.prints("portal", "list"), "being deleted")
	out, err := o.frontdesk("check")
	expect.Not(t, "the error of check", err, nil)
	const going = "portal handbook of account 1 is being deleted: frontdesk portal delete goes on with it\n"
	expect.Contains(t, "check", out, going)
	type result struct {
		Account             id.ID
		Portal              string
		Categories, Members int
	}
	got := printed[result](o, append(command, "--with-categories")...)
	expect.Equal(t, "deleted", got, result{Account: 1, Portal: "handbook", Categories: 2, Members: 1})
	o.MustBeWhole(t)
	createHandbook(o, "en")
	const deleted = "deleted portal handbook of account 1, with categories: 0, memberships: 0\n"
	expect.Equal(t, "printed", o.prints(command...), deleted)
}

// TestPortalsThatCannotBe: each case breaks one rule for accounts, slugs, names or locales. A slug is part of URLs
// and of the table's keys, so it must not contain what looks like another slug or ends a part of a path.
func TestPortalsThatCannotBe(t *testing.T) {
	o := onStack(t)
	createHandbook(o, "en,es")
	create := func(account, slug, name, locales string, flags ...string) []string {
		flags = append([]string{"--account", account, "--slug", slug, "--name", name, "--locales", locales}, flags...)
		return append([]string{"portal", "create"}, flags...)
	}
	addMember := func(account string) []string {
		return []string{"portal", "add-member", "--account", account, "--slug", "handbook", "7"}
	}
	mustRefuse(o, map[string]refused{
		"twice":                        {create("1", "handbook", "x", "en"), "account 1 has a portal handbook already"},
		"account 0":                    {create("0", "x", "x", "en"), "account must be an integer from 1"},
		"an account that is no number": {create("x", "x", "x", "en"), "--account"},
		"a blank slug":                 {create("1", " ", "x", "en"), "Slug"},
		"a slug with a slash":          {create("1", "a/b", "x", "en"), "Slug must not contain"},
		// Browsers take such a part out of a path.
		"a slug of dots alone": {create("1", "..", "x", "en"), "Slug must not be of dots alone"},
		"a slug with a zero-width space": {
			create("1", "a\u200bb", "x", "en"), "Slug must not contain invisible or bidirectional control characters",
		},
		// The same word can be written with é as one character. Only that form (NFC) is taken, so nobody has two
		// portals that look the same.
		"a slug of letters and accents": {create("1", "cafe\u0301", "x", "en"), "slug must be in Unicode's"},
		"a blank name":                  {create("1", "x", " ", "en"), "name must not be blank"},
		"an invisible name":             {create("1", "x", "\u200b", "en"), "name must not be blank"},
		"a name with a hidden end":      {create("1", "x", "X\u00ad", "en"), "name must not begin or end with"},
		"no locales": {
			[]string{"portal", "create", "--account", "1", "--slug", "x", "--name", "x"}, "--locales",
		},
		"a locale that is none": {create("1", "x", "x", "en,e#"), `"e#" is not a locale such as en or pt_BR`},
		"a locale twice":        {create("1", "x", "x", "en,en"), "locale en is given twice"},
		"another default": {
			create("1", "x", "x", "en", "--default-locale", "fr"),
			`the default locale fr is not one of the portal's ["en"]`,
		},
		"update of no portal": {
			[]string{"portal", "update", "--account", "2", "--slug", "handbook", "--name", "x"},
			"account 2 has no portal handbook",
		},
		"members of no portal": {
			[]string{"portal", "members", "--account", "2", "--slug", "handbook"}, "account 2 has no portal handbook",
		},
		"a member of no portal":   {addMember("2"), "account 2 has no portal handbook"},
		"a member who is no user": {addMember("1"), "there is no user 7"},
	})
}

// TestCheckFailsUntilItsFaultsAreRepaired: a check with faults fails, the repair mends and saves them, and the next
// check succeeds. The layout is an item of its own, which the tool's first write has added.
func TestCheckFailsUntilItsFaultsAreRepaired(t *testing.T) {
	o := onStack(t)
	createHandbook(o, "en")
	expect.Equal(t, "printed", o.prints("check"),
		"The table is whole: no item contradicts another.\n"+
			"3 items\n       1  directory entry\n       1  layout\n       1  portal\n")
	putUser(o, 7)
	portal := table.Portal{Account: 1, Slug: "handbook"}
	left := portal.Member(8) // of a user whose deletion was interrupted
	member := struct {
		table.Key
		User id.ID `dynamo:"user"`
	}{left, 8}
	for _, item := range []any{member, left.Mirror()} {
		if err := o.Table.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	saved := filepath.Join(t.TempDir(), "saved")
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
		{[]string{"--json", "check", "--repair", "--yes", "--save", saved}, false, "deleted it", 1},
		{[]string{"--json", "check"}, false, "", 0},
	} {
		out, err := o.frontdesk(c.args...)
		var got report
		decodeErr := json.Unmarshal([]byte(out), &got)
		if decodeErr != nil {
			t.Fatal(decodeErr)
		}
		expect.Equal(t, "it fails", err != nil, c.fails)
		expect.Equal(t, "len(got.Faults)", len(got.Faults), c.faults)
		expect.Equal(t, "the faults are null", got.Faults == nil, false)
		what := left.String() + " is left of " + table.User(8).String() + ", which does not exist"
		if c.faults == 1 && got.Faults[0] != (check.ReportedFault{What: what, Mended: c.mended}) {
			t.Errorf("%q reported %+v", c.args, got.Faults)
		}
	}
}

// TestCheckNamesDamagedItems: the command prints the key of each item that cannot be read, and fails.
func TestCheckNamesDamagedItems(t *testing.T) {
	o := onStack(t)
	putUser(o, 7)
	if err := o.Table.UpdateItem(table.Email("a@example.org")).Set("user", "x").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, err := o.frontdesk("check")
	const want = `"EMAIL#a@example.org"/"EMAIL": e-mail owner cannot be read: damaged attributes: user` + "\n"
	expect.Equal(t, "error", fmt.Sprint(err), "the table is not whole: faults that are left: 2")
	expect.Lacks(t, "out", out, "is whole")
	expect.Contains(t, "out", out, want)
}
