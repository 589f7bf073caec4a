package changeset_test

import (
	"cmp"
	"context"
	"reflect"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/tree"
)

// handbook is a portal with six categories: low and side are below top, deep is below low, and other and alone are
// roots.
type handbook struct {
	*fixture.Stack
	portal                             table.Portal
	top, low, deep, side, other, alone changeset.Record
}

func newHandbook(t *testing.T) *handbook {
	t.Helper()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	tr := &handbook{Stack: stack, portal: stack.NewPortal(t, 1, "handbook", "en")}
	tr.top = tr.create(t, "top", 0)
	tr.low = tr.create(t, "low", tr.top.ID)
	tr.deep, tr.side = tr.create(t, "deep", tr.low.ID), tr.create(t, "side", tr.top.ID)
	tr.other, tr.alone = tr.create(t, "other", 0), tr.create(t, "alone", 0)
	return tr
}

func (tr *handbook) create(t *testing.T, slug string, parent id.ID) changeset.Record {
	t.Helper()
	return tr.read(t, tr.NewCategory(t, tr.portal, tree.Category{Name: slug, Parent: parent}))
}

func (tr *handbook) read(t *testing.T, category id.ID) (r changeset.Record) {
	t.Helper()
	k := tr.portal.Category(category)
	items, err := tr.Table.Read(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := items.Get(k, &r); !found || err != nil {
		t.Fatalf("category %d: found %t, %v", category, found, err)
	}
	return r
}

// move moves r below parent, with r as it was read before any other move.
func (tr *handbook) move(ctx context.Context, cs *changeset.ChangeSet, r changeset.Record, parent id.ID) error {
	items, err := tr.Table.Read(ctx, tr.portal.Category(parent))
	if err != nil {
		return err
	}
	c := r.Category
	c.Parent = parent
	return cs.Update(ctx, r, c, c, items)
}

// moveNow does the same and writes it.
func (tr *handbook) moveNow(ctx context.Context, r changeset.Record, parent id.ID) error {
	cs := changeset.New(tr.Table, tr.portal)
	if err := tr.move(ctx, cs, r, parent); err != nil {
		return err
	}
	return cs.Run(ctx)
}

// deleteNow deletes a category.
func (tr *handbook) deleteNow(ctx context.Context, r changeset.Record) error {
	cs := changeset.New(tr.Table, tr.portal)
	cs.Delete(r)
	return cs.Run(ctx)
}

// TestAChangeSetWritesAllOrNothing makes change sets for a state that the table is not in, or no longer in. Each fails
// and writes nothing.
func TestAChangeSetWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	// outdated returns a record as it was one change earlier.
	outdated := func(r changeset.Record) changeset.Record {
		r.Version--
		return r
	}
	stale := changeset.ErrStale.Error()
	for name, c := range map[string]struct {
		change func(context.Context, *handbook, *changeset.ChangeSet) error
		want   string // the error
	}{
		"an id that is taken": {func(_ context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			cs.Create(tree.Category{ID: tr.top.ID, Slug: "new", Locale: "en"})
			return nil
		}, stale},
		"a slug that is taken": {func(_ context.Context, _ *handbook, cs *changeset.ChangeSet) error {
			cs.Create(tree.Category{ID: id.New(), Slug: "top", Locale: "en"})
			return nil
		}, "Locale should be unique in the category and portal"},
		"a parent that is gone": {func(_ context.Context, _ *handbook, cs *changeset.ChangeSet) error {
			cs.Create(tree.Category{ID: id.New(), Slug: "new", Locale: "en", Parent: 4711})
			return nil
		}, "Parent category must exist"},
		"an update of another version": {func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			return cs.Update(ctx, outdated(tr.top), tr.top.Category, tree.Category{}, nil)
		}, stale},
		"a move under itself": {func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			return tr.move(ctx, cs, tr.top, tr.low.ID)
		}, "Parent category can't be one of the category's own sub-categories"},
		"a move under one that moves": {func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			return cmp.Or(tr.move(ctx, cs, tr.top, tr.other.ID), tr.moveNow(ctx, tr.other, tr.low.ID))
		}, stale},
		"a move under one whose parent moves": {func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			return cmp.Or(tr.move(ctx, cs, tr.other, tr.low.ID), tr.moveNow(ctx, tr.top, tr.alone.ID))
		}, stale},
		"a move under one that becomes a root": {
			func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
				return cmp.Or(tr.move(ctx, cs, tr.other, tr.deep.ID), tr.moveNow(ctx, tr.low, 0))
			}, stale,
		},
		"an update that names a parent which it has, and which is gone": {
			func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
				c := tr.side.Category
				c.Name = "renamed"
				return cmp.Or(cs.Update(ctx, tr.side, c, c, nil), tr.deleteNow(ctx, tr.top))
			}, "Parent category must exist",
		},
		"a move under one that is deleted": {func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			return cmp.Or(tr.move(ctx, cs, tr.other, tr.side.ID), tr.deleteNow(ctx, tr.side))
		}, stale},
		// The new parent was read first, below the moved category, and then moved away. Refusing the move for a circle
		// would be wrong by now.
		"a move under one that was below it": {func(ctx context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			items, err := tr.Table.Read(ctx, tr.portal.Category(tr.low.ID))
			if err != nil {
				return err
			}
			if err := tr.moveNow(ctx, tr.low, tr.alone.ID); err != nil {
				return err
			}
			c := tr.top.Category
			c.Parent = tr.low.ID
			return cs.Update(ctx, tr.top, c, c, items)
		}, stale},
		"a deletion of another version": {func(_ context.Context, tr *handbook, cs *changeset.ChangeSet) error {
			cs.Delete(outdated(tr.other))
			return nil
		}, stale},
		"positions, of which one is of another version": {
			func(_ context.Context, tr *handbook, cs *changeset.ChangeSet) error {
				position := new(int64)
				cs.Reorder([]changeset.Record{tr.other, outdated(tr.alone)}, map[id.ID]*int64{tr.other.ID: position})
				return nil
			}, stale,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			localtest.Simulate(t, func(t *testing.T) {
				tr := newHandbook(t)
				cs := changeset.New(tr.Table, tr.portal)
				err := c.change(t.Context(), tr, cs)
				before := tr.Items(t)
				if err == nil {
					err = cs.Run(t.Context())
				}
				if err == nil || err.Error() != c.want {
					t.Errorf("error %v, want %s", err, c.want)
				}
				if after := tr.Items(t); !reflect.DeepEqual(before, after) {
					t.Errorf("wrote: %v\nwas: %v", after, before)
				}
				tr.MustBeWhole(t)
			})
		})
	}
}

// TestAMoveBelowALineThatWasCut deletes the category in the middle of a line. What was below it is a root, and others
// may move below that, also the one that was on top: it is not above that any more.
func TestAMoveBelowALineThatWasCut(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		tr := newHandbook(t)
		if err := tr.deleteNow(t.Context(), tr.low); err != nil {
			t.Fatal(err)
		}
		for _, r := range []changeset.Record{tr.other, tr.top} {
			if err := tr.moveNow(t.Context(), r, tr.deep.ID); err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
		if err := tr.moveNow(t.Context(), tr.read(t, tr.deep.ID), tr.side.ID); err == nil {
			t.Error("a circle: deep below side, which is below top, which is below deep")
		}
		tr.MustBeWhole(t)
	})
}
