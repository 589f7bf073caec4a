package importing

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/request"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"

	"golang.org/x/text/unicode/norm"
)

// normal returns a category as it is stored: with its slug in Unicode normalization form C, and in a locale.
func normal(of transfer.Category, p portal.Portal) transfer.Category {
	of.Slug = norm.NFC.String(of.Slug)
	if of.Locale == "" {
		of.Locale = p.DefaultLocale
	}
	return of
}

// offering returns a portal that also offers its former locales, because categories in a file may be in them.
func offering(p portal.Portal) portal.Portal {
	p.Locales = p.EveryLocale()
	return p
}

// fieldsOf returns the fields of a category as a request of the API, so that the API's rules can check them.
func fieldsOf(c transfer.Category) request.Changes {
	changes := request.Changes{
		Name:    request.Field[string]{Given: true, Value: c.Name},
		Slug:    request.Field[string]{Given: true, Value: c.Slug},
		Locale:  request.Field[string]{Given: true, Value: c.Locale},
		Parent:  request.Field[id.ID]{Given: c.Parent != 0, Value: c.Parent},
		Root:    request.Field[id.ID]{Given: c.Root != 0, Value: c.Root},
		Related: request.Field[[]id.ID]{Given: true, Value: c.Related},
	}
	if c.Description != nil {
		changes.Description = request.Field[string]{Given: true, Value: *c.Description}
	}
	return changes
}

// written are the categories that are in the table by now.
type written struct {
	mu   sync.Mutex
	here []id.ID // 0 means not there yet
	open []bool  // it was there before, or lacks some of its links
}

func (w *written) set(i int, here id.ID, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.here[i], w.open[i] = here, open
}

func (w *written) id(i int) id.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.here[i]
}

// writeCategories writes the categories, and returns the ids that they have here, 0 for those that it has not reached.
//
// It creates parents before their sub-categories. Other links may lead to categories that do not exist yet, also in
// circles. So a category may be created without some of its links. Its record is then marked, and gets these links when
// all categories exist. After an interruption, the next run sees from the mark that the category is unfinished, and not
// one that differs.
func (w *writing) writeCategories(ctx context.Context, portals []portal.Portal) ([]id.ID, error) {
	var byDepth [][]int
	for i, depth := range w.depths {
		for len(byDepth) <= depth {
			byDepth = append(byDepth, nil)
		}
		byDepth[depth] = append(byDepth[depth], i)
	}
	done := &written{here: make([]id.ID, len(w.categories)), open: make([]bool, len(w.categories))}
	for depth, at := range byDepth {
		lane := func(i int) id.ID { return w.categories[at[i]].parent } // each writes its parent's record
		if depth == 0 {
			lane = func(i int) id.ID { return id.ID(w.categories[at[i]].place) } // each depends on the portal's
		}
		err := inLanes(ctx, len(at), lane, func(ctx context.Context, some []int) error {
			return w.createCategories(ctx, picked(at, some), portals, done)
		})
		if err != nil {
			return done.here, err
		}
	}
	for _, at := range byDepth { // a parent has its final place before others move below it, so no circle arises
		open := slices.DeleteFunc(at, func(i int) bool { return !done.open[i] })
		lane := func(i int) id.ID { return w.categories[open[i]].id }
		err := inLanes(ctx, len(open), lane, func(ctx context.Context, some []int) error {
			return w.settleCategories(ctx, picked(open, some), done)
		})
		if err != nil {
			return done.here, err
		}
	}
	return done.here, nil
}

// picked returns the elements at these places.
func picked(of, at []int) []int {
	picked := make([]int, len(at))
	for i, n := range at {
		picked[i] = of[n]
	}
	return picked
}

// read reads a category from the file again.
func (w *writing) read(i int) (transfer.Category, error) {
	of, err := parse[transfer.Category](w.file, w.categories[i].Position)
	return normal(of, w.destinations[w.categories[i].place].after), err
}

// createCategories finds categories by their slugs, and creates those that do not exist.
func (w *writing) createCategories(ctx context.Context, at []int, portals []portal.Portal, done *written) error {
	records := make([]transfer.Category, len(at))
	keys := make([]table.Key, len(at))
	for n, i := range at {
		of, err := w.read(i)
		if err != nil {
			return err
		}
		records[n], keys[n] = of, w.places[w.categories[i].place].SlugOwner(of.Locale, of.Slug)
	}
	items, err := w.table.Read(ctx, keys...)
	if err != nil {
		return err
	}
	for n, i := range at {
		var owner changeset.SlugOwner
		found, err := items.Get(keys[n], &owner)
		if err == nil && !found {
			err = w.createCategory(ctx, i, records[n], portals[w.categories[i].place], done)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", w.categories[i].Line, err)
		}
		if found {
			done.set(i, owner.Category, true)
		}
	}
	return nil
}

// linked returns a category with the ids of the table. It leaves out links whose targets do not exist yet, and marks
// the category as unlinked then.
func (w *writing) linked(i int, of transfer.Category, done *written) changeset.Category {
	c := changeset.Category{
		ID: done.id(i), Name: of.Name, Slug: of.Slug, Locale: of.Locale, Description: of.Description,
		Position: of.Position, CreatedAt: of.CreatedAt, UpdatedAt: of.UpdatedAt,
	}
	here := func(other id.ID) id.ID {
		if other == 0 {
			return 0
		}
		target := done.id(w.categoryAt[categoryKey{w.categories[i].place, other}])
		c.Unlinked = c.Unlinked || target == 0
		return target
	}
	c.Parent, c.Root = here(of.Parent), here(of.Root)
	for _, other := range of.Related {
		if target := here(other); target != 0 {
			c.Related = append(c.Related, target)
		}
	}
	return c
}

// createCategory creates a category with the links whose targets exist. It tries a new id when one is taken. The
// write depends on something that disappears with the portal: a category that it links to or, without links, the
// portal itself.
func (w *writing) createCategory(
	ctx context.Context, i int, of transfer.Category, in portal.Portal, done *written,
) error {
	if err := w.pace.wait(ctx); err != nil {
		return err
	}
	// Only the first attempt takes the old id: if that is taken by now, the next ones draw new ids.
	c, keep := w.linked(i, of, done), w.free[of.ID]
	here, err := table.Retry(ctx, changeset.ErrStale, func() (id.ID, error) {
		cs := changeset.New(w.table, in.Key())
		if len(c.Links()) == 0 {
			cs.Require(in.Holds(w.table), fmt.Errorf("%s was deleted meanwhile", in.Key()))
		}
		c.ID = id.New()
		if keep {
			c.ID, keep = of.ID, false
		}
		if c.CreatedAt.IsZero() {
			c.CreatedAt = cs.Time
		}
		if c.UpdatedAt.IsZero() {
			c.UpdatedAt = c.CreatedAt
		}
		cs.Create(c)
		return c.ID, cs.Run(ctx)
	})
	if err != nil {
		return err
	}
	done.set(i, here, c.Unlinked)
	// Another category has taken the id meanwhile, or had it before.
	if w.options.KeepIDs && here != of.ID {
		w.mu.Lock()
		w.report.NewIDs++
		w.mu.Unlock()
	}
	if !c.Unlinked {
		w.count(transfer.KindCategory, len(w.categories), created, 0, "")
	}
	return nil
}

// settleCategories writes the links that are still missing, and compares the categories that existed before.
func (w *writing) settleCategories(ctx context.Context, at []int, done *written) error {
	keys := make([]table.Key, len(at))
	for n, i := range at {
		keys[n] = w.places[w.categories[i].place].Category(done.id(i))
	}
	items, err := w.table.Read(ctx, keys...)
	if err != nil {
		return err
	}
	for n, i := range at {
		line := w.categories[i].Line
		of, err := w.read(i)
		if err != nil {
			return err
		}
		p, after := w.places[w.categories[i].place], w.linked(i, of, done)
		read := func() (table.Items, error) { return w.table.Read(ctx, keys[n]) }
		what := ""
		became, err := table.RetryFrom(ctx, changeset.ErrStale, items, read, func(items table.Items) (outcome, error) {
			var r changeset.Record
			found, err := items.Get(keys[n], &r)
			if err == nil && !found {
				err = fmt.Errorf("category %d was deleted meanwhile: please try again", after.ID)
			}
			if err != nil {
				return 0, err
			}
			what = fmt.Sprintf("category %d of %s differs: %s", after.ID, p, differingCategory(r.Category(), after))
			return w.settleCategory(ctx, p, r, after)
		})
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		w.count(transfer.KindCategory, len(w.categories), became, line, what)
	}
	return nil
}

// settleCategory writes what is still missing of a category that was read.
func (w *writing) settleCategory(
	ctx context.Context, p table.Portal, read changeset.Record, after changeset.Category,
) (became outcome, err error) {
	left := read.Unlinked && read.Version == 1 // an import has left it so, and nobody has changed it since
	switch {
	case after.Equal(read.Category()):
		return unchanged, nil
	case !left && !w.options.Update:
		return differs, nil
	}
	if err := w.pace.wait(ctx); err != nil {
		return 0, err
	}
	cs := changeset.New(w.table, p)
	// Finishing an import's own category keeps its time: nobody has changed it.
	became, after.UpdatedAt = changed, cs.Time
	if left {
		became, after.UpdatedAt = created, read.UpdatedAt
	}
	parent, err := w.table.Read(ctx, p.Category(after.Parent))
	if err != nil {
		return 0, err
	}
	if err := cs.Update(ctx, read, after, parent); err != nil {
		return 0, err
	}
	return became, cs.Run(ctx)
}

// differingCategory names the fields that differ.
func differingCategory(there, of changeset.Category) string {
	// The slug and the locale are equal, because the category was found by them.
	return differing(map[string]bool{
		"name":                   of.Name != there.Name,
		"description":            !equal(of.Description, there.Description),
		"position":               !equal(of.Position, there.Position),
		"parent_category_id":     of.Parent != there.Parent,
		"associated_category_id": of.Root != there.Root,
		"related_category_ids":   !slices.Equal(of.Related, there.Related),
	})
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
