// Package changeset writes a change of categories in one transaction, a [ChangeSet], so that the items of a category
// always fit together.
//
// A category has items of these kinds, all in the partition of its portal:
//   - A [Record] holds the fields, the outgoing links, the count of the incoming ones, and a version.
//   - A [SlugOwner] keeps other categories from taking its slug in its locale.
//   - An [Order] is its place in the list of its locale. With it, a page of the list is read without the rest. For a
//     moment there may be a second one, which the category has left: see [ChangeSet.Reorder].
//   - A [Ref] for each incoming link lets a reader find these links from their target.
//
// Every write has the condition that the items are still as they were read. When one is not, [ChangeSet.Run] returns
// [ErrStale], and the caller reads again and makes a new change set.
//
// Parents never form a circle, whoever moves what at the same time. A move is written on the condition that certain
// categories still have the parents that were read. There are two cases:
//
//  1. A category above both the new parent and the moved category was found. Take the nearest one. The condition holds
//     the new parent and all between it and the nearest one. On the other side it holds the moved category and all
//     between that and the nearest one.
//  2. No such category was found. The condition holds the new parent and all that are above it.
//
// In case 2, the condition holds the whole line above the new parent at the moment of the write, and the moved category
// is not in it. In case 1, the moved category is not between the new parent and the nearest one. It is not above the
// nearest one either, because that one is above it, and there was no circle before. So in both cases the moved category
// is not above its new parent, and the move makes no circle. Case 1 needs the side of the moved category as well:
// otherwise the nearest one could meanwhile have been moved below it.
//
// All other writes remove parents, or give one to a new category, which is above none. What is above both categories is
// not held, so moves in different branches do not meet.
package changeset

import (
	"context"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// How many links to a category one transaction of at most 100 operations can end. Each link takes two operations. The
// category with its slug, its places in the list and its own links takes up to 48.
const (
	MaxDeleteRefs = 25 // [ChangeSet.Delete], together with the category
	MaxUnlinkRefs = 49 // [ChangeSet.Unlink], before that
)

// ChangeSet is one transaction on the categories of a portal. DynamoDB accepts only one operation for each item of a
// transaction. So a change set first gathers what several links do to one category (neighbours), and [ChangeSet.Run]
// writes it as one operation.
type ChangeSet struct {
	Time time.Time // of the change, in UTC and whole milliseconds, as the API shows it

	table      table.Table
	portal     table.Portal
	tx         *table.Tx
	neighbours []*neighbour
}

// New begins a change of categories of a portal.
func New(t table.Table, p table.Portal) *ChangeSet {
	return &ChangeSet{Time: time.Now().UTC().Truncate(time.Millisecond), table: t, portal: p, tx: t.Tx()}
}

// Require adds a condition on an item that is no category. [ChangeSet.Run] returns otherwise when it fails.
func (cs *ChangeSet) Require(c *dynamo.ConditionCheck, otherwise error) { cs.tx.Check(c, otherwise) }

// Create adds a new category with its slug and its links. No check for circles is needed: nothing is below it yet.
func (cs *ChangeSet) Create(c Category) {
	cs.tx.Put(cs.table.Put(NewRecord(cs.portal, c)).If("attribute_not_exists(PK)"), ErrStale)
	cs.claimSlug(c)
	cs.putOrder(c)
	for _, l := range c.Links() {
		cs.addLink(c.ID, l)
	}
}

// Update adds the change of a category from the state that was read to after, except its id and its time of creation.
// It refuses a new parent that is below the category. items were read with the category; the new parent is among them.
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

// Delete adds the deletion of a category that was read, with every link from it and to it. incoming must be all links
// to it, at most [MaxDeleteRefs]; the count in the record proves it.
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

// Unlink adds the deletion of up to [MaxUnlinkRefs] links to a category. It also closes the category to new links,
// which could otherwise come faster than Unlink ends them. Each link costs 4 write units when its categories have up to
// 1 KB.
func (cs *ChangeSet) Unlink(refs []Ref) {
	for _, r := range refs {
		cs.neighbour(r.Target).closed = true
		cs.removeLink(r.Source, r.Link())
		cs.unlink(r)
	}
}

// Run writes everything, or nothing. It returns [ErrStale] when something was changed since it was read. Errors of kind
// api.Invalid say that a slug is taken, that the target of a new link is gone, or that a move is too large. Other
// errors come from [table.Tx.Run].
func (cs *ChangeSet) Run(ctx context.Context) error {
	for _, n := range cs.neighbours {
		cs.writeNeighbour(n)
	}
	if cs.tx.Len() > table.MaxWrites {
		return errTooMuch
	}
	return cs.tx.Run(ctx)
}

// claimSlug takes a category's slug in its locale. The item's key is the slug, so two categories cannot both create it.
func (cs *ChangeSet) claimSlug(c Category) {
	owner := SlugOwner{cs.portal.SlugOwner(c.Locale, c.Slug), c.ID}
	cs.tx.Put(cs.table.Put(owner).If("attribute_not_exists(PK)"), errSlugTaken)
}

// releaseSlug gives the slug free for other categories.
func (cs *ChangeSet) releaseSlug(c Category) {
	k := cs.portal.SlugOwner(c.Locale, c.Slug)
	cs.tx.Delete(cs.table.DeleteItem(k).If("category = ?", c.ID), ErrStale)
}
