package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"

	"github.com/alecthomas/kong"
	"github.com/guregu/dynamo/v2"
)

// TestATableOfAnotherLayoutIsRefused by every command that takes a table, in one sentence, before it writes anything.
// The commands are typed as the examples of their help are, and work on a table that has one item before and after, the
// record of its layout.
func TestATableOfAnotherLayoutIsRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t, fixture.WithoutFunctions(t))
		later := o.Table.WithName(o.Table.Name() + "-later")
		if _, err := later.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		record := table.LayoutRecord{Key: table.LayoutKey, Layout: table.Layout + 1}
		if err := later.Put(record).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		const refusal = "has layout 3, and this version of frontdesk only knows layout 2"
		cases := map[string]refused{"table reopen --from": {
			[]string{"table", "reopen", "--yes", "--from", later.Name(), "--imported"}, refusal,
		}}
		for _, command := range wholeGrammar().Model.Leaves(true) {
			if !takesTable(command) {
				continue
			}
			if !command.Tag.Has("example") {
				t.Errorf("%s has no example in its tag", command.Path())
				continue
			}
			for line := range strings.SplitSeq(command.Tag.Get("example"), "\n") {
				args := slices.Concat([]string{"--table-name", later.Name()}, withoutStack(typed(t, line)))
				cases[line] = refused{args, refusal}
			}
		}
		expect.AtLeast(t, len(cases), 30, "commands")
		mustRefuse(o, cases)
		items := 0
		err := later.ScanAll(t.Context(), func(_ context.Context, page []dynamo.Item) error {
			items += len(page)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, items, 1, "items of the table")
	})
}

// takesTable reports whether a command's Run takes a table, which the tool opens before.
func takesTable(command *kong.Node) bool {
	run := command.Target.Addr().MethodByName("Run").Type()
	for i := range run.NumIn() {
		if run.In(i) == reflect.TypeFor[table.Table]() {
			return true
		}
	}
	return false
}

// withoutStack returns a command line without the flags that say on which stack it works.
func withoutStack(args []string) (rest []string) {
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "--local":
		case "--stack", "--table-name":
			i++ // with its value
		default:
			rest = append(rest, args[i])
		}
	}
	return rest
}

// TestTheFirstWriteNotesTheLayout: a read does not record it, and a table without a record is new. CloudFormation makes
// it without one.
func TestTheFirstWriteNotesTheLayout(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t, fixture.WithoutFunctions(t))
		noted := func(name string) bool {
			noted, err := o.Table.WithName(name).CheckLayout(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return noted
		}
		for _, c := range []struct {
			command string
			noted   bool
		}{
			{"mail-key list", false},
			{"check", false},
			{"mail-key create --name n --from example.com", true},
			{"check", true},
		} {
			o.prints(strings.Fields(c.command)...)
			expect.Equal(t, noted(o.Table.Name()), c.noted, "noted after "+c.command)
		}
		created := o.Table.Name() + "-created"
		o.prints("--table-name", created, "table", "create")
		expect.Equal(t, noted(created), true, "noted after table create")
	})
}

// TestDoctorOfAnotherLayout: it reports the layout, and nothing that depends on the table. Whatever it read of such a
// table could be wrong.
func TestDoctorOfAnotherLayout(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		d := newDeployment(t)
		record := table.LayoutRecord{Key: table.LayoutKey, Layout: table.Layout + 1}
		if err := d.Table.Put(record).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		finds(t, d, []string{"missing table's layout: " + fmt.Sprintf("table %s has layout 3", d.Table.Name())})
	})
}

// Credentials that clients got while the items of testdata/layout-2.ndjson were written. They expire in 2100 at the
// earliest. Somebody used a stack for a minute to make the items; an item of each new kind is added to them.
const (
	layout2MailKey = "fdm_17itga6pjl_7a6723993443335e5f07a66cf084b24bac166beed7ac995cbcba58cb7c65bb73"
	layout2App     = "fdp_17itg9l8kp_4afa369d1096b43467b17f0725d614288a0f09fed1c11a537ae8fc5ba4b85d03"
	layout2Agent   = "fda_17itg9p5lh_6593c5db6e5ec7ae8f66e0297d2dca35ad03c6e4ff859d1b10a98a7c211db219"
	layout2Login   = "fdl_17itg9p5lh_6ab2fd708f5e57db6a77d423e70253ab2ddd1887a25ef5fa42369a49ad3c5dab"
	layout2Again   = "fdl_17itg9p5lh_22007957dd9676f48e7006fa2a269a3a5d55eb3414426f162482be2b7bcef630"
	layout2Leave   = "fdu_17itga6pjl_1lbtkirhbqpdcqvylnwlt35zy4lnagh4qlwv5obsrf6dwfsztkfj6ctnnlxj5q" +
		"efyu3og7nc6qmrqpt2hvy32t3zh3amrcnlymz2jsxy"
	layout2Mail     = "010001a214999805-16b6f6da-57e6-437a-bcd2-59c0b50541fb-000000"
	layout2Category = "122782391788258"
)

// TestItemsOfLayout2AreRead by today's functions and tool: items of each kind. Stored items outlive the code that
// wrote them. So these stand in a file, and what a client got at that time must still work.
func TestItemsOfLayout2AreRead(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		text, err := os.ReadFile("testdata/layout-2.ndjson")
		if err != nil {
			t.Fatal(err)
		}
		fixture.PutAll(t, o.Table, itemsIn(t, string(text)))
		found := printed[struct {
			Counts map[string]int
			Faults []any
		}](o, "check")
		expect.Len(t, found.Faults, 0, "what check finds")
		for kind := range table.Kinds() {
			expect.AtLeast(t, found.Counts[kind], 1, kind)
		}

		app, agent, key := fixture.Token(layout2App), fixture.Token(layout2Agent), fixture.Token(layout2MailKey)
		mail := fixture.Object{
			"key": layout2MailKey, "recipients": fixture.Array{
				fixture.Object{"email": "bounce@simulator.amazonses.com"},
				fixture.Object{"email": "success@simulator.amazonses.com"},
			},
			"subject": "Hello", "text": "Hello", "tags": fixture.Object{"campaign": "news"},
		}
		signIn := func(email, secret, value string) fixture.Object {
			return fixture.Object{"email": email, secret: value}
		}
		guide := table.Portal{Account: 1, Slug: "guide"}
		for name, c := range map[string]struct {
			to     fixture.Target
			header http.Header
			body   any
			want   string // in the answer
		}{
			"a mail that was sent is told once more": {
				fixture.To("sendMail"), http.Header{"Idempotency-Key": {"letter-1"}}, mail,
				`"id":"` + layout2Mail + `"`,
			},
			"a mail of the log":    {fixture.To("getMail", layout2Mail), key, nil, `"status":"bounced"`},
			"the log":              {fixture.To("listMails"), key, nil, `"subject":"News"`},
			"who has unsubscribed": {fixture.To("listUnsubscribes"), key, nil, `"email":"gone@example.org"`},
			"a link to unsubscribe": {
				fixture.To("createUnsubscribe", layout2Leave), fixture.Form, "List-Unsubscribe=One-Click",
				"unsubscribed",
			},
			"an app's users": {fixture.To("listUsers"), app, nil, `"custom_attributes":{"plan":"gold"}`},
			"a member by a granted app": {
				fixture.To("listMembers", guide), app, nil, `"user_id":122782391411093`,
			},
			"a password": {
				fixture.To("signIn"), nil, signIn("grace@example.org", "password", "nanosecond"), "access_token",
			},
			"a hash of another program": {
				fixture.To("signIn"), nil, signIn("alan@example.org", "password", "Grüße, 世界 17"), "access_token",
			},
			"a login link": {
				fixture.To("signIn"), nil, signIn("grace@example.org", "sso_auth_token", layout2Login),
				"access_token",
			},
			"a login link that got no answer": {
				fixture.To("signIn"), nil, signIn("grace@example.org", "sso_auth_token", layout2Again),
				"access_token",
			},
			"a category by an agent's token": {
				fixture.To("getCategory", guide, layout2Category), agent, nil, `"sub_category_ids":[122782391860307]`,
			},
			"a slug that is taken": {
				fixture.To("createCategory", guide), agent,
				fixture.Object{"category": fixture.Object{"name": "x", "slug": "guides"}}, "slug_taken",
			},
			"the public list": {
				fixture.To("listPublicCategories", guide).Query("?locale=es"), nil, nil, `"name":"Guías"`,
			},
		} {
			answer := o.Call(t, c.to, c.header, c.body)
			expect.Contains(t, answer.Raw, c.want, name)
		}
		o.MustBeWhole(t)
	})
}
