package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/tree"
	"frontdesk/internal/service/mail/unsubscribe"
	"frontdesk/internal/service/user"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// filled is a stack with two portals, whose categories have links of all kinds, with users, links and unsubscribes.
type filled struct {
	*shell
	fixture.Tenant
	other                   table.Portal // a portal of another account, with the same member
	guides, billing, refund id.ID
	there                   id.ID     // the category of the other portal
	stranger                user.User // a user who is no member
}

// newFilled fills the stack. Texts have characters that JSON or terminals treat specially, and the other portal has a
// former locale.
func newFilled(t testing.TB) *filled {
	t.Helper()
	o := onStack(t, fixture.WithoutFunctions(t))
	f := &filled{shell: o, Tenant: o.NewTenant(t)}
	f.guides = o.NewCategory(t, f.Portal, tree.Category{Name: "guides", Position: new(int64(-1))})
	f.billing = o.NewCategory(t, f.Portal, tree.Category{
		Name: "billing", Parent: f.guides, Description: new("<b> & \u2028\u202e"),
	})
	f.refund = o.NewCategory(t, f.Portal, tree.Category{
		Name: "refund", Parent: f.billing, Root: f.guides, Related: []id.ID{f.guides, f.billing},
	})
	f.other = o.NewPortal(t, 2, "other", "en", "es")
	o.AddMember(t, f.other, f.Agent.ID)
	// The membership is marked as one that the app has made.
	byApp := o.Table.UpdateItem(f.other.Member(f.Agent.ID)).Set("app", f.App.ID)
	if err := byApp.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.there = o.NewCategory(t, f.other, tree.Category{Name: "guides"})
	if _, err := (portal.Store{Table: o.Table}).Update(
		t.Context(), portal.Portal{Account: 2, Slug: "other", Locales: []string{"es"}}, new(true),
	); err != nil {
		t.Fatal(err)
	}
	var err error
	f.stranger, err = (&user.Service{Table: o.Table, HashParams: fixture.CheapHash}).Create(t.Context(), f.App.ID,
		user.Details{
			Name: "Zoë", Email: "Zoe@Example.org", Password: fixture.Password,
			CustomAttributes: json.RawMessage(`{"a": "\u0041<&>", "n": 1.0}`),
		})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"", "news"} {
		of := unsubscribe.Subscription{MailKey: f.MailKey.ID, List: list, Recipient: "ada@example.org"}
		if _, err := (unsubscribe.Store{Table: o.Table}).Add(t.Context(), of); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// recordsIn returns the records of a complete file. Each line must be valid by the schema.
func recordsIn(t testing.TB, file string) (records []transfer.Record) {
	t.Helper()
	schema, err := transferSchema()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(file) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	lines, err := transfer.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if line.Faults != nil {
			t.Fatalf("line %d: %v", line.Number, line.Faults)
		}
		records = append(records, line.Record)
	}
	return records
}

// transferSchema is the published schema of the format, which others use to check their files.
var transferSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return compiler.Compile("../transfer/transfer.schema.json")
})

// TestAnExportThatFailsLeavesNoFile: half of an export would be taken for a whole one.
func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		f := newFilled(t)
		failing := f.refusing(func(operation string) string {
			if operation == "Scan" {
				return "AccessDeniedException"
			}
			return ""
		})
		cut := filepath.Join(t.TempDir(), "export.ndjson")
		if _, err := failing.frontdesk("export", cut, "--all"); err == nil {
			t.Error("an export without its users succeeds")
		}
		if _, err := os.Stat(cut); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a file that is not whole is there: %v", err)
		}
	})
}

// TestAnExportSaysWhatChangedMeanwhile by its exit status, and in the file. An export reads each portal until two
// readings are equal, four times at most. A change comes before some of the readings after the first.
func TestAnExportSaysWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		createCategory := func(f *filled, t testing.TB, n int64) {
			f.NewCategory(t, f.Portal, tree.Category{Name: fmt.Sprint("new", n)})
		}
		for name, c := range map[string]struct {
			changes  int64 // how many readings a change comes before
			change   func(f *filled, t testing.TB, n int64)
			status   int
			want     string
			readings int64
		}{
			"nothing":                           {0, nil, 0, "", 2},
			"a category is created":             {1, createCategory, 0, "", 3},
			"a category is created, twice":      {2, createCategory, 0, "", 4},
			"categories are created, each time": {3, createCategory, 3, "was changed at every reading", 4},
			// Only the version tells that this category was not the same all the time.
			"a category is changed, and changed back": {3, func(f *filled, t testing.TB, _ int64) {
				update := f.Table.UpdateItem(f.Portal.Category(f.refund)).Add("version", 2)
				if err := update.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, 3, "was changed at every reading", 4},
			"a link to a category changes nothing of it": {3, func(f *filled, t testing.TB, _ int64) {
				index := f.Portal.IndexItem(f.refund, "SUB", 4711)
				if err := f.Table.Put(fixture.Object{"PK": index.PK, "SK": index.SK}).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, 0, "", 2},
			"the portal gets another name, each time": {3, func(f *filled, t testing.TB, n int64) {
				f.of(t).prints("portal", "update", "--account", "1", "--slug", f.Portal.Slug, "--name", fmt.Sprint(n))
			}, 3, "was changed at every reading", 4},
			"a member goes": {1, func(f *filled, t testing.TB, _ int64) {
				f.of(t).prints("portal", "remove-member", "--yes", "--account", "1", "--slug", f.Portal.Slug,
					f.Agent.ID.String())
			}, 0, "", 3},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				f := newFilled(t)
				// Each reading begins with a batch, which has the portal's record, and has two queries.
				var queries, changed atomic.Int64
				changing := f.refusing(func(operation string) string {
					n := queries.Load() / 2
					switch {
					case operation == "Query":
						queries.Add(1)
					case operation == "BatchGetItem" && n <= c.changes && changed.CompareAndSwap(n-1, n):
						c.change(f, t, n)
					}
					return ""
				})
				exported, said, err := exportOf(changing, f.Portal)
				expect.Equal(t, commandline.ExitStatus(err), c.status, "exit status")
				expect.Contains(t, said, c.want)
				expect.Equal(t, queries.Load()/2, c.readings, "readings")
				recordsIn(t, exported)
				if c.status != 0 {
					expect.Contains(t, exported, `"changed":[{"account":1,"portal":"`+f.Portal.Slug+`"}]`, "export")
				}
			})
		}
	})
}

// exportOf exports a portal to standard output. It returns what was printed there, and beside it.
func exportOf(o *shell, p table.Portal) (exported, said string, err error) {
	var out, log bytes.Buffer
	o.Out, o.Err = &out, &log
	err = o.session.run(o.Context(), []string{
		"--local=" + o.file, "export", "--account", p.Account.String(), "--slug", p.Slug,
	})
	return out.String(), log.String(), err
}

// TestAnExportSaysWhichUserIsGone when a member is deleted between the portal's reading and the user's.
func TestAnExportSaysWhichUserIsGone(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		f := newFilled(t)
		var queries atomic.Int64
		deleting := f.refusing(func(operation string) string {
			switch {
			case operation == "Query":
				queries.Add(1)
			case operation == "BatchGetItem" && queries.CompareAndSwap(4, 5): // after the two readings of the portal
				f.of(t).prints("user", "delete", "--yes", f.Agent.ID.String())
			}
			return ""
		})
		exported, said, err := exportOf(deleting, f.Portal)
		expect.Equal(t, commandline.ExitStatus(err), 3, "exit status")
		expect.Contains(t, said, "was deleted meanwhile: an import refuses the lines that name it")
		recordsIn(t, exported)
	})
}
