package changeset

import (
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Order is a category's place in the list of its locale. It says no more than its key does, so that it is written only
// when a category comes, goes, or gets another position or locale, and nothing that leads to the category writes it.
type Order struct {
	table.Key
	Category id.ID  `dynamo:"category"`
	Position *int64 `dynamo:"position"`
}

// NewOrder is the place of a category.
func NewOrder(p table.Portal, c Category) Order {
	return Order{p.Order(c.Locale, c.Position, c.ID), c.ID, c.Position}
}

// putOrder and removeOrder need no condition: a category's places have its id, and whoever writes them writes its
// record in the same transaction.
func (cs *ChangeSet) putOrder(c Category) { cs.tx.Put(cs.table.Put(NewOrder(cs.portal, c)), nil) }

func (cs *ChangeSet) removeOrder(c Category) {
	cs.tx.Delete(cs.table.DeleteItem(NewOrder(cs.portal, c).Key), nil)
}

// moveOrder moves a category to another place.
func (cs *ChangeSet) moveOrder(before, after Category) {
	if NewOrder(cs.portal, before).Key != NewOrder(cs.portal, after).Key {
		cs.removeOrder(before)
		cs.putOrder(after)
	}
}

// removeLeft removes the place that a category has left, unless that is where it goes now, with the category or with
// the update u of it.
func (cs *ChangeSet) removeLeft(read Record, u *dynamo.Update, after Order) {
	if read.Left == "" {
		return
	}
	if u != nil {
		u.Remove("left_place")
	}
	if read.Left != after.SK {
		cs.tx.Delete(cs.table.DeleteItem(table.Key{PK: read.PK, SK: read.Left}), nil)
	}
}
