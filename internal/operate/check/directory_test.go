package check_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/mail/mailkey"
	"frontdesk/internal/service/user/platformapp"
)

// TestTheDirectoryIsMended loses the directory entries of each kind of record, and the record of one entry. The entries
// are made again. The entry without a record stays.
func TestTheDirectoryIsMended(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		stack := fixture.Start(t, fixture.WithoutFunctions(t))
		key, _ := stack.NewMailKey(t, mailkey.Key{Name: "key", From: []string{"*"}})
		app, _, err := (platformapp.Store{Table: stack.Table}).Create(t.Context(), platformapp.App{Name: "app"})
		if err != nil {
			t.Fatal(err)
		}
		handbook := stack.NewPortal(t, 1, "handbook", "en")
		gone := stack.NewPortal(t, 1, "gone", "en")
		stack.MustBeWhole(t)
		for _, k := range []table.Key{
			table.DirectoryEntry(table.MailKey(key.ID)), table.DirectoryEntry(table.App(app.ID)),
			table.DirectoryEntry(handbook.Key()),
			gone.Key(),
		} {
			if err := stack.Table.DeleteItem(k).If("attribute_exists(PK)").Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if listed := list(t, stack); listed != [3]int{} {
			t.Errorf("listed %v", listed)
		}
		report, err := run(t, stack.Table, check.Options{Repair: true})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, f := range report.Faults {
			said = append(said, f.What+": "+f.Mended)
		}
		lost := "directory entry " + table.DirectoryEntry(gone.Key()).String() +
			" is of portal " + gone.Key().String() + ", which does not exist: "
		want := []string{lost}
		for _, k := range []table.Key{table.MailKey(key.ID), table.App(app.ID), handbook.Key()} {
			want = append(want, fmt.Sprintf("%s %s lacks its directory entry %s: listed it", k.Kind(), k,
				table.DirectoryEntry(k)))
		}
		slices.Sort(want)
		expect.Equal(t, said, want, "faults")
		expect.Equal(t, report.Unmended(), 1)
		if listed := list(t, stack); listed != [3]int{1, 1, 1} {
			t.Errorf("listed %v", listed)
		}
	})
}

// list counts the mail keys, apps and portals that the tool's lists show.
func list(t testing.TB, stack *fixture.Stack) (n [3]int) {
	t.Helper()
	ctx := context.Background()
	keys, err := mailkey.Keys{Table: stack.Table}.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	apps, err := platformapp.Store{Table: stack.Table}.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	portals, err := portal.Store{Table: stack.Table}.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return [3]int{len(keys), len(apps), len(portals)}
}
