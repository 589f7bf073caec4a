// Package changeset keeps together what belongs to a category: its record, the slug that it has claimed, and its links,
// each with a record of its own beside the category that it leads to, and counted there. A [ChangeSet] changes them in
// one transaction.
package changeset

import (
	"context"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// A transaction has up to 100 operations. Of them a category, its slug and its own links take up to 46, each link
// that leads to it takes two, and two are left over.
const (
	MaxDeleteRefs = 25 // of [ChangeSet.Delete]
	MaxUnlinkRefs = 49 // of [ChangeSet.Unlink]
)

// ChangeSet is one transaction on the categories of a portal. DynamoDB takes one operation for each item, so what
// several links do to one category is gathered first.
type ChangeSet struct {
	Time time.Time // of the change: in UTC, and in milliseconds, as exact as the API tells it

	table      table.Table
	portal     table.Portal
	tx         *table.Tx
	neighbours []*neighbour
}

// neighbour is a category at the other end of links, and what happens to it.
type neighbour struct {
	id       id.ID
	incoming int64  // by how much its count of incoming links rises
	missing  error  // of Run when the category does not exist
	unlinked []Link // links of its own that end
}

// New begins a change of the categories of a portal.
func New(t table.Table, p table.Portal) *ChangeSet {
	return &ChangeSet{Time: time.Now().UTC().Truncate(time.Millisecond), table: t, portal: p, tx: t.Tx()}
}

// Create adds a new category, with its slug and its links. A new category closes no circle: nothing is below it yet.
func (cs *ChangeSet) Create(c Category) {
	cs.tx.Put(cs.table.Put(newRecord(cs.portal, c)).If("attribute_not_exists(PK)"), ErrStale)
	cs.claimSlug(c)
	for _, l := range c.Links() {
		cs.addLink(c.ID, l)
	}
}

// Update adds what makes another category of one that was read, but for its id and the time of its creation. It
// refuses a new parent below the category. Tree is the [TreeVersion] that was read before.
func (cs *ChangeSet) Update(ctx context.Context, read Record, after Category, tree int64) error {
	before := read.Category()
	moves := after.Parent != 0 && after.Parent != before.Parent
	if moves {
		if err := cs.checkAncestors(ctx, before.ID, after.Parent); err != nil {
			return err
		}
	}
	u := cs.update(before.ID).If("version = ?", read.Version).Add("version", 1).Set("updated_at", after.UpdatedAt)
	setFields(u, after)
	cs.tx.Update(u, ErrStale)
	if moves {
		cs.raiseTree(tree)
	}
	if before.Slug != after.Slug || before.Locale != after.Locale {
		cs.releaseSlug(before)
		cs.claimSlug(after)
	}
	for _, l := range without(before.Links(), after.Links()) {
		cs.removeLink(before.ID, l)
	}
	for _, l := range without(after.Links(), before.Links()) {
		cs.addLink(before.ID, l)
	}
	return nil
}

// Delete adds the end of a category that was read, and of every link from it and to it: incoming are all that lead
// to it, at most [MaxDeleteRefs].
func (cs *ChangeSet) Delete(read Record, incoming []Ref) {
	c := read.Category()
	k := cs.portal.Category(c.ID)
	cs.tx.Delete(cs.table.Delete("PK", k.PK).Range("SK", k.SK).
		If("version = ?", read.Version).If("incoming = ?", len(incoming)), ErrStale)
	cs.releaseSlug(c)
	for _, l := range c.Links() {
		cs.removeLink(c.ID, l)
	}
	for _, r := range incoming {
		cs.removeRef(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Unlink adds the end of links that lead to a category, at most [MaxUnlinkRefs].
func (cs *ChangeSet) Unlink(refs []Ref) {
	for _, r := range refs {
		cs.removeLink(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Run writes everything.
func (cs *ChangeSet) Run(ctx context.Context) error {
	for _, n := range cs.neighbours {
		if n.incoming == 0 && len(n.unlinked) == 0 {
			continue // one link went as another came
		}
		u, otherwise := cs.update(n.id).If("attribute_exists(PK)"), n.missing
		if n.incoming != 0 {
			u.Add("incoming", n.incoming)
		}
		if len(n.unlinked) > 0 {
			u.Add("version", 1).Set("updated_at", cs.Time)
		}
		for _, l := range n.unlinked {
			l.RemoveFrom(u)
		}
		if otherwise == nil {
			otherwise = ErrStale
		}
		cs.tx.Update(u, otherwise)
	}
	return cs.tx.Run(ctx)
}

// addLink adds a link's record, and counts it at its target, which must exist.
func (cs *ChangeSet) addLink(source id.ID, l Link) {
	cs.tx.Put(cs.table.Put(NewRef(cs.portal, source, l)), nil)
	n := cs.neighbour(l.Target)
	n.incoming++
	if n.missing == nil {
		n.missing = errMissing(l)
	}
}

// removeLink removes a link's record, and counts it off at its target.
func (cs *ChangeSet) removeLink(source id.ID, l Link) {
	cs.removeRef(source, l)
	cs.neighbour(l.Target).incoming--
}

// removeRef removes a link's record alone, for a target that goes with it.
func (cs *ChangeSet) removeRef(source id.ID, l Link) {
	k := cs.portal.Ref(l.Target, l.Kind, source)
	cs.tx.Delete(cs.table.Delete("PK", k.PK).Range("SK", k.SK).If("attribute_exists(PK)"), ErrStale)
}

// unlink takes a link out of the category that it goes out from.
func (cs *ChangeSet) unlink(r Ref) {
	n := cs.neighbour(r.Source)
	n.unlinked = append(n.unlinked, r.Link())
}

func (cs *ChangeSet) neighbour(category id.ID) *neighbour {
	for _, n := range cs.neighbours {
		if n.id == category {
			return n
		}
	}
	n := &neighbour{id: category}
	cs.neighbours = append(cs.neighbours, n)
	return n
}

// claimSlug makes a slug a category's, unless it is another one's.
func (cs *ChangeSet) claimSlug(c Category) {
	owner := SlugOwner{cs.portal.SlugOwner(c.Locale, c.Slug), c.ID}
	cs.tx.Put(cs.table.Put(owner).If("attribute_not_exists(PK)"), errSlugTaken)
}

// releaseSlug lets others claim a category's slug.
func (cs *ChangeSet) releaseSlug(c Category) {
	k := cs.portal.SlugOwner(c.Locale, c.Slug)
	cs.tx.Delete(cs.table.Delete("PK", k.PK).Range("SK", k.SK).If("category = ?", c.ID), ErrStale)
}

// update begins an update of a category's record.
func (cs *ChangeSet) update(category id.ID) *dynamo.Update {
	k := cs.portal.Category(category)
	return cs.table.Update("PK", k.PK).Range("SK", k.SK)
}

// setFields sets what a request may change.
func setFields(u *dynamo.Update, c Category) {
	u.Set("name", c.Name).Set("slug", c.Slug).Set("locale", c.Locale)
	orRemove(u, "description", c.Description)
	orRemove(u, "position", c.Position)
	orRemove(u, "parent", nonzero(c.Parent))
	orRemove(u, "root", nonzero(c.Root))
	u.SetNullable("related", places(c.Related)) // an empty one, too: there has to be something to take links from
}

// orRemove sets a field, to the empty string as well.
func orRemove[T any](u *dynamo.Update, name string, value *T) {
	if value == nil {
		u.Remove(name)
	} else {
		u.SetNullable(name, *value)
	}
}

func nonzero(c id.ID) *id.ID {
	if c == 0 {
		return nil
	}
	return &c
}
