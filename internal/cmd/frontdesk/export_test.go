package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
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
	f.guides = o.NewCategory(t, f.Portal, changeset.Category{Name: "guides", Position: new(int64(-1))})
	f.billing = o.NewCategory(t, f.Portal, changeset.Category{
		Name: "billing", Parent: f.guides, Description: new("<b> & \u2028\u202e"),
	})
	f.refund = o.NewCategory(t, f.Portal, changeset.Category{
		Name: "refund", Parent: f.billing, Root: f.guides, Related: []id.ID{f.guides, f.billing},
	})
	f.other = o.NewPortal(t, 2, "other", "en", "es")
	o.AddMember(t, f.other, f.Agent.ID)
	// The membership is marked as one that the app has made.
	byApp := o.Table.UpdateItem(f.other.Member(f.Agent.ID)).Set("app", f.App.ID)
	if err := byApp.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.there = o.NewCategory(t, f.other, changeset.Category{Name: "guides"})
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

// exported returns the records of an export to standard output, and checks each against the schema.
func (o *shell) exported(args ...string) (records []transfer.Record) {
	o.Helper()
	return recordsIn(o.T, o.prints(append([]string{"export"}, args...)...))
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

// names returns what records are about, sorted. A record without a name of its own is its kind alone.
func names(records []transfer.Record) string {
	var named []string
	for _, record := range records {
		of := ""
		switch r := record.(type) {
		case transfer.Portal:
			of = r.Slug
		case transfer.Category:
			of = r.Slug
		case transfer.Member:
			of = r.Portal
		case transfer.User:
			of = r.Name
		case transfer.Unsubscribe:
			of = r.List
		}
		named = append(named, strings.TrimSpace(string(record.Kind())+" "+of))
	}
	slices.Sort(named)
	return strings.Join(named, ", ")
}

// TestAnExportHasWhatIsAskedFor: each flag selects records, together with the users whom they name. An export of a
// part can be imported by itself, because it has everybody whom its records name.
func TestAnExportHasWhatIsAskedFor(t *testing.T) {
	f := newFilled(t)
	slug := f.Portal.Slug
	portal := "category billing, category guides, category refund, member " + slug + ", portal " + slug + ", user Agent"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a portal, with the users who are its members": {[]string{"--account", "1", "--slug", slug}, portal},
		"an account": {
			[]string{"--account", "2"}, "category guides, member other, portal other, user Agent",
		},
		"the users of an app, with its links": {
			[]string{"--app", f.App.ID.String()}, "link, link, user Agent, user Zoë",
		},
		"all": {
			[]string{"--all"},
			"category billing, category guides, category guides, category refund, link, link, " +
				"member " + slug + ", member other, portal " + slug + ", portal other, " +
				"unsubscribe, unsubscribe news, user Agent, user Zoë",
		},
	} {
		f.Run(name, func(t *testing.T) {
			expect.Equal(t, "records", names(f.of(t).exported(c.args...)), c.want)
		})
	}
	mustRefuse(f.shell, map[string]refused{
		"nothing is asked for":   {[]string{"export"}, "expected one of --account, --app and --all"},
		"two things":             {[]string{"export", "--all", "--app", "1"}, "expected one of --account, --app"},
		"a slug without account": {[]string{"export", "--all", "--slug", "x"}, "--slug is a portal of an account"},
		"a portal that is not":   {[]string{"export", "--account", "1", "--slug", "x"}, "account 1 has no portal x"},
		"an account without one": {[]string{"export", "--account", "3"}, "account 3 has no portal"},
		"an app that is not":     {[]string{"export", "--app", "1"}, "there is no platform app 1"},
		// An earlier export may be the only copy of what it holds.
		"a file that is there":    {[]string{"export", "--all", f.file}, "file exists"},
		"a folder that is not":    {[]string{"export", "--all", "/nowhere/file"}, "no such file"},
		"an account that is none": {[]string{"export", "--account", "x"}, "account"},
	})
}

// TestAnExportTellsAll that the table has of a record, with its texts unchanged. Attributes keep even the spelling of
// their JSON: 1.0 and an escaped letter come out as an app wrote them.
func TestAnExportTellsAll(t *testing.T) {
	f := newFilled(t)
	for _, record := range f.exported("--all") {
		switch r := record.(type) {
		case transfer.Portal:
			if r.Slug == "other" {
				expect.Equal(t, "locales", fmt.Sprintln(r.Locales, r.FormerLocales, r.DefaultLocale, r.Public),
					"[es] [en] es true\n")
			}
		case transfer.Category:
			switch r.ID {
			case f.guides:
				expect.Equal(t, "position", *r.Position, -1)
			case f.billing:
				expect.Equal(t, "parent", r.Parent, f.guides)
				expect.Equal(t, "description", *r.Description, "<b> & \u2028\u202e")
			case f.refund:
				expect.Equal(t, "links", fmt.Sprint(r.Parent, r.Root, r.Related),
					fmt.Sprint(f.billing, f.guides, []id.ID{f.guides, f.billing}))
			}
		case transfer.User:
			if r.ID == f.stranger.ID {
				expect.Equal(t, "attributes", string(r.CustomAttributes), `{"a":"\u0041<&>","n":1.0}`)
				expect.Equal(t, "email", r.Email, "Zoe@Example.org")
				expect.Equal(t, "created", r.CreatedAt, f.stranger.CreatedAt)
			}
		case transfer.Unsubscribe:
			expect.Equal(t, "by", r.By, "operator")
		}
	}
}

// TestAnExportHasNoSecret. It has hashes of passwords only on request. Whoever has a hash can try passwords against
// it at home, so an operator has to ask for them.
func TestAnExportHasNoSecret(t *testing.T) {
	f := newFilled(t)
	without := f.prints("export", "--all")
	for _, secret := range []string{"argon2id", f.AppToken, f.AgentToken, f.MailKeyText, "digest", "secret"} {
		expect.Lacks(t, "export", without, secret)
	}
	hashes := 0
	for _, record := range f.exported("--all", "--with-password-hashes") {
		if u, ok := record.(transfer.User); ok {
			matches, err := new(user.Service).Matches(fixture.Password, u.OwnPasswordHash)
			expect.Equal(t, "the hash is the password's", fmt.Sprint(matches, err), "true <nil>")
			hashes++
		}
	}
	expect.Equal(t, "hashes", hashes, 2)
}

// TestAnExportIntoAFile: only its owner may read it. It has what standard output would get, and is removed if it
// is incomplete.
func TestAnExportIntoAFile(t *testing.T) {
	f := newFilled(t)
	path := filepath.Join(t.TempDir(), "export.ndjson")
	said := f.prints("export", path, "--all")
	expect.Contains(t, "said", said, "4  category\n")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "info.Mode().Perm()", info.Mode().Perm(), 0o600)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "records", names(recordsIn(t, string(text))), names(f.exported("--all")))

	failing := f.refusing(func(operation string) string {
		if operation == "Scan" {
			return "AccessDeniedException"
		}
		return ""
	})
	cut := path + "2"
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
			f.NewCategory(t, f.Portal, changeset.Category{Name: "new"})
		}, 3, "was changed meanwhile"},
		// Only the version tells that this category was not the same all the time.
		"a category is changed, and changed back": {func(f *filled, t *testing.T) {
			update := f.Table.UpdateItem(f.Portal.Category(f.refund)).Add("version", 2)
			if err := update.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, 3, "was changed meanwhile"},
		// The count of incoming links is not part of a record.
		"a link to a category alone changes nothing of it": {func(f *filled, t *testing.T) {
			update := f.Table.UpdateItem(f.Portal.Category(f.refund)).Add("incoming", 1)
			if err := update.Run(t.Context()); err != nil {
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
			expect.Equal(t, "exit status", commandline.ExitStatus(err), c.status)
			expect.Contains(t, "said", said.String(), c.want)
			recordsIn(t, out.String())
			if c.want == "was changed meanwhile" {
				expect.Contains(t, "export", out.String(), `"changed":[{"account":1,"portal":"`+f.Portal.Slug+`"}]`)
			}
		})
	}
}
