// Package changeset writes a change of categories in one transaction, a [ChangeSet], so that the items of a category
// always fit together.
//
// A category has items of three kinds, all in the partition of its portal:
//   - A [Record] holds the fields, the category's own links, and a version.
//   - A [SlugOwner] is its claim on its slug in its locale.
//   - An [IndexItem] for its parent and one for its root lead from these back to it.
//
// Queries, batches and reads one after another are read-committed: while a transaction is applied, they may show one of
// its items as it was, and another as it will be. So no rule rests on what was read. Every rule is a condition of the
// transaction:
//
//	a slug is unique in its locale           the claim is put where there is none
//	the target of a link exists              its record exists, for each link that the request names
//	nothing was changed meanwhile            the record has the version that was read
//	no category is above itself              each record above the new parent has the parent that was read
//	nothing comes into a deleted portal      the target of a link exists; without links, what Require names
//
// A condition that fails makes [ChangeSet.Run] return [ErrStale], or the error of the rule. After ErrStale the caller
// reads again and makes a new change set.
//
// Parents never form a circle, whoever moves what at the same time. A move holds the whole line of categories above its
// new parent as it is at the moment of the write, and the moved category is not in it. So the moved category is not
// above its new parent. All other writes remove parents, or give one to a new category, which is above none.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
package changeset

import (
	"context"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/tree"

	"github.com/guregu/dynamo/v2"
)

// MaxReorder is how many categories one request may give new positions.
const MaxReorder = 50

// ChangeSet is one transaction on the categories of a portal. DynamoDB accepts only one operation for each item of a
// transaction. So a change set gathers the conditions on other categories, and [ChangeSet.Run] adds one operation for
// each of them.
type ChangeSet struct {
	Time time.Time // of the change, in UTC and whole milliseconds, as the API shows it

	table      table.Table
	portal     table.Portal
	tx         *table.Tx
	conditions []*condition
}

// condition is what the transaction wants of a category that it does not write.
type condition struct {
	category id.ID
	missing  error  // what [ChangeSet.Run] returns when the category does not exist
	parent   *id.ID // the parent that it must still have, 0 for none; nil means any
}

// New begins a change of categories of a portal.
func New(t table.Table, p table.Portal) *ChangeSet {
	return &ChangeSet{Time: time.Now().UTC().Truncate(time.Millisecond), table: t, portal: p, tx: t.Tx()}
}

// Require adds a condition on an item that is no category, by what holds it, such as a membership. [ChangeSet.Run]
// returns unmet when it fails.
func (cs *ChangeSet) Require(require func(tx *table.Tx, unmet error), unmet error) {
	require(cs.tx, unmet)
}

// Create adds a new category, whose links must lead to categories that exist. It cannot make a circle: nothing is below
// the category yet.
func (cs *ChangeSet) Create(c tree.Category) { cs.create(c, NewRecord(cs.portal, c, cs.Time)) }

// CreateAwaitingLinks adds a new category that has its parent, and has yet to get its other links: see
// [Record.AwaitsLinks].
func (cs *ChangeSet) CreateAwaitingLinks(c tree.Category) {
	c.Root, c.Related = 0, nil
	r := NewRecord(cs.portal, c, cs.Time)
	r.Version += awaitsLinks
	cs.create(c, r)
}

func (cs *ChangeSet) create(c tree.Category, r Record) {
	cs.tx.Put(cs.table.Put(r).If("attribute_not_exists(PK)"), ErrStale)
	cs.claimSlug(c)
	for _, i := range Index(cs.portal, c) {
		cs.tx.Put(cs.table.Put(i), nil)
	}
	cs.mustExist(c)
}

// Update adds the change of a category from the state that was read to after, except its id and its time of creation.
// named has the links that must lead to categories that exist: those that the request names, also where they stay. A
// link that is gone may stay as long as no request names it. items were read with the category.
//
// Update refuses a new parent that is below the category.
func (cs *ChangeSet) Update(
	ctx context.Context, read Record, after, named tree.Category, items table.Items,
) error {
	before := read.Category
	if after.Parent != 0 && after.Parent != before.Parent {
		if err := cs.requireLine(ctx, before.ID, after.Parent, items); err != nil {
			return err
		}
	}
	cs.mustExist(named)
	u := cs.table.UpdateItem(read.Key).If("version = ?", read.Version).Add("version", 1)
	setFields(u.Set("updated_at", after.UpdatedAt), after)
	cs.tx.Update(u, table.Final(ErrStale))
	if before.Slug != after.Slug || before.Locale != after.Locale {
		cs.releaseSlug(before)
		cs.claimSlug(after)
	}
	kept := map[table.Key]bool{}
	for _, i := range Index(cs.portal, before) {
		kept[i.Key] = true
	}
	for _, i := range Index(cs.portal, after) {
		if !kept[i.Key] {
			cs.tx.Put(cs.table.Put(i), nil)
		}
		delete(kept, i.Key)
	}
	for k := range kept {
		cs.tx.Delete(cs.table.DeleteItem(k), nil)
	}
	return nil
}

// Delete adds the deletion of a category that was read. Links that lead to it stay in the records of others, and count
// as none.
func (cs *ChangeSet) Delete(read Record) {
	c := read.Category
	cs.tx.Delete(cs.table.DeleteItem(read.Key).If("version = ?", read.Version), table.Final(ErrStale))
	cs.releaseSlug(c)
	for _, i := range Index(cs.portal, c) {
		cs.tx.Delete(cs.table.DeleteItem(i.Key), nil)
	}
}

// Reorder adds new positions of up to [MaxReorder] categories that were read. A condition holds a category that already
// has its position, so that all positions are true at one moment. Reorder returns the categories as they will be, and
// whether that changes any.
func (cs *ChangeSet) Reorder(read []Record, positions map[id.ID]*int64) (after []tree.Category, changes bool) {
	for _, r := range read {
		c := r.Category
		moved := c
		moved.Position = positions[r.ID]
		if moved.Equal(c) {
			cs.tx.Check(cs.table.CheckItem(r.Key).If("version = ?", r.Version), table.Final(ErrStale))
		} else {
			moved.UpdatedAt, changes = cs.Time, true
			u := cs.table.UpdateItem(r.Key).If("version = ?", r.Version).Add("version", 1).Set("updated_at", cs.Time)
			setOrRemove(u, "position", moved.Position)
			cs.tx.Update(u, table.Final(ErrStale))
		}
		after = append(after, moved)
	}
	return after, changes
}

// Run writes everything, or nothing. It returns [ErrStale] when something was changed since it was read. Errors of kind
// api.Invalid say that a slug is taken, or that the target of a link is gone. Other errors come from [table.Tx.Run].
func (cs *ChangeSet) Run(ctx context.Context) error {
	for _, c := range cs.conditions {
		unmet := c.missing
		if c.parent != nil {
			unmet = ErrStale // reading it again tells what is wrong
		}
		cs.tx.Check(cs.check(*c), unmet)
	}
	return cs.tx.Run(ctx)
}

// check returns a condition as an operation of a transaction.
func (cs *ChangeSet) check(c condition) *dynamo.ConditionCheck {
	check := cs.table.CheckItem(cs.portal.Category(c.category)).If("attribute_exists(PK)")
	switch {
	case c.parent == nil:
	case *c.parent == 0:
		check.If("attribute_not_exists(parent)")
	default:
		check.If("parent = ?", *c.parent)
	}
	return check
}

// conditionOn returns the condition on a category, and adds one the first time.
func (cs *ChangeSet) conditionOn(category id.ID) *condition {
	for _, c := range cs.conditions {
		if c.category == category {
			return c
		}
	}
	c := &condition{category: category, missing: ErrStale}
	cs.conditions = append(cs.conditions, c)
	return c
}

// mustExist adds that the targets of links exist.
func (cs *ChangeSet) mustExist(links tree.Category) {
	add := func(missing error, targets ...id.ID) {
		for _, target := range targets {
			if target == 0 {
				continue
			}
			if c := cs.conditionOn(target); c.missing == ErrStale {
				c.missing = missing
			}
		}
	}
	add(errNoParent, links.Parent)
	add(errNoRoot, links.Root)
	add(errNoRelated, links.Related...)
}

// claimSlug takes a category's slug in its locale. The item's key is the slug, so two categories cannot both create it.
func (cs *ChangeSet) claimSlug(c tree.Category) {
	cs.tx.Put(cs.table.Put(newSlugOwner(cs.portal, c)).If("attribute_not_exists(PK)"), errSlugTaken)
}

// releaseSlug gives the slug free for other categories.
func (cs *ChangeSet) releaseSlug(c tree.Category) {
	k := cs.portal.SlugOwner(c.Locale, c.Slug)
	cs.tx.Delete(cs.table.DeleteItem(k).If("category = ?", c.ID), ErrStale)
}
