// Package changeset keeps together what belongs to a category, in one transaction: a [ChangeSet].
//
// A category has items of these kinds, all in the partition of its portal:
//   - a [Record], with the links that go out from it, the count of those that lead to it, and a version
//   - a [SlugOwner], so that no other category has its slug in its locale
//   - an [Order], its place in the list of its locale, so that a page of the list is read without the rest of it; for a
//     moment there may be a second one, which it has left: see [ChangeSet.Reorder]
//   - for each link that leads to it a [Ref], so that they are found from there
//
// Every write is on condition that the items are as they were read; where they are not, [ChangeSet.Run] returns
// [ErrStale], and the change is read and made again.
//
// Parents make no circle, whoever moves what at the same time. A move is written on condition that these still have the
// parents that were read: the new parent and those above it, as far as the nearest one that is above the moved category
// too, and on the other side the moved category and those above it, as far as the same one; where there is no such
// one, the new parent and all that are above it. In the second case all that is above the new parent when the move is
// written was read, and the moved category is not among it. In the first case it is not between the new parent and the
// one above both, and it is not above that one either, because that one is above it, and there was no circle before. So
// the moved category is not above its new parent, and there is none after. (The side of the moved category counts: the
// one above both could else have been brought below it meanwhile.) All other writes take parents away, or give one to a
// new category, which is above none. What is above both is not held, so that moves in different branches do not meet.
package changeset

import (
	"context"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// How many links to a category end in one transaction of at most 100 operations. Each takes two; the category, its
// slug, its places in the list and its own links take up to 48.
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

// Require adds a condition on an item beside the categories. Otherwise is the error of [ChangeSet.Run] where it fails.
func (cs *ChangeSet) Require(c *dynamo.ConditionCheck, otherwise error) { cs.tx.Check(c, otherwise) }

// Create adds a new category with its slug and its links. Its parent need not be checked: nothing is below it yet.
func (cs *ChangeSet) Create(c Category) {
	cs.tx.Put(cs.table.Put(NewRecord(cs.portal, c)).If("attribute_not_exists(PK)"), ErrStale)
	cs.claimSlug(c)
	cs.putOrder(c)
	for _, l := range c.Links() {
		cs.addLink(c.ID, l)
	}
}

// Update adds the change of a category from what was read to after, all but its id and the time of its creation. A new
// parent is refused where it is below the category; items are what was read with the category, the parent among them.
func (cs *ChangeSet) Update(ctx context.Context, read Record, after Category, items table.Items) error {
	before := read.Category()
	if after.Parent != 0 && after.Parent != before.Parent {
		m := move{before.ID, after.Parent, map[id.ID]id.ID{before.ID: before.Parent}}
		if err := cs.holdAncestors(ctx, m, items); err != nil {
			return err
		}
	}
	u := cs.table.UpdateItem(read.Key).If("version = ?", read.Version).Add("version", 1)
	setFields(u.Set("updated_at", after.UpdatedAt), after)
	if before.Unlinked && !after.Unlinked {
		u.Remove("unlinked")
	}
	cs.removeLeft(read, u, NewOrder(cs.portal, after))
	cs.tx.Update(u, ErrStale)
	if before.Slug != after.Slug || before.Locale != after.Locale {
		cs.releaseSlug(before)
		cs.claimSlug(after)
	}
	cs.moveOrder(before, after)
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
	cs.removeOrder(c)
	cs.removeLeft(read, nil, Order{})
	for _, l := range c.Links() {
		cs.removeLink(c.ID, l)
	}
	for _, r := range incoming {
		cs.removeRef(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Unlink adds the deletion of links to a category, at most [MaxUnlinkRefs], and closes it to new ones: those could come
// faster than it ends them. It takes 4 write units for each link, of categories of up to 1 KB.
func (cs *ChangeSet) Unlink(refs []Ref) {
	for _, r := range refs {
		cs.neighbour(r.Target).closed = true
		cs.removeLink(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Run writes everything, or nothing. Its error is [ErrStale]; or of kind api.Invalid, where a slug is taken, the target
// of a new link is gone, or a move is too large; or otherwise what [table.Tx.Run] returns.
func (cs *ChangeSet) Run(ctx context.Context) error {
	for _, n := range cs.neighbours {
		cs.writeNeighbour(n)
	}
	if cs.tx.Len() > table.MaxWrites {
		return errTooMuch
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
