package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/credential"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// TestARepairKeepsWhatHangsOnALostApp: apps are revoked and never deleted, so a missing record is a loss. The repair
// deletes none of the app's links, so that the app works again as soon as its record is back.
func TestARepairKeepsWhatHangsOnALostApp(t *testing.T) {
	o := onStack(t)
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	const users = 60
	service := &user.Service{Table: o.Table, HashParams: fixture.CheapHash}
	for n := range users {
		_, err := service.Create(t.Context(), app.ID, user.Details{
			Name: "Ada", Email: fmt.Sprintf("user-%d@example.org", n), Password: fixture.Password,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	record := table.App(app.ID)
	lost, err := o.Table.Read(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Table.DeleteItem(record).If("attribute_exists(PK)").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	left := o.Items(t)

	saved := filepath.Join(t.TempDir(), "saved")
	out, err := o.frontdesk("check", "--repair", "--yes", "--save", saved)
	told := strings.Count(out, record.String()+", which does not exist\n")
	// the links, and the entry of the directory
	expect.Not(t, "error", err, nil)
	expect.Equal(t, "told", told, users+1)
	if now := o.Items(t); !reflect.DeepEqual(now, left) {
		t.Errorf("%d items are left of %d", len(now), len(left))
	}
	if _, err := os.Stat(saved); !os.IsNotExist(err) {
		t.Errorf("a file of nothing: %v", err)
	}
	if err := o.Table.Put(lost[record]).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.MustBeWhole(t)
	listed := o.Call(t, "GET", "/platform/api/v1/users", fixture.Token(app.Token), nil)
	if payload, _ := listed.Body["payload"].([]any); len(payload) != users {
		t.Errorf("the app lists %d of %d users", len(payload), users)
	}
}

// damaged is a tenant with a category and another one below it. Tests damage some of its items.
type damaged struct {
	*shell
	fixture.Tenant
	above, below id.ID
}

// newDamaged returns a tenant in a whole table; a test damages it.
func newDamaged(t *testing.T) *damaged {
	t.Helper()
	o := onStack(t, fixture.WithoutFunctions(t))
	d := &damaged{shell: o, Tenant: o.NewTenant(t)}
	o.prints("table", "create") // records the layout, which a repair would otherwise add to the items
	d.above = o.NewCategory(t, d.Portal, changeset.Category{Name: "above"})
	d.below = o.NewCategory(t, d.Portal, changeset.Category{Name: "below", Parent: d.above})
	return d
}

// do runs a write, which must succeed.
func (d *damaged) do(write interface{ Run(context.Context) error }) {
	d.Helper()
	if err := write.Run(d.Context()); err != nil {
		d.Fatal(err)
	}
}

// put writes an item of a key and fields as they are, past all rules.
func (d *damaged) put(k table.Key, fields fixture.Object) {
	d.Helper()
	item := fixture.Object{"PK": k.PK, "SK": k.SK}
	maps.Copy(item, fields)
	d.do(d.Table.Put(item))
}

// set sets one attribute of an item that exists.
func (d *damaged) set(k table.Key, name string, value any) {
	d.Helper()
	d.do(d.Table.UpdateItem(k).Set(name, value).If("attribute_exists(PK)"))
}

// later is a time after everything that a test does.
var later = time.Now().Add(time.Hour).UTC()

// lossyRepairs are the kinds of damage that a repair mends by deleting or changing items. saved counts the items in
// the repair's file.
var lossyRepairs = map[string]struct {
	damage func(*damaged)
	saved  int // items
}{
	"what is left of a deleted user": {func(d *damaged) {
		link, member, digest := table.PermissibleLink(d.App.ID, 4711), d.Portal.Member(4711), credential.Digest{1}
		d.put(link, fixture.Object{"user": 4711, "created_at": "2026-01-01T00:00:00Z"})
		d.put(link.Mirror(), nil)
		d.put(member, fixture.Object{"user": 4711})
		d.put(member.Mirror(), nil)
		d.put(table.AgentToken(4711, digest), fixture.Object{"generation": 3, "expires_at": 4e9})
		d.put(table.UnansweredLogin(4711, digest), fixture.Object{"user": 4711, "app_digest": []byte{0, 255}})
		d.put(table.LoginToken(4711, digest), fixture.Object{"user": 4711, "expires_at": 4e9})
	}, 7},
	// The user and the owner of the address both hold the number. The repair gives both a higher one.
	"generations that differ": {func(d *damaged) { d.set(table.User(d.Agent.ID), "generation", 7) }, 2},
	"a slug that its category does not have": {func(d *damaged) {
		d.put(d.Portal.SlugOwner("en", "old"), fixture.Object{"category": d.above})
	}, 1},
	"a place that its category does not have": {func(d *damaged) {
		position := int64(-3)
		d.put(d.Portal.Order("en", &position, d.above), fixture.Object{"category": d.above, "position": position})
	}, 1},
	// The record of a link stands at its target and counts there. The source does not have the link, so record and
	// count go.
	"a recorded link that does not go out": {func(d *damaged) {
		link := changeset.Link{Kind: table.Related, Target: d.below}
		d.do(d.Table.Put(changeset.NewRef(d.Portal, d.above, link)))
		d.set(d.Portal.Category(d.below), "incoming", 1)
	}, 2},
	"a record of a link that is of another": {func(d *damaged) {
		d.put(d.Portal.Ref(d.below, table.Assoc, d.above), fixture.Object{"target": 1, "kind": "SUB", "source": 2})
	}, 1},
	"a wrong count": {func(d *damaged) { d.set(d.Portal.Category(d.above), "incoming", 9) }, 1},
	// Above becomes the child of its own child, which no request can bring about.
	"a circle": {func(d *damaged) {
		link := changeset.Link{Kind: table.Sub, Target: d.below}
		d.do(d.Table.Put(changeset.NewRef(d.Portal, d.above, link)))
		d.set(d.Portal.Category(d.below), "incoming", 1)
		d.do(d.Table.UpdateItem(d.Portal.Category(d.above)).Set("parent", d.below).Set("updated_at", later))
	}, 3},
	// A category that is its own parent.
	"a circle of one": {func(d *damaged) {
		link := changeset.Link{Kind: table.Sub, Target: d.above}
		d.do(d.Table.Put(changeset.NewRef(d.Portal, d.above, link)))
		d.do(d.Table.UpdateItem(d.Portal.Category(d.above)).Set("parent", d.above).Set("incoming", 2))
	}, 2},
	"a locale that the portal never had": {func(d *damaged) {
		d.set(d.Portal.Key(), "locales", []string{"de", "es"})
	}, 1},
}

// TestWhatARepairLosesIsPutBack: a repair's file has everything that the repair deletes or changes, and only its
// owner may read it. Each item is put back unchanged, byte by byte, and only once. A repair may be wrong, so there
// has to be a way back from it.
func TestWhatARepairLosesIsPutBack(t *testing.T) {
	t.Parallel()
	for name, c := range lossyRepairs {
		t.Run(name, func(t *testing.T) {
			d := newDamaged(t)
			d.MustBeWhole(t)
			c.damage(d)
			before := d.Items(t)
			saved := filepath.Join(t.TempDir(), "saved")
			if out, err := d.frontdesk("check", "--repair", "--yes", "--save", saved); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			d.MustBeWhole(t)
			after := d.Items(t)
			info, err := os.Stat(saved)
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, "info.Mode()", info.Mode(), 0o600)
			text, err := os.ReadFile(saved)
			if err != nil || strings.Count(string(text), "\n") != 1+c.saved {
				t.Errorf("saved %s, %v; want %d items", text, err, c.saved)
			}
			// The second time, everything is there already, and nothing is written.
			for _, want := range []string{
				fmt.Sprintf("put back %d items; 0 were as before already\n", c.saved),
				fmt.Sprintf("put back 0 items; %d were as before already\n", c.saved),
			} {
				if out, err := d.frontdesk("table", "put-back", saved); err != nil || out != want {
					t.Errorf("printed %q, %v; want %q", out, err, want)
				}
				if now := d.Items(t); !reflect.DeepEqual(now, before) {
					t.Errorf("put back %v\nof %v\nto %v", now, after, before)
				}
			}
		})
	}
}

// TestWhatWasWrittenSinceIsNotPutBack: others have taken the key of a deleted item, or have changed or deleted an
// item that the repair had changed. The saved state is older than what others wrote, and must not overwrite it.
func TestWhatWasWrittenSinceIsNotPutBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage string
		since  func(*damaged)
		want   []string
	}{
		"another item of its key": {
			"a slug that its category does not have",
			func(d *damaged) { d.put(d.Portal.SlugOwner("en", "old"), fixture.Object{"category": d.below}) },
			[]string{`"SLUG#en#old"` + "\n    not put back: there is another item of its key\nput back 0 items"},
		},
		"a changed item that was changed again": {
			"a circle",
			func(d *damaged) { d.set(d.Portal.Category(d.above), "name", "New") },
			[]string{"    not put back: it was changed since\nput back 2 items"},
		},
		"a changed item that was deleted": {
			"a wrong count",
			func(d *damaged) { d.do(d.Table.DeleteItem(d.Portal.Category(d.above))) },
			[]string{"    not put back: it was deleted since\nput back 0 items"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDamaged(t)
			lossyRepairs[c.damage].damage(d)
			saved := filepath.Join(t.TempDir(), "saved")
			if out, err := d.frontdesk("check", "--repair", "--yes", "--save", saved); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			c.since(d)
			out, err := d.frontdesk("table", "put-back", saved)
			expect.Equal(t, "error", fmt.Sprint(err), "not put back: 1")
			expect.Equal(t, `strings.Count(out, "not put back")`, strings.Count(out, "not put back"), 1)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("printed %q, want %q", out, want)
				}
			}
		})
	}
}

// TestNothingIsDeletedThatCannotBeSaved: neither if the file cannot be made, nor if it exists already. An existing
// file may be that of an earlier repair, the only way back from it.
func TestNothingIsDeletedThatCannotBeSaved(t *testing.T) {
	d := newDamaged(t)
	lossyRepairs["what is left of a deleted user"].damage(d)
	before := d.Items(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("what ever"), 0o600); err != nil {
		t.Fatal(err)
	}
	for saved, want := range map[string]error{
		filepath.Join(dir, "no-folder", "saved"): fs.ErrNotExist, there: fs.ErrExist,
	} {
		out, err := d.frontdesk("check", "--repair", "--yes", "--save", saved)
		said := "save what a repair changes: open " + saved
		expect.Equal(t, "out", out, "")
		expect.Equal(t, "error is want", errors.Is(err, want), true)
		expect.Contains(t, "error", fmt.Sprint(err), said)
		if now := d.Items(t); !reflect.DeepEqual(now, before) {
			t.Errorf("%d items are left of %d", len(now), len(before))
		}
	}
	text, err := os.ReadFile(there)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "text", string(text), "what ever")
}

// TestACheckSavesNothing without --repair, and refuses a named file.
func TestACheckSavesNothing(t *testing.T) {
	d := newDamaged(t)
	lossyRepairs["a circle"].damage(d)
	mustRefuse(d.shell, map[string]refused{
		"a file without a repair": {[]string{"check", "--save", "x"}, "--save is of use with --repair alone"},
	})
	before := d.Items(t)
	if _, err := d.frontdesk("check"); err == nil {
		t.Error("a circle is in order")
	}
	if now := d.Items(t); !reflect.DeepEqual(now, before) {
		t.Errorf("changed %v to %v", before, now)
	}
	found, err := filepath.Glob("frontdesk-repair-*")
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "found", found, nil)
}

// TestFilesThatAreNotPutBack: files of something else, and files that differ from what a repair writes. The last
// line may be cut off. A repair saves a change before it makes it, so a last line that is cut off names nothing
// that happened.
func TestFilesThatAreNotPutBack(t *testing.T) {
	d := newDamaged(t)
	before := d.Items(t)
	header := `{"frontdesk_repair":1,"table":"` + d.Table.Name() + "\"}\n"
	const gone = `{"before":{"PK":{"S":"WHAT"},"SK":{"S":"EVER"}}}` + "\n"
	file := filepath.Join(t.TempDir(), "saved")
	for name, c := range map[string]struct{ text, want string }{
		"of nothing":        {"", "it is no file of a repair"},
		"of something else": {"what ever\n", "it is no file of a repair"},
		"of a later frontdesk": {
			strings.Replace(header, ":1", ":2", 1) + gone, "it is of version 2, which this frontdesk does not know",
		},
		"of another table": {
			`{"frontdesk_repair":1,"table":"x"}` + "\n" + gone, "it is of the table x, not of " + d.Table.Name(),
		},
		"with a line of none":  {header + "{\n", "line 2: unexpected end of JSON"},
		"with a value of none": {header + gone + `{"before":{"PK":"x"}}` + "\n", "line 3: json: cannot unmarshal"},
		"with an item of none": {header + "{}\n", "line 2: it is not of one item"},
		"with an item of two": {
			header + strings.Replace(gone, "}}}", `}},"after":{"PK":{"S":"x"},"SK":{"S":"y"}}}`, 1),
			"line 2: it is not of one item",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := d.frontdesk("table", "put-back", file)
			expect.Equal(t, "out", out, "")
			expect.Contains(t, "error", fmt.Sprint(err), file+": "+c.want)
		})
	}
	if now := d.Items(t); !reflect.DeepEqual(now, before) {
		t.Errorf("put back %v", now)
	}
	if err := os.WriteFile(file, []byte(header+gone+gone[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	type result struct {
		PutBack int `json:"put_back"`
		There   int
		Left    []any
	}
	got := printed[result](d.shell, "table", "put-back", file)
	expect.Equal(t, "got", got, result{1, 0, []any{}})
	expect.Equal(t, "len(d.Items(t))", len(d.Items(t)), len(before)+1)
}
