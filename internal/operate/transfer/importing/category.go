package importing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/service/category/changeset"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/category/request"
	"frontdesk/internal/service/category/tree"

	"golang.org/x/text/unicode/norm"
)

// categoryLine is a category of the file.
type categoryLine struct {
	line   int
	number id.ID // stands for the category where rules compare ids; counted from 1 in its portal
	old    transfer.ID
	record transfer.Category // what the file says; with the slug and the locale as they are stored, once it is checked

	parent, root *categoryLine
	related      []*categoryLine

	id      id.ID          // 0 if the table does not have the category
	stored  *tree.Category // as the table had it before the import; nil if it did not, or is to be read again
	made    bool           // this import has made it
	waiting bool           // it has yet to get its root and its related categories
}

func (v *validator) gatherCategory(line transfer.Line, record transfer.Category) {
	p := v.portal(record.Account, record.Portal)
	if p.categoryOf[record.ID] != nil {
		if !line.Wrong("account", "portal", "id") {
			v.fault(line.Number, "the file has category %s of %s twice", record.ID, p.key)
		}
		return
	}
	c := &categoryLine{line: line.Number, number: id.ID(len(p.categories) + 1), old: record.ID, record: record}
	p.categoryOf[record.ID] = c
	p.categories = append(p.categories, c)
}

func (c content) countCategories() (n int) {
	for _, p := range c.portals {
		n += len(p.categories)
	}
	return n
}

// checkCategory checks a category against the API's rules, and that its slug is its own. Without the portal's locales
// nothing is wrong with the category's own.
func (v *validator) checkCategory(line transfer.Line, record transfer.Category) {
	p := v.portal(record.Account, record.Portal)
	c := p.categoryOf[record.ID]
	if c.line != line.Number { // gather has told of the second line with an id, and keeps the first
		c = &categoryLine{line: line.Number, old: record.ID, record: record}
	}
	v.checkPortal(line, p)
	if v.options.KeepIDs && !p.exists && !line.Wrong("id") {
		v.checkKeptID(line.Number, record.ID, "category")
	}
	after := p.after()
	c.record.Slug = norm.NFC.String(record.Slug)
	c.record.Locale = portal.NormalLocale(cmp.Or(record.Locale, after.DefaultLocale))
	c.parent, c.root = p.categoryOf[record.Parent], p.categoryOf[record.Root]
	for _, related := range record.Related {
		c.related = append(c.related, p.categoryOf[related])
	}
	exists := func(number id.ID) bool { return number > 0 }
	changes := c.changes()
	changes.Locale.Given = p.exists || p.line != 0 && !p.faulty
	err := changes.Check(c.number, offering(after), exists)
	v.broken(line, err)
	if err == error(portal.ErrBlankSlug) { // which the API answers alone
		changes.Slug.Given = false
		v.broken(line, changes.Check(c.number, offering(after), exists))
	}
	if err == nil && changes.Locale.Given && !line.Wrong("slug", "locale") {
		v.claim(line.Number, c.slug(p), fmt.Sprintf("the slug %s in the locale %s", c.record.Slug, c.record.Locale))
	}
}

// offering returns a portal that also offers its former locales, because categories in a file may be in them.
func offering(p portal.Portal) portal.Portal {
	p.Locales = slices.Concat(p.Locales, p.FormerLocales)
	return p
}

// changes returns the category as a request of the API, so that the API's rules can check it. Numbers stand for ids.
func (c *categoryLine) changes() request.Changes {
	number := func(other *categoryLine) id.ID {
		if other == nil {
			return -1
		}
		return other.number
	}
	related := make([]id.ID, len(c.related))
	for i, other := range c.related {
		related[i] = number(other)
	}
	changes := request.Changes{
		Name:    request.Field[string]{Given: true, Value: c.record.Name},
		Slug:    request.Field[string]{Given: true, Value: c.record.Slug},
		Locale:  request.Field[string]{Given: true, Value: c.record.Locale},
		Parent:  request.Field[id.ID]{Given: c.record.Parent != "", Value: number(c.parent)},
		Root:    request.Field[id.ID]{Given: c.record.Root != "", Value: number(c.root)},
		Related: request.Field[[]id.ID]{Given: true, Value: related},
	}
	if c.record.Description != nil {
		changes.Description = request.Field[string]{Given: true, Value: *c.record.Description}
	}
	return changes
}

// checkTree finds categories that are above themselves, and sorts the others so that parents come before those below
// them.
func (v *validator) checkTree(p *portalLine) {
	type state int
	const climbed, placed state = 1, 2
	states := make(map[*categoryLine]state, len(p.categories))
	downwards := make([]*categoryLine, 0, len(p.categories))
	for _, c := range p.categories {
		var path []*categoryLine // from c upwards, as far as nothing is known
		for ; c != nil && states[c] == 0; c = c.parent {
			states[c] = climbed
			path = append(path, c)
		}
		if c != nil && states[c] == climbed { // the path has met itself
			for _, on := range path[slices.Index(path, c):] {
				v.fault(on.line, "category %s is above itself: its parents make a circle", on.old)
			}
		}
		for _, c := range slices.Backward(path) {
			states[c] = placed
			downwards = append(downwards, c)
		}
	}
	p.categories = downwards
}

// readCategories finds the categories that exist by slug. It reads the portals whole: a link to a category that is gone
// counts as none.
func (p *Plan) readCategories(ctx context.Context) error {
	return inParallel(ctx, p.portals, func(ctx context.Context, in *portalLine) error {
		if !in.exists || len(in.categories) == 0 {
			return nil
		}
		records, err := table.QueryAll[changeset.Record](ctx, p.table, in.key.Categories(), table.Records)
		if err != nil {
			return err
		}
		var whole tree.Tree
		bySlug := make(map[table.Key]int, len(records)) // their places in records
		for i, r := range records {
			whole.Put(r.Category)
			bySlug[in.key.SlugOwner(r.Locale, r.Slug)] = i
		}
		for _, c := range in.categories {
			if i, found := bySlug[c.slug(in)]; found {
				c.id, c.waiting = records[i].ID, records[i].AwaitsLinks()
				c.stored = new(whole.Living(records[i].Category))
			}
		}
		return nil
	})
}

// slug returns the key of the claim on the category's slug.
func (c *categoryLine) slug(p *portalLine) table.Key {
	return p.key.SlugOwner(c.record.Locale, c.record.Slug)
}

// writeCategories writes the categories. All creations in a portal depend on its record, so those of one portal come
// one after the other.
//
// A category is created below its parent. Its other links may lead to categories that do not exist yet, also in
// circles: then it gets them when all are there, unless somebody has changed it since. Its version tells that, also in
// the next run after an interruption.
func (w *writer) writeCategories(ctx context.Context) error {
	return inParallel(ctx, w.portals, func(ctx context.Context, p *portalLine) error {
		for _, write := range []func(context.Context, *portalLine, *categoryLine) error{
			w.createCategory, w.settleCategory,
		} {
			for _, c := range p.categories {
				if err := write(ctx, p, c); err != nil {
					return fmt.Errorf("line %d: %w", c.line, err)
				}
			}
		}
		return nil
	})
}

// createCategory creates a category that does not exist, on the condition that the portal is still there. It tries a
// new id when one is taken.
func (w *writer) createCategory(ctx context.Context, p *portalLine, c *categoryLine) error {
	if c.id != 0 {
		return nil
	}
	if err := w.pace(ctx); err != nil {
		return err
	}
	// In a portal that was there before, an id from the file may have been used: links that lead to a category that is
	// gone stay, and would lead to the new one.
	kept, _ := c.old.Number()
	keep := w.options.KeepIDs && p.made
	c.waiting = slices.ContainsFunc(slices.Concat(c.related, []*categoryLine{c.root}), func(to *categoryLine) bool {
		return to != nil && to.id == 0
	})
	_, err := table.Retry(ctx, changeset.ErrStale, func() (struct{}, error) {
		cs := changeset.New(w.table, p.key)
		cs.Require(p.stored.Require, fmt.Errorf("%s was deleted meanwhile", p.key))
		new := c.category(id.New())
		if keep {
			new.ID, keep = kept, false // only the first attempt takes the old id
		}
		if new.CreatedAt.IsZero() {
			new.CreatedAt = cs.Time
		}
		if new.UpdatedAt.IsZero() {
			new.UpdatedAt = new.CreatedAt
		}
		if c.waiting {
			cs.CreateAwaitingLinks(new)
		} else {
			cs.Create(new)
		}
		err := cs.Run(ctx)
		if fault, ok := errors.AsType[*api.Error](err); ok && fault.Code == changeset.SlugTaken && err == error(fault) {
			return struct{}{}, w.findCategory(ctx, p, c)
		}
		if err == nil {
			c.id, c.made = new.ID, true
		}
		return struct{}{}, err
	})
	if err == nil && c.made && w.options.KeepIDs && c.id != kept {
		w.mu.Lock()
		w.report.NewIDs++
		w.mu.Unlock()
	}
	return err
}

// findCategory finds the category that has got the slug meanwhile. It returns [changeset.ErrStale] when that is gone
// again.
func (w *writer) findCategory(ctx context.Context, p *portalLine, c *categoryLine) error {
	items, err := w.table.Read(ctx, c.slug(p))
	if err != nil {
		return err
	}
	var owner changeset.SlugOwner
	found, err := items.Get(c.slug(p), &owner)
	if err == nil && !found {
		err = changeset.ErrStale
	}
	c.id, c.waiting = owner.Category, true
	return err
}

// category returns the category as it should be, with an id of the table. It has no link to a category that does not
// exist yet.
func (c *categoryLine) category(id id.ID) tree.Category {
	all := tree.Category{
		ID: id, Name: c.record.Name, Slug: c.record.Slug, Locale: c.record.Locale, Description: c.record.Description,
		Position: c.record.Position, CreatedAt: c.record.CreatedAt, UpdatedAt: c.record.UpdatedAt,
	}
	if c.parent != nil {
		all.Parent = c.parent.id
	}
	if c.root != nil {
		all.Root = c.root.id
	}
	for _, to := range c.related {
		all.Related = append(all.Related, to.id)
	}
	return all
}

// settleCategory counts a category that is as it should be, or that differs. One that waits for its links gets them.
func (w *writer) settleCategory(ctx context.Context, p *portalLine, c *categoryLine) error {
	after := c.category(c.id)
	name := fmt.Sprintf("category %d of %s", c.id, p.key)
	switch {
	case c.made && !c.waiting:
		w.count(transfer.KindCategory, created, c.line, "")
		return nil
	case !c.waiting:
		difference := differingCategory(*c.stored, after)
		w.count(transfer.KindCategory, outcomeOf(difference), c.line, name+" differs: "+difference)
		return nil
	}
	settled, err := table.Retry(ctx, changeset.ErrStale, func() (settled, error) {
		return w.linkCategory(ctx, p, c, after)
	})
	if err == nil {
		w.count(transfer.KindCategory, settled.outcome, c.line, name+settled.what)
	}
	return err
}

// settled is what became of a category that waited for its links, and what is to say of it.
type settled struct {
	outcome outcome
	what    string
}

// linkCategory reads a category, and gives it its links if nobody has changed it since an import has made it. It keeps
// its other fields, and its time.
func (w *writer) linkCategory(
	ctx context.Context, p *portalLine, c *categoryLine, after tree.Category,
) (settled, error) {
	key := p.key.Category(c.id)
	items, err := w.table.Read(ctx, key)
	if err != nil {
		return settled{}, err
	}
	var read changeset.Record
	found, err := items.Get(key, &read)
	if err != nil {
		return settled{}, err
	}
	if !found {
		return settled{differs, " was deleted meanwhile"}, nil
	}
	stored, result := read.Category, unchanged
	if c.made {
		result = created
	}
	updated := stored
	updated.Parent, updated.Root, updated.Related = after.Parent, after.Root, after.Related
	if read.AwaitsLinks() && !updated.Equal(stored) {
		if err := w.pace(ctx); err != nil {
			return settled{}, err
		}
		cs := changeset.New(w.table, p.key)
		if err := cs.Update(ctx, read, updated, updated, items); err != nil {
			return settled{}, err
		}
		if err := cs.Run(ctx); err != nil {
			return settled{}, err
		}
		stored = updated
		if !c.made {
			result = changed
		}
	}
	difference := differingCategory(stored, after)
	switch {
	case difference == "":
		return settled{result, ""}, nil
	case c.made:
		return settled{differs, " was changed meanwhile, and has not got its links"}, nil
	}
	return settled{differs, " differs: " + difference}, nil
}

// differingCategory names the fields that differ.
func differingCategory(stored, wanted tree.Category) string {
	// The slug and the locale are equal, because the category was found by them.
	return differing(map[string]bool{
		"name":                   wanted.Name != stored.Name,
		"description":            !equal(wanted.Description, stored.Description),
		"position":               !equal(wanted.Position, stored.Position),
		"parent_category_id":     wanted.Parent != stored.Parent,
		"associated_category_id": wanted.Root != stored.Root,
		"related_category_ids":   !slices.Equal(wanted.Related, stored.Related),
	})
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
