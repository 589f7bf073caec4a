package category

import (
	"context"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// errStale is a write that met a state other than the one it was made for: read again, and make it anew.
var errStale = api.Errorf(api.Conflict, "The category was changed by somebody else at the same time, please try again")

// edit is one transaction on the categories of a portal. It takes at most one operation for each item, so
// what happens to one category by several links is gathered first.
type edit struct {
	table   table.Table
	portal  table.Portal
	now     time.Time
	tx      *table.Tx
	touched map[id.ID]*touch
	order   []id.ID
}

// touch is what happens to a category at the other end of links.
type touch struct {
	incoming int64  // by how much it rises
	gone     error  // what it means when the category does not exist
	dropped  []link // links of its own that end
}

func (s *Service) edit(p table.Portal) *edit {
	return &edit{table: s.Table, portal: p, now: now(), tx: s.Table.Tx(), touched: map[id.ID]*touch{}}
}

func (e *edit) touch(category id.ID) *touch {
	t := e.touched[category]
	if t == nil {
		t = &touch{}
		e.touched[category] = t
		e.order = append(e.order, category)
	}
	return t
}

// add adds a link's record, and counts it at its target, which must exist.
func (e *edit) add(source id.ID, l link) {
	e.tx.Put(e.table.Put(newRef(e.portal, source, l)), nil)
	t := e.touch(l.target)
	t.incoming++
	if t.gone == nil {
		t.gone = missing(l)
	}
}

// remove removes a link's record, and counts it off at its target.
func (e *edit) remove(source id.ID, l link) {
	e.removeRef(source, l)
	e.touch(l.target).incoming--
}

// removeRef removes a link's record alone, for a target that goes with it.
func (e *edit) removeRef(source id.ID, l link) {
	k := e.portal.Ref(l.target, l.kind, source)
	e.tx.Delete(e.table.Delete("PK", k.PK).Range("SK", k.SK).If("attribute_exists(PK)"), errStale)
}

// drop ends a link in the record that it goes out from.
func (e *edit) drop(source id.ID, l link) {
	t := e.touch(source)
	t.dropped = append(t.dropped, l)
}

// own, disown: who a slug belongs to.
func (e *edit) own(c Category) {
	owner := slugOwner{e.portal.SlugOwner(c.Locale, c.Slug), c.ID}
	e.tx.Put(e.table.Put(owner).If("attribute_not_exists(PK)"), errSlugTaken)
}

func (e *edit) disown(c Category) {
	k := e.portal.SlugOwner(c.Locale, c.Slug)
	e.tx.Delete(e.table.Delete("PK", k.PK).Range("SK", k.SK).If("category = ?", c.ID), errStale)
}

// update begins an update of a category's record.
func (e *edit) update(category id.ID) *dynamo.Update {
	k := e.portal.Category(category)
	return e.table.Update("PK", k.PK).Range("SK", k.SK)
}

// run writes everything.
func (e *edit) run(ctx context.Context) error {
	for _, category := range e.order {
		t := e.touched[category]
		if t.incoming == 0 && len(t.dropped) == 0 {
			continue // one link went as another came
		}
		u, otherwise := e.update(category).If("attribute_exists(PK)"), t.gone
		if t.incoming != 0 {
			u.Add("incoming", t.incoming)
		}
		if len(t.dropped) > 0 {
			u.Add("version", 1).Set("updated_at", e.now)
		}
		for _, l := range t.dropped {
			unset(u, l)
		}
		if otherwise == nil {
			otherwise = errStale
		}
		e.tx.Update(u, otherwise)
	}
	return e.tx.Run(ctx)
}

// unset takes a link out of the record that it goes out from, where it must stand.
func unset(u *dynamo.Update, l link) {
	switch l.kind {
	case table.Sub:
		u.Remove("parent").If("parent = ?", l.target)
	case table.Assoc:
		u.Remove("root").If("root = ?", l.target)
	case table.Related:
		u.RemoveExpr("related.$", l.target.String()).If("attribute_exists(related.$)", l.target.String())
	}
}
