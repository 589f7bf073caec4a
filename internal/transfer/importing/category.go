package importing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/category/request"
	"frontdesk/internal/category/tree"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"

	"golang.org/x/text/unicode/norm"
)

// normal returns a category as it is stored: with its slug in Unicode normalization form C, and in a locale in its
// normal form.
func normal(of transfer.Category, p portal.Portal) transfer.Category {
	of.Slug = norm.NFC.String(of.Slug)
	of.Locale = portal.NormalLocale(cmp.Or(of.Locale, p.DefaultLocale))
	return of
}

// offering returns a portal that also offers its former locales, because categories in a file may be in them.
func offering(p portal.Portal) portal.Portal {
	p.Locales = slices.Concat(p.Locales, p.FormerLocales)
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
	made []bool  // this import has made it
}

func (w *written) set(i int, here id.ID, made bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.here[i], w.made[i] = here, made
}

func (w *written) get(i int) (here id.ID, made bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.here[i], w.made[i]
}

// writeCategories writes the categories, and returns the ids that they have here, 0 for those that it has not reached.
//
// Links may lead to categories that do not exist yet, also in circles. So it first creates all categories without their
// links. Then it writes the links, to records that nobody has changed since. Their versions tell them, also in the next
// run after an interruption.
//
// All creations in a portal depend on its record, and all moves on the categories above. So those of one portal come
// one after the other.
func (w *writing) writeCategories(ctx context.Context, portals []portal.Portal) ([]id.ID, error) {
	done := &written{here: make([]id.ID, len(w.categories)), made: make([]bool, len(w.categories))}
	lane := func(i int) id.ID { return id.ID(w.categories[i].place) }
	err := inLanes(ctx, len(w.categories), lane, func(ctx context.Context, some []int) error {
		return w.createCategories(ctx, some, portals, done)
	})
	if err != nil {
		return done.here, err
	}
	// A parent has its final place before others move below it: what was there before may be upside down.
	downwards := make([]int, len(w.categories))
	for i := range downwards {
		downwards[i] = i
	}
	slices.SortStableFunc(downwards, func(a, b int) int { return w.depths[a] - w.depths[b] })
	lane = func(i int) id.ID { return id.ID(w.categories[downwards[i]].place) }
	return done.here, inLanes(ctx, len(downwards), lane, func(ctx context.Context, some []int) error {
		return w.settleCategories(ctx, picked(downwards, some), done)
	})
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
		here := owner.Category
		if err == nil && !found {
			here, err = w.createCategory(ctx, i, records[n], portals[w.categories[i].place])
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", w.categories[i].Line, err)
		}
		done.set(i, here, !found)
		if found {
			continue
		}
		if w.options.KeepIDs && here != records[n].ID {
			w.mu.Lock()
			w.report.NewIDs++
			w.mu.Unlock()
		}
		if len(stored(records[n]).Linked()) == 0 { // the others are done when they have their links
			w.count(transfer.KindCategory, len(w.categories), created, 0, "")
		}
	}
	return nil
}

// createCategory creates a category without its links, on the condition that the portal is still there. It tries a new
// id when one is taken.
func (w *writing) createCategory(
	ctx context.Context, i int, of transfer.Category, in portal.Portal,
) (here id.ID, err error) {
	if err := w.pace.wait(ctx); err != nil {
		return 0, err
	}
	c := stored(of)
	// In a portal that was there before, an id from the file may have been used: links that lead to a category that is
	// gone stay, and would lead to the new one.
	keep := w.options.KeepIDs && w.destinations[w.categories[i].place].there == nil
	return table.Retry(ctx, changeset.ErrStale, func() (id.ID, error) {
		cs := changeset.New(w.table, in.Key())
		cs.Require(in.Holds(w.table), fmt.Errorf("%s was deleted meanwhile", in.Key()))
		c.ID = id.New()
		if keep {
			c.ID, keep = of.ID, false // only the first attempt takes the old id
		}
		if c.CreatedAt.IsZero() {
			c.CreatedAt = cs.Time
		}
		if c.UpdatedAt.IsZero() {
			c.UpdatedAt = c.CreatedAt
		}
		if len(c.Linked()) > 0 {
			cs.CreateWithoutLinks(c)
		} else {
			cs.Create(c)
		}
		return c.ID, cs.Run(ctx)
	})
}

// stored returns a category of the file, with the ids of the file.
func stored(of transfer.Category) tree.Category {
	return tree.Category{
		Name: of.Name, Slug: of.Slug, Locale: of.Locale, Description: of.Description, Position: of.Position,
		Parent: of.Parent, Root: of.Root, Related: of.Related, CreatedAt: of.CreatedAt, UpdatedAt: of.UpdatedAt,
	}
}

// linked returns a category of the file with the ids of the table.
func (w *writing) linked(i int, of transfer.Category, done *written) tree.Category {
	here := func(other id.ID) id.ID {
		if other == 0 {
			return 0
		}
		target, _ := done.get(w.categoryAt[categoryKey{w.categories[i].place, other}])
		return target
	}
	c := stored(of)
	c.ID, _ = done.get(i)
	c.Parent, c.Root, c.Related = here(of.Parent), here(of.Root), nil
	for _, other := range of.Related {
		c.Related = append(c.Related, here(other))
	}
	return c
}

// settleCategories writes the links of the categories that it has made, and compares those that were there before.
func (w *writing) settleCategories(ctx context.Context, at []int, done *written) error {
	keys := make([]table.Key, len(at))
	for n, i := range at {
		here, _ := done.get(i)
		keys[n] = w.places[w.categories[i].place].Category(here)
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
		after := w.linked(i, of, done)
		if _, made := done.get(i); made && len(after.Linked()) == 0 {
			continue // it was done when it was created
		}
		read := func() (table.Items, error) { return w.table.Read(ctx, keys[n]) }
		settle := func(items table.Items) (settled, error) {
			var r changeset.Record
			found, err := items.Get(keys[n], &r)
			if err != nil {
				return settled{}, err
			}
			return w.settleCategory(ctx, i, r, found, after, done)
		}
		s, err := table.RetryFrom(ctx, changeset.ErrStale, items, read, settle)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		w.count(transfer.KindCategory, len(w.categories), s.became, line, s.what)
	}
	return nil
}

// settled is what became of a category, and how it differs.
type settled struct {
	became outcome
	what   string
}

// settleCategory writes what is still missing of a category that was read.
func (w *writing) settleCategory(
	ctx context.Context, i int, read changeset.Record, found bool, after tree.Category, done *written,
) (settled, error) {
	p, there := w.places[w.categories[i].place], read.Category
	_, made := done.get(i)
	name := fmt.Sprintf("category %d of %s", after.ID, p)
	became, keeps := changed, time.Time{}
	switch {
	case !found && made:
		return settled{differs, name + " was deleted meanwhile"}, nil
	case !found:
		return settled{}, fmt.Errorf("category %d was deleted meanwhile: please try again", after.ID)
	case after.Equal(there) && made:
		return settled{created, ""}, nil
	case after.Equal(there):
		return settled{unchanged, ""}, nil
	case read.AwaitsLinks(): // nobody has changed it, so it keeps its time
		became, keeps = created, read.UpdatedAt
	case made:
		return settled{differs, name + " was changed meanwhile, and has not got its links"}, nil
	case !w.options.Update:
		return settled{differs, name + " differs: " + differingCategory(there, after)}, nil
	}
	if err := w.pace.wait(ctx); err != nil {
		return settled{}, err
	}
	above, err := w.readAbove(ctx, i, done)
	if err != nil {
		return settled{}, err
	}
	cs := changeset.New(w.table, p)
	after.UpdatedAt = keeps
	if keeps.IsZero() {
		after.UpdatedAt = cs.Time
	}
	if err := cs.Update(ctx, read, after, after, above); err != nil {
		return settled{}, err
	}
	return settled{became, ""}, cs.Run(ctx)
}

// readAbove reads the categories that are above one in the file, in one call, so that a move need not climb.
func (w *writing) readAbove(ctx context.Context, i int, done *written) (table.Items, error) {
	var keys []table.Key
	of := w.categories[i]
	for of.parent != 0 && len(keys) < table.MaxItems {
		at := w.categoryAt[categoryKey{of.place, of.parent}]
		here, _ := done.get(at)
		keys = append(keys, w.places[of.place].Category(here))
		of = w.categories[at]
	}
	return w.table.Read(ctx, keys...)
}

// differingCategory names the fields that differ.
func differingCategory(there, of tree.Category) string {
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
