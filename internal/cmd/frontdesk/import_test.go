package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
	incoming "frontdesk/internal/transfer/importing"
	"frontdesk/internal/user"
)

// imported is what an import prints.
type imported struct {
	Wrong, Differing []incoming.Fault
	Records          map[transfer.Kind]incoming.Counts
	NewIDs           int `json:"new_ids"`
}

// empty is another table of the stack, with an app and a mail key of its own, and the flags that an import into
// it needs.
type empty struct {
	*shell
	name  string
	flags []string // for the import of a filled table
}

// empty creates the table. Its app and its key have other ids than those of the filled one, as after a move to
// another stack. The rate is so high that no test waits for it.
func (f *filled) empty() *empty {
	f.Helper()
	e := &empty{shell: f.shell, name: f.Table.Name() + "-" + id.New().String()}
	f.prints("--table-name", e.name, "table", "create")
	app := printed[createdApp](e.shell, "--table-name", e.name, "platform-app", "create", "--name", "new")
	key := printed[createdKey](e.shell, "--table-name", e.name, "mail-key", "create", "--name", "new",
		"--from", "example.com")
	e.flags = []string{
		"--rate", "100000",
		"--app", fmt.Sprintf("%d=%d", f.App.ID, app.ID), "--mail-key", fmt.Sprintf("%d=%d", f.MailKey.ID, key.ID),
	}
	return e
}

// args returns a command line on this table.
func (e *empty) args(args ...string) []string {
	return append([]string{"--table-name", e.name}, args...)
}

// imports imports a file.
func (e *empty) imports(file string, flags ...string) imported {
	e.Helper()
	return printed[imported](e.shell, e.importArgs(file, flags...)...)
}

// importArgs returns the command line of an import, with a new file for the ids.
func (e *empty) importArgs(file string, flags ...string) []string {
	ids := filepath.Join(e.TempDir(), "ids")
	return e.args(slices.Concat([]string{"import", file, "--ids", ids}, e.flags, flags)...)
}

// has returns all records of the table, and checks that the table is whole.
func (e *empty) has() []transfer.Record {
	e.Helper()
	e.prints(e.args("check")...)
	return recordsIn(e.T, e.prints(e.args("export", "--all", "--with-password-hashes")...))
}

// portable returns the lines of records, sorted, with names instead of ids: of apps and mail keys, of which there is
// one each, of users and, unless they are kept, of categories. Two tables with the same content have the same
// portable lines.
func portable(t *testing.T, records []transfer.Record, keptIDs bool) (lines []string) {
	t.Helper()
	users, categories := map[id.ID]id.ID{}, map[id.ID]id.ID{0: 0}
	var emails, slugs []string
	for _, record := range records {
		switch r := record.(type) {
		case transfer.User:
			emails = append(emails, r.Email)
		case transfer.Category:
			slugs = append(slugs, r.Portal+"#"+r.Slug)
		}
	}
	slices.Sort(emails)
	slices.Sort(slugs)
	for _, record := range records {
		switch r := record.(type) {
		case transfer.User:
			users[r.ID] = id.ID(slices.Index(emails, r.Email) + 1)
		case transfer.Category:
			categories[r.ID] = r.ID
			if !keptIDs {
				categories[r.ID] = id.ID(slices.Index(slugs, r.Portal+"#"+r.Slug) + 1)
			}
		}
	}
	for _, record := range records {
		switch r := record.(type) {
		case transfer.User:
			r.ID = users[r.ID]
			record = r
		case transfer.Member:
			r.User, r.App = users[r.User], min(r.App, 1)
			record = r
		case transfer.Link:
			r.App, r.User = 1, users[r.User]
			record = r
		case transfer.Unsubscribe:
			r.MailKey = 1
			record = r
		case transfer.Category:
			r.ID, r.Parent, r.Root = categories[r.ID], categories[r.Parent], categories[r.Root]
			r.Related = slices.Clone(r.Related)
			for i, related := range r.Related {
				r.Related[i] = categories[related]
			}
			record = r
		}
		line, err := transfer.Line(record)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	return lines
}

// mustBeAs compares the lines of two exports. It names each line that is too much or missing, because the difference
// of two long texts says little.
func mustBeAs(t *testing.T, got, want []string) {
	t.Helper()
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("there is too much: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("there is missing: %s", line)
		}
	}
	expect.Len(t, "lines", got, len(want))
}

// timed gives the categories times, which fixtures leave out, and links that make circles.
func (f *filled) timed() *filled {
	f.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	for _, key := range []table.Key{
		f.Portal.Category(f.guides), f.Portal.Category(f.billing), f.Portal.Category(f.refund),
		f.other.Category(f.there),
	} {
		update := f.Table.UpdateItem(key).Set("created_at", at).Set("updated_at", at.Add(time.Hour))
		if err := update.Run(f.Context()); err != nil {
			f.Fatal(err)
		}
		at = at.Add(time.Minute)
	}
	f.change(f.guides, func(c *changeset.Category) { c.Root, c.Related = f.refund, []id.ID{f.refund, f.billing} })
	f.change(f.billing, func(c *changeset.Category) { c.Related = []id.ID{f.refund} })
	f.MustBeWhole(f.T)
	return f
}

// change changes a category as an agent would, but keeps its time. A request of the API would set the time of the
// change to now.
func (f *filled) change(category id.ID, change func(*changeset.Category)) {
	f.Helper()
	key := f.Portal.Category(category)
	items, err := f.Table.Read(f.Context(), key)
	if err != nil {
		f.Fatal(err)
	}
	var read changeset.Record
	if _, err := items.Get(key, &read); err != nil {
		f.Fatal(err)
	}
	after := read.Category()
	change(&after)
	cs := changeset.New(f.Table, f.Portal)
	if err := cs.Update(f.Context(), read, after, items); err != nil {
		f.Fatal(err)
	}
	if err := cs.Run(f.Context()); err != nil {
		f.Fatal(err)
	}
}

// export exports everything, and returns the path of a file with its lines in random order. Random, because an import
// must not depend on the order in which an export writes.
func (f *filled) export() (path string, records []transfer.Record) {
	f.Helper()
	text := f.prints("export", "--all", "--with-password-hashes")
	lines := strings.SplitAfter(text, "\n")
	inner := lines[1 : len(lines)-2] // without the first line, the last line, and the empty text after it
	rand.Shuffle(len(inner), func(i, j int) { inner[i], inner[j] = inner[j], inner[i] })
	return write(f.T, strings.Join(lines, "")), recordsIn(f.T, text)
}

// TestWhatLeavesComesIn: an export, imported into an empty table and exported again, is the same. Only ids of users
// differ, and those of categories unless they are kept.
func TestWhatLeavesComesIn(t *testing.T) {
	f := newFilled(t).timed()
	file, records := f.export()
	for name, flags := range map[string][]string{"new ids": nil, "kept ids": {"--keep-ids"}} {
		f.Run(name, func(t *testing.T) {
			kept := flags != nil
			e := (&filled{shell: f.of(t), Tenant: f.Tenant}).empty()
			done := e.imports(file, flags...)
			expect.Equal(t, "categories", fmt.Sprint(done.Records[transfer.KindCategory]), "{4 0 0 0}")
			expect.Equal(t, "users", fmt.Sprint(done.Records[transfer.KindUser]), "{2 0 0 0}")
			mustBeAs(t, portable(t, e.has(), kept), portable(t, records, kept))
		})
	}
}

// TestASecondImportChangesNothing, and makes no write. So an import may be repeated at any time, even where nobody
// knows how far the first one came.
func TestASecondImportChangesNothing(t *testing.T) {
	f := newFilled(t).timed()
	file, _ := f.export()
	e := f.empty()
	e.imports(file)
	before := e.has()
	var writes atomic.Int64
	counted := e.refusing(func(operation string) string {
		// Whatever does not read counts as a write.
		if operation != "Scan" && operation != "Query" && operation != "BatchGetItem" {
			writes.Add(1)
		}
		return ""
	})
	for _, flags := range [][]string{nil, {"--update"}, {"--keep-ids"}} {
		done := printed[imported](counted, e.importArgs(file, flags...)...)
		expect.Equal(t, "categories", fmt.Sprint(done.Records[transfer.KindCategory]), "{0 4 0 0}")
		expect.Equal(t, "users", fmt.Sprint(done.Records[transfer.KindUser]), "{0 2 0 0}")
		expect.Equal(t, "links", fmt.Sprint(done.Records[transfer.KindLink]), "{0 2 0 0}")
	}
	expect.Equal(t, "writes", writes.Load(), 0)
	mustBeAs(t, portable(t, e.has(), true), portable(t, before, true))
}

// TestAnInterruptedImportGoesOn after any of its writes, and leaves the table whole. Kept ids are the hardest case:
// the second run finds them taken, by what the first run wrote.
func TestAnInterruptedImportGoesOn(t *testing.T) {
	f := newFilled(t).timed()
	file, records := f.export()
	// The writes come in this order: portals, users, members, links of apps, unsubscribes, categories.
	for _, after := range []int64{0, 2, 5, 10, 12, 13, 14, 15} {
		f.Run(fmt.Sprintf("after %d writes", after), func(t *testing.T) {
			e := (&filled{shell: f.of(t), Tenant: f.Tenant}).empty()
			var writes atomic.Int64
			failing := e.refusing(func(operation string) string {
				if operation == "TransactWriteItems" && writes.Add(1) > after {
					return "AccessDeniedException"
				}
				return ""
			})
			if _, err := failing.frontdesk(e.importArgs(file, "--keep-ids")...); err == nil {
				t.Fatalf("it ended after %d writes", writes.Load())
			}
			e.prints(e.args("check")...)
			again := e.imports(file, "--keep-ids")
			expect.Len(t, "what differs", again.Differing, 0)
			expect.Equal(t, "ids that were not kept", again.NewIDs, 0)
			mustBeAs(t, portable(t, e.has(), true), portable(t, records, true))
		})
	}
}

// tree returns a file with a portal, a user, two categories, and further lines. The lines begin on line 6 of the
// file. Users and categories have their ids apart, so 1 stands for one of each.
func tree(lines ...string) string {
	return strings.Join(slices.Concat([]string{
		`{"frontdesk_transfer":1}`,
		`{"kind":"portal","account":5,"slug":"faq","name":"FAQ","locales":["en","es"]}`,
		`{"kind":"user","id":1,"name":"Ada","email":"ada@example.org","custom_attributes":{"a":1,"b":2}}`,
		`{"kind":"category","account":5,"portal":"faq","id":1,"name":"One","slug":"one"}`,
		`{"kind":"category","account":5,"portal":"faq","id":2,"name":"Two","slug":"two","parent_category_id":1}`,
	}, lines, []string{`{"kind":"end"}`}), "\n") + "\n"
}

// TestEverythingWrongIsSaidByLine before anything is written. A person mends a file by hand, so one run names all its
// faults, each by its line, in the words in which the API refuses the same.
func TestEverythingWrongIsSaidByLine(t *testing.T) {
	f := newFilled(t)
	before := f.Items(t)
	category := func(fields string) string {
		return `{"kind":"category","account":5,"portal":"faq","name":"Three","slug":"three",` + fields + `}`
	}
	// Ids rise with time. A kept id of the future would one day collide with a new category.
	future := (id.New() + 1<<40).String()
	for name, c := range map[string]struct {
		lines []string
		want  []string // faults from line 6 on
	}{
		// The tree itself is right. Otherwise each case below would prove nothing.
		"nothing": {nil, nil},
		"an unknown parent": {
			[]string{category(`"id":3,"parent_category_id":9`)},
			[]string{"6: Parent category must exist"},
		},
		"an unknown root": {
			[]string{category(`"id":3,"associated_category_id":9`)},
			[]string{"6: Associated category must exist"},
		},
		"an unknown related": {
			[]string{category(`"id":3,"related_category_ids":[1,9]`)},
			[]string{"6: Related categories must exist"},
		},
		// The order of lines does not matter: parents are checked after the whole file was read.
		"a parent that comes later": {[]string{
			category(`"id":3,"parent_category_id":4`), strings.Replace(category(`"id":4`), `"three"`, `"four"`, 1),
		}, nil},
		// Category 5 hangs below the circle and is no part of it, so only the two others are faulty.
		"a circle": {[]string{
			category(`"id":3,"parent_category_id":4`),
			strings.Replace(category(`"id":4,"parent_category_id":3`), `"three"`, `"four"`, 1),
			strings.Replace(category(`"id":5,"parent_category_id":4`), `"three"`, `"five"`, 1),
		}, []string{
			"6: category 3 is above itself: its parents make a circle",
			"7: category 4 is above itself: its parents make a circle",
		}},
		"a slug twice": {
			[]string{strings.Replace(category(`"id":3`), "three", "one", 1)},
			[]string{"6: the slug one in the locale en is on line 4 as well"},
		},
		// Only the line with the fault is told, and no line that names what stands there.
		"records with a fault that others name": {[]string{
			`{"kind":"user","id":9,"name":9,"email":"nine@example.org"}`,
			`{"kind":"member","account":5,"portal":"faq","user":9}`,
			strings.Replace(category(`"id":3`), `"Three"`, "3", 1),
			strings.Replace(category(`"id":4,"parent_category_id":3`), `"three"`, `"four"`, 1),
			`{"kind":"portal","account":5,"slug":"new","name":7,"locales":["en"]}`,
			`{"kind":"member","account":5,"portal":"new","user":9}`,
		}, []string{"6: name must be a string", "8: name must be a string", "10: name must be a string"}},
		// Slugs are unique in a locale only.
		"a slug in another locale": {
			[]string{strings.Replace(category(`"id":3,"locale":"es"`), "three", "one", 1)}, nil,
		},
		"an id twice": {
			[]string{category(`"id":1`)},
			[]string{"6: the file has category 1 of portal faq of account 5 twice"},
		},
		"a locale that is not the portal's": {
			[]string{category(`"id":3,"locale":"fr"`)},
			[]string{`6: Locale fr of category is not part of portal's ["en","es"].`},
		},
		"a name that is too long": {
			[]string{strings.Replace(category(`"id":3`), "Three", strings.Repeat("x", 256), 1)},
			[]string{"6: Name is too long (maximum is 255 characters)"},
		},
		"a portal that is not there": {
			[]string{strings.Replace(category(`"id":3`), "faq", "x", 1)},
			[]string{"6: there is no portal x of account 5 in the file or in the table"},
		},
		"a portal twice": {
			[]string{`{"kind":"portal","account":5,"slug":"faq","name":"FAQ","locales":["en"]}`},
			[]string{"6: portal faq of account 5 is on line 2 as well"},
		},
		"a portal without locales": {
			[]string{`{"kind":"portal","account":5,"slug":"x","name":"X","locales":[]}`},
			[]string{"6: a portal needs at least one locale"},
		},
		"a bad address": {
			[]string{`{"kind":"user","id":2,"name":"Ben","email":"ben"}`},
			[]string{`6: Email "ben" is not a valid e-mail address`},
		},
		// Addresses are compared without regard to case.
		"an address twice": {
			[]string{`{"kind":"user","id":2,"name":"Ben","email":"ADA@example.org"}`},
			[]string{"6: the e-mail address ADA@example.org is on line 3 as well"},
		},
		"a hash of another kind": {
			[]string{`{"kind":"user","id":2,"name":"Ben","email":"ben@example.org","password_hash":"x"}`},
			[]string{"6: Password hash must be of bcrypt"},
		},
		// A user has one password, and nobody could say which hash is right.
		"two hashes": {
			[]string{`{"kind":"user","id":2,"name":"Ben","email":"ben@example.org","password_hash":"` + bcrypt +
				`","frontdesk_password_hash":"` + new(user.Service).DummyHash() + `"}`},
			[]string{"6: Password hash can't be given beside a frontdesk password hash"},
		},
		// The field is for hashes that an export of frontdesk wrote, so anything but argon2id is a mistake in it.
		"a hash that is not ours": {
			[]string{`{"kind":"user","id":2,"name":"Ben","email":"ben@example.org","frontdesk_password_hash":"` +
				bcrypt + `"}`},
			[]string{"6: Frontdesk password hash must be of argon2id, as frontdesk writes it"},
		},
		"a member who is not there": {
			[]string{`{"kind":"member","account":5,"portal":"faq","user":2}`}, []string{"6: the file has no user 2"},
		},
		// An app has a secret, which no file has, so an import cannot create one.
		"an app that is not there": {
			[]string{`{"kind":"link","app":2,"user":1}`},
			[]string{"6: there is no platform app 2 here: --app OLD=NEW says which one takes its place"},
		},
		"a mail key that is not there": {
			[]string{`{"kind":"unsubscribe","mail_key":2,"email":"a@example.org"}`},
			[]string{"6: there is no mail key 2 here: --mail-key OLD=NEW says which one takes its place"},
		},
		"a list that is none": {
			[]string{fmt.Sprintf(`{"kind":"unsubscribe","mail_key":%d,"email":"a@b.org","list":"A"}`, f.MailKey.ID)},
			[]string{"6: list must be 1 to 64"},
		},
		"an id that is to come": {
			[]string{category(`"id":` + future)}, []string{"6: the id " + future + " is from the future"},
		},
		// Every line is reported, even if an earlier one is not JSON.
		"several things": {
			[]string{"x", category(`"id":3,"extra":1`), category(`"id":4,"parent_category_id":9`)},
			[]string{"6: the record is not valid JSON", "7: a category has no extra", "8: Parent category must exist"},
		},
	} {
		f.Run(name, func(t *testing.T) {
			o := f.of(t)
			path := write(t, tree(c.lines...))
			out, err := o.frontdesk("--json", "import", path, "--dry-run", "--keep-ids")
			var said imported
			if err := json.Unmarshal([]byte(out), &said); err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			expect.Len(t, "what is wrong", said.Wrong, len(c.want))
			expect.Equal(t, "it fails", err != nil, len(c.want) > 0)
			for i, want := range c.want {
				wrong := said.Wrong[i]
				expect.HasPrefix(t, "what is wrong", fmt.Sprintf("%d: %s", wrong.Line, wrong.What), want)
			}
			if len(c.want) == 0 {
				return
			}
			// Without --dry-run the same file is refused as a whole.
			_, err = o.frontdesk("import", path, "--keep-ids")
			expect.Contains(t, "error of an import", fmt.Sprint(err), "nothing was written")
		})
	}
	expect.Len(t, "items", f.Items(t), len(before))
}

// TestWhatDiffersIsTold. Only --update changes it, and never passwords and e-mail addresses. The four numbers of a
// kind are: created, unchanged, changed, differs. An e-mail address in another case counts as the same one.
func TestWhatDiffersIsTold(t *testing.T) {
	f := newFilled(t)
	first := tree(`{"kind":"member","account":5,"portal":"faq","user":1}`)
	f.prints("import", write(t, first), "--ids", filepath.Join(t.TempDir(), "ids"))
	changes := strings.NewReplacer(`"FAQ"`, `"Help"`, `"Ada"`, `"Ada L."`, "ada@example.org", "ADA@example.org",
		`"Two"`, `"Second"`, `,"parent_category_id":1`, `,"description":"x"`,
		`"a":1,"b":2`, `"b":null`)
	second := write(t, changes.Replace(first))
	importing := func(flags ...string) imported {
		ids := filepath.Join(t.TempDir(), id.New().String())
		return printed[imported](f.shell, slices.Concat([]string{"import", second, "--ids", ids}, flags)...)
	}
	tells := func(name string, done imported, want string) {
		t.Helper()
		var said []string
		for _, kind := range []transfer.Kind{
			transfer.KindPortal, transfer.KindUser, transfer.KindCategory, transfer.KindMember,
		} {
			said = append(said, fmt.Sprint(done.Records[kind]))
		}
		expect.Equal(t, name, strings.Join(said, " "), want)
	}
	told := importing()
	tells("without --update", told, "{0 0 0 1} {0 0 0 1} {0 1 0 1} {0 1 0 0}")
	for i, want := range []string{
		"portal faq of account 5 differs: name", "differs: custom_attributes, name",
		"differs: description, name, parent",
	} {
		expect.Contains(t, "what differs", told.Differing[i].What, want)
	}
	before := printed[user.User](f.shell, "user", "show", "--email", "ada@example.org")
	expect.Equal(t, "name", before.Name, "Ada")
	tells("with --update", importing("--update"), "{0 0 1 0} {0 0 1 0} {0 1 1 0} {0 1 0 0}")
	// An update that is repeated finds nothing to change.
	tells("again", importing("--update"), "{0 1 0 0} {0 1 0 0} {0 2 0 0} {0 1 0 0}")
	after := printed[user.User](f.shell, "user", "show", "--email", "ada@example.org")
	expect.Equal(t, "name", after.Name, "Ada L.")
	expect.Equal(t, "email", after.Email, "ada@example.org")
	// Attributes are replaced as a whole, unlike by a PATCH of the API: a is gone, and null is a value.
	expect.Equal(t, "custom attributes", after.CustomAttributes, `{"b":null}`)
	expect.Equal(t, "id", after.ID, before.ID)
	f.MustBeWhole(t)
}

// TestATreeIsTurnedAround by --update, even if on the way a parent would be below its own child. A chain of four
// categories is turned upside down. Line by line, the first update would make a circle, which the API refuses.
func TestATreeIsTurnedAround(t *testing.T) {
	f := newFilled(t)
	line := func(category, parent int) string {
		return fmt.Sprintf(`{"kind":"category","account":5,"portal":"faq","id":%d,"name":"Of a line","slug":"of-%d"%s}`,
			category, category, map[bool]string{true: fmt.Sprintf(`,"parent_category_id":%d`, parent)}[parent > 0])
	}
	down := write(t, tree(line(11, 0), line(12, 11), line(13, 12), line(14, 13)))
	up := write(t, tree(line(11, 12), line(12, 13), line(13, 14), line(14, 0)))
	importing := func(file string, flags ...string) imported {
		ids := filepath.Join(t.TempDir(), id.New().String())
		return printed[imported](f.shell, slices.Concat([]string{"import", file, "--ids", ids}, flags)...)
	}
	importing(down)
	expect.Equal(t, "turned", fmt.Sprint(importing(up, "--update").Records[transfer.KindCategory]), "{0 2 4 0}")
	expect.Equal(t, "again", fmt.Sprint(importing(up, "--update").Records[transfer.KindCategory]), "{0 6 0 0}")
	f.MustBeWhole(t)
}

// TestWhatIsWrongWithAFileIsNotTheTables: the error names only the file. The cause of a file's error is a [net.Error]
// for Go, too.
func TestWhatIsWrongWithAFileIsNotTheTables(t *testing.T) {
	o := onStack(t)
	there := write(t, "")
	for _, args := range [][]string{{"import", t.TempDir()}, {"import", there + "-not"}, {"export", "--all", there}} {
		_, err := o.frontdesk(args...)
		expect.Lacks(t, "error", fmt.Sprint(err), "nothing answers")
		expect.Contains(t, "error", fmt.Sprint(err), args[len(args)-1])
	}
}

// TestIDsAreKeptWhereTheyAreFree: an id is free if no category and no item of one has it.
func TestIDsAreKeptWhereTheyAreFree(t *testing.T) {
	f := newFilled(t)
	// Id 2 is free as a category, but a link names it: a new category 2 would inherit that link.
	ref := changeset.NewRef(f.other, 2, changeset.Link{Kind: "SUB", Target: 1})
	if err := f.Table.Put(ref).Run(t.Context()); err != nil { // a link between two lost categories
		t.Fatal(err)
	}
	file := write(t, tree(
		`{"kind":"category","account":5,"portal":"faq","id":3,"name":"Three","slug":"three"}`,
		fmt.Sprintf(`{"kind":"category","account":5,"portal":"faq","id":%d,"name":"Four","slug":"four"}`, f.guides),
	))
	ids := filepath.Join(t.TempDir(), "ids")
	done := printed[imported](f.shell, "import", file, "--keep-ids", "--ids", ids)
	// 1 and 2 are named by the link, and guides is a category of another portal. Only 3 is free.
	expect.Equal(t, "ids that are not kept", done.NewIDs, 3)
	info, err := os.Stat(ids)
	if err != nil {
		t.Fatal(err)
	}
	// The ids are of persons, so only the owner may read the file.
	expect.Equal(t, "info.Mode().Perm()", info.Mode().Perm(), 0o600)
	text, err := os.ReadFile(ids)
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]id.ID{}
	for line := range bytes.Lines(text) {
		var of incoming.NewID
		if err := json.Unmarshal(line, &of); err != nil {
			t.Fatal(err)
		}
		now[fmt.Sprint(of.Kind, of.Account, of.Portal, of.Old)] = of.New
	}
	expect.Equal(t, "the id that is free", now["category5faq3"], 3)
	for _, c := range []string{"category5faq1", "category5faq2", "category5faq" + f.guides.String()} {
		expect.AtLeast(t, c, now[c], f.guides)
	}
	shown := printed[user.User](f.shell, "user", "show", "--email", "ada@example.org")
	expect.Equal(t, "the user's id", now["user01"], shown.ID)
}

// bcrypt is the hash that PHP has made of a password. Its prefix is $2y$, where other programs write $2a$ or $2b$ for
// the same algorithm.
const bcrypt = "$2y$10$CjiGRCmXAC4/cwiWTF7HnOw3IYRyy88ng6OGPGYjKa9v2gHbN5vNS"

// TestAnImportKeepsPasswords whose hashes the file has: ours and those of other programs. A user without a hash gets
// one that no password fits: a sign-in then takes as long as any other that fails. A hash of argon2id with another cost
// than ours is another program's, whatever the file calls it: the first sign-in by password replaces it.
func TestAnImportKeepsPasswords(t *testing.T) {
	f := newFilled(t)
	e := f.empty()
	file, _ := f.export()
	e.imports(file)
	cheap := 0
	for _, record := range e.has() {
		if u, ok := record.(transfer.User); ok {
			matches, err := new(user.Service).Matches(fixture.Password, u.PasswordHash)
			expect.Equal(t, "the password is that of "+u.Name, fmt.Sprint(matches, err), "true <nil>")
			cheap++
		}
	}
	expect.Equal(t, "hashes of the tests' own cost", cheap, 2)

	ours := new(user.Service).DummyHash()
	costly := strings.Replace(ours, "m=19456,t=2,p=1", "m=65536,t=3,p=4", 1)
	short := strings.TrimSuffix(ours, strings.Repeat("A", 16))
	line := func(n int, name, field, hash string) string {
		return fmt.Sprintf(`{"kind":"user","id":%d,"name":%q,"email":"%[2]s@example.org",%[3]q:%[4]q}`,
			n, name, field, hash)
	}
	e.imports(write(t, tree(
		line(2, "bcrypt", "password_hash", bcrypt), line(3, "ours", "frontdesk_password_hash", ours),
		line(4, "costly", "frontdesk_password_hash", costly), line(5, "short", "frontdesk_password_hash", short),
	)))
	want := map[string]string{"Ada": ours, "bcrypt": "other " + bcrypt, "ours": ours, "costly": "other " + costly,
		"short": "other " + short}
	for _, record := range e.has() {
		u, ok := record.(transfer.User)
		if hash := want[u.Name]; ok && hash != "" {
			got := u.OwnPasswordHash
			if u.PasswordHash != "" {
				got = "other " + u.PasswordHash
			}
			expect.Equal(t, "hash of "+u.Name, got, hash)
			delete(want, u.Name)
		}
	}
	expect.Equal(t, "users who are not there", len(want), 0)
}

// TestAnImportSaysWhatItTakes before it writes, and refuses what it cannot do. An operator who reads that it takes
// hours can still interrupt it.
func TestAnImportSaysWhatItTakes(t *testing.T) {
	f := newFilled(t)
	path, ids := write(t, tree()), filepath.Join(t.TempDir(), "ids")
	mustRefuse(f.shell, map[string]refused{
		"no rate":            {[]string{"import", path, "--rate", "0"}, "--rate must be 1 at least"},
		"no such file":       {[]string{"import", "/nowhere/file"}, "no such file"},
		"a file of new ids":  {[]string{"import", path, "--ids", path}, "file exists"},
		"an app of no id":    {[]string{"import", path, "--app", "x=1"}, "--app"},
		"an app without one": {[]string{"import", path, "--app", "1"}, "--app"},
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "4 records, of which 50 are written in a second at most: 0s"},
		{[]string{"--rate", "1"}, "4 records, of which 1 are written in a second at most: 4s"},
	} {
		var said bytes.Buffer
		f.Err = &said
		f.prints(append([]string{"import", path, "--ids", ids + id.New().String()}, c.args...)...)
		expect.Equal(t, "said", said.String(), c.want+", if all of them are new\n")
	}
}

// TestATreeOfManyLinksComesIn, with links that make circles and lead to later lines, however often the import is
// interrupted. Each run may write 20 times, so the categories come in over several runs. After each of them the table
// must be whole.
func TestATreeOfManyLinksComesIn(t *testing.T) {
	e := newFilled(t).empty()
	records := manyLinks(60)
	file := write(t, fileOf(t, records))
	for interrupted := 0; ; interrupted++ {
		var writes atomic.Int64
		failing := e.refusing(func(operation string) string {
			if operation == "TransactWriteItems" && writes.Add(1) > 20 {
				return "AccessDeniedException"
			}
			return ""
		})
		_, err := failing.frontdesk(e.importArgs(file, "--keep-ids")...)
		e.prints(e.args("check")...)
		if err == nil {
			expect.AtLeast(t, "interruptions", interrupted, 3)
			break
		}
		if interrupted > len(records) {
			t.Fatalf("it does not come to its end: %v", err)
		}
	}
	mustBeAs(t, portable(t, e.has(), true), portable(t, records, true))
}

// manyLinks returns a portal and its categories, in any order. Every seventh category is at the top. The others are
// below an earlier one, and each has up to four related categories and a root, which may be anywhere.
func manyLinks(categories int) []transfer.Record {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var records []transfer.Record
	for n := range categories {
		other := func() id.ID { return id.ID((n+1+rand.N(categories-1))%categories + 1) }
		c := transfer.Category{
			Account: 5, Portal: "faq", ID: id.ID(n + 1), Name: "x", Slug: fmt.Sprint("c", n), Locale: "en",
			Root: other(), CreatedAt: at, UpdatedAt: at,
		}
		if n%7 > 0 {
			c.Parent = id.ID(rand.N(n) + 1)
		}
		for range rand.N(5) {
			if related := other(); !slices.Contains(c.Related, related) {
				c.Related = append(c.Related, related)
			}
		}
		records = append(records, c)
	}
	records = append(records, transfer.Portal{
		Account: 5, Slug: "faq", Name: "FAQ", Locales: []string{"en"}, DefaultLocale: "en", CreatedAt: at,
	})
	rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	return records
}

// fileOf returns a file with these records.
func fileOf(t *testing.T, records []transfer.Record) string {
	t.Helper()
	var file bytes.Buffer
	w, err := transfer.NewWriter(&file, time.Now().UTC())
	for _, record := range records {
		line, lineErr := transfer.Line(record)
		err = errors.Join(err, lineErr, w.Write(line))
	}
	if err := errors.Join(err, w.End(nil)); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
