package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	incoming "frontdesk/internal/operate/transfer/importing"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/tree"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/mail/unsubscribe"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"

	"github.com/guregu/dynamo/v2"
)

// imported is what an import prints.
type imported struct {
	Wrong, Existing, Differing []incoming.Note
	Records                    map[transfer.RecordKind]incoming.Counts
	NewIDs                     int `json:"new_ids"`
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
	there := f.Table.WithName(e.name)
	_, err := there.Create(f.Context())
	app, _, appErr := platformapp.Store{Table: there}.Create(f.Context(), platformapp.App{Name: "new"})
	key, _, keyErr := mailkey.Keys{Table: there}.Create(f.Context(), mailkey.Key{
		Name: "new", From: []string{"example.com"},
	})
	if err := errors.Join(err, appErr, keyErr); err != nil {
		f.Fatal(err)
	}
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
	return recordsIn(e.TB, e.prints(e.args("export", "--all", "--with-password-hashes")...))
}

// portable returns the lines of records, sorted, with names instead of ids: of apps and mail keys, of which there is
// one each, and of users and categories, unless they are kept. Two tables with the same content have the same
// portable lines.
func portable(t testing.TB, records []transfer.Record, keptIDs bool) (lines []string) {
	t.Helper()
	users, categories := map[transfer.ID]transfer.ID{}, map[transfer.ID]transfer.ID{"": ""}
	for _, record := range records {
		switch r := record.(type) {
		case transfer.User:
			users[r.ID] = r.ID
			if !keptIDs {
				users[r.ID] = transfer.ID(r.Email)
			}
		case transfer.Category:
			categories[r.ID] = r.ID
			if !keptIDs {
				categories[r.ID] = transfer.ID(r.Portal + "#" + r.Slug)
			}
		}
	}
	for _, record := range records {
		switch r := record.(type) {
		case transfer.User:
			r.ID = users[r.ID]
			// The tests' hashes are cheaper than ours, so an import takes them for another program's.
			r.PasswordHash, r.OwnPasswordHash = cmp.Or(r.PasswordHash, r.OwnPasswordHash), ""
			record = r
		case transfer.Member:
			r.User = users[r.User]
			if r.App != "" {
				r.App = "1"
			}
			record = r
		case transfer.Link:
			r.App, r.User = "1", users[r.User]
			record = r
		case transfer.Unsubscribe:
			r.MailKey = "1"
			record = r
		case transfer.Category:
			r.ID, r.Parent, r.Root = categories[r.ID], categories[r.Parent], categories[r.Root]
			r.Related = slices.Clone(r.Related)
			for i, related := range r.Related {
				r.Related[i] = categories[related]
			}
			record = r
		}
		line, err := transfer.Encode(record)
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
func mustBeAs(t testing.TB, got, want []string) {
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
	expect.Len(t, got, len(want), "lines")
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
	f.change(f.guides, func(c *tree.Category) { c.Root, c.Related = f.refund, []id.ID{f.refund, f.billing} })
	f.change(f.billing, func(c *tree.Category) { c.Related = []id.ID{f.refund} })
	f.MustBeWhole(f.TB)
	return f
}

// change changes a category as an agent would, but keeps its time. A request of the API would set the time of the
// change to now.
func (f *filled) change(category id.ID, change func(*tree.Category)) {
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
	after := read.Category
	change(&after)
	cs := changeset.New(f.Table, f.Portal)
	if err := cs.Update(f.Context(), read, after, after, items); err != nil {
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
	return write(f.TB, strings.Join(lines, "")), recordsIn(f.TB, text)
}

// TestWhatLeavesComesIn: an export, imported into an empty table and exported again, is the same. Only ids of users
// differ, and those of categories unless they are kept.
func TestWhatLeavesComesIn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		f := newFilled(t).timed()
		file, records := f.export()
		// Two exports that both lack a kind are the same, too.
		kinds := map[transfer.RecordKind]bool{}
		for _, record := range records {
			kinds[record.Kind()] = true
		}
		expect.Equal(t, slices.Sorted(maps.Keys(kinds)), slices.Sorted(slices.Values(transfer.Kinds)), "exported kinds")
		for name, flags := range map[string][]string{"new ids": nil, "kept ids": {"--keep-ids"}} {
			localtest.Case(t, name, func(t testing.TB) {
				kept := flags != nil
				e := (&filled{shell: f.of(t), Tenant: f.Tenant}).empty()
				done := e.imports(file, flags...)
				expect.Equal(t, fmt.Sprint(done.Records[transfer.KindCategory]), "{4 0 0 0}", "categories")
				expect.Equal(t, fmt.Sprint(done.Records[transfer.KindUser]), "{2 0 0 0}", "users")
				mustBeAs(t, portable(t, e.has(), kept), portable(t, records, kept))
			})
		}
	})
}

// TestASecondImportChangesNothing, and makes no write. So an import may be repeated at any time, even where nobody
// knows how far the first one came.
func TestASecondImportChangesNothing(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
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
		for _, flags := range [][]string{nil, {"--keep-ids"}} {
			done := printed[imported](counted, e.importArgs(file, flags...)...)
			expect.Equal(t, fmt.Sprint(done.Records[transfer.KindCategory]), "{0 4 0 0}", "categories")
			expect.Equal(t, fmt.Sprint(done.Records[transfer.KindUser]), "{0 2 0 0}", "users")
			expect.Equal(t, fmt.Sprint(done.Records[transfer.KindLink]), "{0 2 0 0}", "links")
		}
		expect.Equal(t, writes.Load(), 0)
		mustBeAs(t, portable(t, e.has(), true), portable(t, before, true))
	})
}

// TestAnImportKeepsWhatAnOperatorHasUnsubscribed, also where the operator has done it after the import looked. An
// operator's line may replace a link's, and never another operator's.
func TestAnImportKeepsWhatAnOperatorHasUnsubscribed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		f := newFilled(t)
		e := f.empty()
		keys, err := mailkey.Keys{Table: e.Table.WithName(e.name)}.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		store := unsubscribe.Store{Table: e.Table.WithName(e.name)}
		const operator, link = unsubscribe.ByOperator, unsubscribe.ByLink
		inFile := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		inTable := inFile.AddDate(0, 1, 0)
		for name, c := range map[string]struct {
			line      unsubscribe.By // by whom, says the file
			stored    unsubscribe.By // by whom, says the table
			meanwhile bool           // stored comes after the import has looked
			counts    string         // created, unchanged, changed, differs
			after     unsubscribe.By // by whom in the end
		}{
			"nobody":                           {line: link, counts: "{1 0 0 0}", after: link},
			"an operator, link's line":         {link, operator, false, "{0 0 0 1}", operator},
			"an operator, operator's line":     {operator, operator, false, "{0 1 0 0}", operator},
			"an operator, nobody's line":       {"", operator, false, "{0 1 0 0}", operator},
			"a link, operator's line":          {operator, link, false, "{0 0 1 0}", operator},
			"a link, link's line":              {link, link, false, "{0 1 0 0}", link},
			"a link, nobody's line":            {"", link, false, "{0 1 0 0}", link},
			"an operator later, link's line":   {link, operator, true, "{0 0 0 1}", operator},
			"an operator later, operator's":    {operator, operator, true, "{0 1 0 0}", operator},
			"an operator later, nobody's line": {"", operator, true, "{0 1 0 0}", operator},
			"a link later, operator's line":    {operator, link, true, "{0 0 1 0}", operator},
			"a link later, link's line":        {link, link, true, "{0 1 0 0}", link},
			"a link later, nobody's line":      {"", link, true, "{0 1 0 0}", link},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				e := &empty{f.of(t), e.name, e.flags}
				of := unsubscribe.Subscription{MailKey: keys[0].ID, Recipient: id.New().String() + "@example.org"}
				put := fixture.Once(func() {
					stored := fixture.Object{
						"PK": of.Key().PK, "SK": of.Key().SK, "mail_key": of.MailKey, "email": of.Recipient,
						"by": c.stored, "at": inTable,
					}
					if c.stored == "" {
						return
					}
					if err := store.Table.Put(stored).Run(t.Context()); err != nil {
						t.Error(err)
					}
				})
				if !c.meanwhile {
					put()
				}
				meanwhile := e.meanwhile("TransactWriteItems", put)
				line, err := transfer.Encode(transfer.Unsubscribe{
					MailKey: transfer.IDOf(f.MailKey.ID), Email: of.Recipient, By: string(c.line), At: inFile,
				})
				if err != nil {
					t.Fatal(err)
				}
				file := write(t, `{"frontdesk_transfer":1}`+"\n"+string(line)+`{"kind":"end"}`+"\n")
				done := printed[imported](meanwhile, e.importArgs(file)...)
				expect.Equal(t, fmt.Sprint(done.Records[transfer.KindUnsubscribe]), c.counts, "counts")
				all, err := store.All(t.Context(), of.MailKey, unsubscribe.Query{})
				if err != nil {
					t.Fatal(err)
				}
				all = slices.DeleteFunc(all, func(u unsubscribe.Unsubscribe) bool { return u.Email != of.Recipient })
				expect.Len(t, all, 1, "unsubscribes")
				at := inTable
				if c.after != c.stored {
					at = inFile
				}
				expect.Equal(t, all[0].By, c.after)
				expect.Equal(t, all[0].At, at)
			})
		}
	})
}

// TestAnInterruptedImportGoesOn after any of its writes, and leaves the table whole.
func TestAnInterruptedImportGoesOn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		f := newFilled(t).timed()
		file, records := f.export()
		// It is interrupted before every second of its writes, until one run needs no more than are let through.
		ended := false
		for after := int64(0); !ended; after += 2 {
			localtest.Case(t, fmt.Sprintf("after %d writes", after), func(t testing.TB) {
				e := (&filled{shell: f.of(t), Tenant: f.Tenant}).empty()
				var writes atomic.Int64
				failing := e.refusing(func(operation string) string {
					if operation == "TransactWriteItems" && writes.Add(1) > after {
						return "AccessDeniedException"
					}
					return ""
				})
				_, err := failing.frontdesk(e.importArgs(file)...)
				ended = err == nil
				expect.Equal(t, ended, writes.Load() <= after, "ended")
				e.prints(e.args("check")...)
				again := e.imports(file)
				expect.Len(t, again.Differing, 0, "what differs")
				mustBeAs(t, portable(t, e.has(), false), portable(t, records, false))
			})
		}
	})
}

// TestAnInterruptedImportKeepsTheOtherUsersIDs: what is left of the first run does not take ids from the second.
func TestAnInterruptedImportKeepsTheOtherUsersIDs(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		e := newFilled(t).empty()
		var want []transfer.Record
		for n := range 20 {
			want = append(want, transfer.User{
				ID: transfer.IDOf(id.ID(n + 101)), Name: "x", Email: fmt.Sprintf("%d@example.org", n),
				CreatedAt: time.UnixMilli(0).UTC(), UpdatedAt: time.UnixMilli(0).UTC(),
			})
		}
		file := write(t, fileOf(t, want))
		var writes atomic.Int64
		failing := e.refusing(func(operation string) string {
			// The refusal cuts off writes that are under way. Eight run side by side, so some have ended before the
			// 13th.
			if operation == "TransactWriteItems" && writes.Add(1) > 12 {
				return "AccessDeniedException"
			}
			return ""
		})
		if _, err := failing.frontdesk(e.importArgs(file, "--keep-ids")...); err == nil {
			t.Fatal("it was not interrupted")
		}
		done := e.imports(file, "--keep-ids")
		expect.AtLeast(t, done.Records[transfer.KindUser].Unchanged, 1, "users of the first run")
		got := recordsIn(t, e.prints(e.args("export", "--all")...))
		mustBeAs(t, portable(t, got, true), portable(t, want, true))
	})
}

// TestTwoImportsAtOnceDoEachRecordOnce, and leave the table as one would.
func TestTwoImportsAtOnceDoEachRecordOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		f := newFilled(t).timed()
		file, records := f.export()
		for name, flags := range map[string][]string{"new ids": nil, "kept ids": {"--keep-ids"}} {
			localtest.Case(t, name, func(t testing.TB) {
				e := (&filled{shell: f.of(t), Tenant: f.Tenant}).empty()
				// Neither writes before both have read the table.
				var waiting sync.WaitGroup
				waiting.Add(2)
				var done [2]imported
				var both sync.WaitGroup
				for i := range done {
					together := e.meanwhile("TransactWriteItems", func() {
						waiting.Done()
						waiting.Wait()
					})
					args := append([]string{"--json"}, e.importArgs(file, flags...)...)
					both.Go(func() {
						out, err := together.frontdesk(args...)
						err = cmp.Or(err, json.Unmarshal([]byte(out), &done[i]))
						if err != nil {
							t.Errorf("%v: %s", err, out)
						}
					})
				}
				both.Wait()
				counts := map[transfer.RecordKind]int{}
				for _, record := range records {
					counts[record.Kind()]++
				}
				for kind, want := range counts {
					a, b := done[0].Records[kind], done[1].Records[kind]
					expect.Equal(t, a.Created+b.Created, want, string(kind)+" created")
					expect.Equal(t, a.Differs+b.Differs, 0, string(kind)+" that differ")
				}
				mustBeAs(t, portable(t, e.has(), false), portable(t, records, false))
			})
		}
	})
}

// TestAnImportReplacesNothingThatIsWrittenMeanwhile: an operator makes each of its records, with other values, after it
// has read the table.
func TestAnImportReplacesNothingThatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		e := newFilled(t).empty()
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		records := func(name, by string) []transfer.Record {
			c := transfer.Category{
				Account: 5, Portal: "faq", ID: "1", Name: name, Slug: "one", Locale: "en", CreatedAt: at, UpdatedAt: at,
			}
			below := c
			below.ID, below.Slug, below.Parent = "2", "two", "1"
			if by == "link" {
				c.Related = []transfer.ID{"2"}
			}
			return []transfer.Record{
				transfer.Portal{
					Account: 5, Slug: "faq", Name: name, Locales: []string{"en"}, DefaultLocale: "en", CreatedAt: at,
				},
				c, below, transfer.Member{Account: 5, Portal: "faq", User: "1", CreatedAt: at},
				transfer.User{ID: "1", Name: name, Email: "ada@example.org", CreatedAt: at, UpdatedAt: at},
				transfer.Link{App: "1", User: "1", CreatedAt: at},
				transfer.Unsubscribe{MailKey: "1", Email: "ada@example.org", By: by, At: at},
			}
		}
		// The app and the mail key of the file have the id 1.
		for i, flag := range e.flags {
			if _, here, found := strings.Cut(flag, "="); found {
				e.flags[i] = "1=" + here
			}
		}
		theirs := records("Theirs", "operator")
		operator := write(t, fileOf(t, theirs))
		meanwhile := e.meanwhile("TransactWriteItems", func() { e.imports(operator) })
		done := printed[imported](meanwhile, e.importArgs(write(t, fileOf(t, records("Ours", "link"))))...)
		for kind, want := range map[transfer.RecordKind]incoming.Counts{
			transfer.KindPortal: {Differs: 1}, transfer.KindUser: {Differs: 1}, transfer.KindMember: {Unchanged: 1},
			transfer.KindLink: {Unchanged: 1}, transfer.KindUnsubscribe: {Differs: 1},
			transfer.KindCategory: {Differs: 2},
		} {
			expect.Equal(t, done.Records[kind], want, string(kind))
		}
		expect.Len(t, done.Differing, 5, "what differs")
		byLine := func(a, b incoming.Note) int { return a.Line - b.Line }
		expect.Equal(t, slices.IsSortedFunc(done.Differing, byLine), true, "what differs is told by line")
		mustBeAs(t, portable(t, withoutHash(e.has()), false), portable(t, theirs, false))
	})
}

// withoutHash returns records whose users have no hash: an import gives one without any a hash that no password fits.
func withoutHash(records []transfer.Record) []transfer.Record {
	for i, record := range records {
		if u, ok := record.(transfer.User); ok {
			u.OwnPasswordHash = ""
			records[i] = u
		}
	}
	return records
}

// TestATokenOfAnEarlierUserDoesNotFitAnImportedOne: a token that is stored late, after its user was deleted and another
// one was imported with the same id.
func TestATokenOfAnEarlierUserDoesNotFitAnImportedOne(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		e := &empty{shell: o, name: o.Table.Name()}
		file := write(t, fileOf(t, []transfer.Record{transfer.User{ID: "11", Name: "Ada", Email: "ada@example.org"}}))
		e.imports(file, "--keep-ids")
		text, _, err := user.Tokens{Table: o.Table}.Create(t.Context(), 11, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, o.TakesToken(t, text, 11), true, "the token is good")
		var late []dynamo.Item
		err = o.Table.Get("PK", table.AgentToken(11, credential.Digest{}).PK).All(t.Context(), &late)
		if err != nil || len(late) != 1 {
			t.Fatalf("%v: %d tokens", err, len(late))
		}
		e.prints(e.args("user", "delete", "--yes", "11")...)
		e.imports(file, "--keep-ids")
		o.Put(t, late[0])
		expect.Equal(t, o.TakesToken(t, text, 11), false, "the earlier user's token is good for the later one")
	})
}

// TestATreeOfManyLinksComesIn, with links that make circles and lead to later lines, however often the import is
// interrupted. Each run may write 20 times, so the categories come in over several runs. After each of them the table
// must be whole.
func TestATreeOfManyLinksComesIn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
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
			_, err := failing.frontdesk(e.importArgs(file)...)
			e.prints(e.args("check")...)
			if err == nil {
				expect.AtLeast(t, interrupted, 3, "interruptions")
				break
			}
			if interrupted > len(records) {
				t.Fatalf("it does not come to its end: %v", err)
			}
		}
		mustBeAs(t, portable(t, e.has(), false), portable(t, records, false))
	})
}

// manyLinks returns a portal and its categories, in any order. Every seventh category is at the top. The others are
// below an earlier one, and each has up to four related categories and a root, which may be anywhere.
func manyLinks(categories int) []transfer.Record {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var records []transfer.Record
	for n := range categories {
		other := func() transfer.ID { return transfer.IDOf(id.ID((n+1+rand.N(categories-1))%categories + 1)) }
		c := transfer.Category{
			Account: 5, Portal: "faq", ID: transfer.IDOf(id.ID(n + 1)), Name: "x", Slug: fmt.Sprint("c", n),
			Locale: "en", Root: other(), CreatedAt: at, UpdatedAt: at,
		}
		if n%7 > 0 {
			c.Parent = transfer.IDOf(id.ID(rand.N(n) + 1))
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
func fileOf(t testing.TB, records []transfer.Record) string {
	t.Helper()
	var file bytes.Buffer
	w, err := transfer.NewWriter(&file, time.Now().UTC())
	for _, record := range records {
		err = errors.Join(err, w.Write(record))
	}
	if err := errors.Join(err, w.End(nil)); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
