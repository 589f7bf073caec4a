package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/tree"
	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/unsubscribe"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
	"frontdesk/internal/user"

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
func newFilled(t *testing.T) *filled {
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
func recordsIn(t *testing.T, file string) (records []transfer.Record) {
	t.Helper()
	schema := transferSchema(t)
	for line := range strings.Lines(file) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	err := transfer.Read(strings.NewReader(file), func(at transfer.Position, r transfer.Record, err error) error {
		if err != nil {
			return fmt.Errorf("line %d: %w", at.Line, err)
		}
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// transferSchema returns the published schema of the format, which others use to check their files.
func transferSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../../docs/transfer.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestAnExportThatFailsLeavesNoFile: half of an export would be taken for a whole one.
func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
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
}

// TestAnExportSaysWhatChangedMeanwhile by its exit status, and in the file. An export reads each portal twice, and
// compares. The change comes between the two readings.
func TestAnExportSaysWhatChangedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*filled, *testing.T)
		status int
		want   string
	}{
		"nothing": {func(*filled, *testing.T) {}, 0, ""},
		"a category is created": {func(f *filled, t *testing.T) {
			f.NewCategory(t, f.Portal, tree.Category{Name: "new"})
		}, 3, "was changed meanwhile"},
		// Only the version tells that this category was not the same all the time.
		"a category is changed, and changed back": {func(f *filled, t *testing.T) {
			update := f.Table.UpdateItem(f.Portal.Category(f.refund)).Add("version", 2)
			if err := update.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, 3, "was changed meanwhile"},
		"a link to a category changes nothing of it": {func(f *filled, t *testing.T) {
			index := f.Portal.IndexItem(f.refund, "SUB", 4711)
			if err := f.Table.Put(fixture.Object{"PK": index.PK, "SK": index.SK}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, 0, ""},
		"the portal gets another name": {func(f *filled, t *testing.T) {
			f.of(t).prints("portal", "update", "--account", "1", "--slug", f.Portal.Slug, "--name", "x")
		}, 3, "was changed meanwhile"},
		"a member goes": {func(f *filled, t *testing.T) {
			f.of(t).prints("portal", "remove-member", "--yes", "--account", "1", "--slug", f.Portal.Slug,
				f.Agent.ID.String())
		}, 3, "was changed meanwhile"},
		"a member is deleted": {func(f *filled, t *testing.T) {
			f.of(t).prints("user", "delete", "--yes", f.Agent.ID.String())
		}, 3, "was deleted meanwhile: an import refuses the lines that name it"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFilled(t)
			var queries atomic.Int64
			changing := f.refusing(func(operation string) string {
				switch {
				case operation == "Query":
					queries.Add(1)
				case operation == "BatchGetItem" && queries.CompareAndSwap(2, 3): // second reading begins
					c.change(f, t)
				}
				return ""
			})
			var out, said bytes.Buffer
			changing.Out, changing.Err = &out, &said
			err := changing.session.run(t.Context(),
				[]string{"--local=" + changing.file, "export", "--account", "1", "--slug", f.Portal.Slug})
			expect.Equal(t, commandline.ExitStatus(err), c.status, "exit status")
			expect.Contains(t, said.String(), c.want)
			recordsIn(t, out.String())
			if c.want == "was changed meanwhile" {
				expect.Contains(t, out.String(), `"changed":[{"account":1,"portal":"`+f.Portal.Slug+`"}]`, "export")
			}
		})
	}
}
