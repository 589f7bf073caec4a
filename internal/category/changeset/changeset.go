// Package changeset keeps together what belongs to a category, in one transaction: a [ChangeSet].
//
// A category has items of these kinds, all in the partition of its portal:
//   - a [Record], with the links that go out from it, the count of those that lead to it, and a version
//   - a [SlugOwner], so that no other category has its slug in its locale
//   - for each link that leads to it a [Ref], so that they are found from there
//
// A portal has the version of its tree besides, so that no two moves make a circle together. Every write is on
// condition that the items are as they were read; where they are not, [ChangeSet.Run] returns [ErrStale], and the
// change is read and made again.
package changeset

import (
	"context"
	"time"

	"frontdesk/internal/table"
)

// How many links to a category end in one transaction of at most 100 operations. Each takes two; the category, its slug
// and its own links take up to 46.
const (
	MaxDeleteRefs = 25 // together with the category, by [ChangeSet.Delete]
	MaxUnlinkRefs = 49 // before, by [ChangeSet.Unlink]
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

// New begins a change of the categories of a portal.
func New(t table.Table, p table.Portal) *ChangeSet {
	return &ChangeSet{Time: time.Now().UTC().Truncate(time.Millisecond), table: t, portal: p, tx: t.Tx()}
}

// Create adds a new category with its slug and its links. Its parent need not be checked: nothing is below it yet.
func (cs *ChangeSet) Create(c Category) {
	cs.tx.Put(cs.table.Put(newRecord(cs.portal, c)).If("attribute_not_exists(PK)"), ErrStale)
	cs.claimSlug(c)
	for _, l := range c.Links() {
		cs.addLink(c.ID, l)
	}
}

// Update adds the change of a category from what was read to after, all but its id and the time of its creation. A new
// parent is refused where it is below the category; tree is the [TreeVersion] that was read with the category.
func (cs *ChangeSet) Update(ctx context.Context, read Record, after Category, tree int64) error {
	before := read.Category()
	moves := after.Parent != 0 && after.Parent != before.Parent
	if moves {
		if err := cs.checkAncestors(ctx, before.ID, after.Parent); err != nil {
			return err
		}
	}
	u := cs.table.UpdateItem(read.Key).If("version = ?", read.Version).Add("version", 1)
	setFields(u.Set("updated_at", after.UpdatedAt), after)
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

// Delete adds the deletion of a category that was read, and of every link from it and to it. Incoming are all links to
// it, at most [MaxDeleteRefs].
func (cs *ChangeSet) Delete(read Record, incoming []Ref) {
	c := read.Category()
	d := cs.table.DeleteItem(read.Key).If("version = ?", read.Version).If("incoming = ?", len(incoming))
	cs.tx.Delete(d, ErrStale)
	cs.releaseSlug(c)
	for _, l := range c.Links() {
		cs.removeLink(c.ID, l)
	}
	for _, r := range incoming {
		cs.removeRef(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Unlink adds the deletion of links to a category, at most [MaxUnlinkRefs].
func (cs *ChangeSet) Unlink(refs []Ref) {
	for _, r := range refs {
		cs.removeLink(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Run writes everything, or nothing. Its error is [ErrStale]; or of code api.Invalid, where a slug is taken or the
// target of a new link is gone; or otherwise what [table.Tx.Run] returns.
func (cs *ChangeSet) Run(ctx context.Context) error {
	for _, n := range cs.neighbours {
		cs.updateNeighbour(n)
	}
	return cs.tx.Run(ctx)
}

// claimSlug claims a category's slug in its locale, unless another category has it.
func (cs *ChangeSet) claimSlug(c Category) {
	owner := SlugOwner{cs.portal.SlugOwner(c.Locale, c.Slug), c.ID}
	cs.tx.Put(cs.table.Put(owner).If("attribute_not_exists(PK)"), errSlugTaken)
}

// releaseSlug ends the claim, so that another category may have the slug.
func (cs *ChangeSet) releaseSlug(c Category) {
	k := cs.portal.SlugOwner(c.Locale, c.Slug)
	cs.tx.Delete(cs.table.DeleteItem(k).If("category = ?", c.ID), ErrStale)
}
