package table

// This file is for operators: no endpoint calls it.

import (
	"context"
	"errors"
	"strings"
)

// Agreement is what an item must agree with: the part of a [ItemKind] for frontdesk check. Its functions read nothing,
// but those that mend.
type Agreement struct {
	// Pairs are the items that belong to this one. Each has to name this one in turn.
	Pairs func(Stored) []Pair
	// Needs are the records without which this item is of no use.
	Needs func(Stored) []Need
	// Provides are what others need and find here, besides the item itself. It gets damaged items, too.
	Provides func(Stored) []Key
	// Parent is the only item of the kind above this one, or the zero Key. No item may be above itself; Circle says
	// what an operator does about one that is.
	Parent func(Stored) Key
	Circle func(Key) (do string)
	// Deleting is the command that goes on with the deletion of a record, or "" if it is not being deleted.
	// DeletedWith is the record whose deletion takes an item along: while that goes on, the item may contradict others.
	Deleting    func(Stored) string
	DeletedWith func(Key) Key
	// Remake mends a damaged item that only repeats what a record says. It is nil for a kind that says more.
	Remake func(context.Context, Table, Key) (did string, err error)
	// Missing says what an operator does about a record that others name, and that does not exist.
	Missing func(Key) (do string)
	// Tally counts an item in the report of a check, under a name besides that of its kind; "" does not.
	Tally func(Stored) string
}

// Pair is another item that belongs to an item.
type Pair struct {
	Other Key
	// Agree is what both sides have to say, in words such as "generation 7"; "" if it is enough that each names the
	// other.
	Agree string
	// Make makes the other item as it follows from this one, or lets both agree. It is nil if the other one does
	// not follow.
	Make func(context.Context, Table) (did string, err error)
	// Drop deletes this item, which only repeats what the other one says. It is nil if this one says more.
	Drop func(context.Context, Table) error
	// Do says what an operator does where both sides are there and contradict each other, and neither follows. Lost
	// says it where the other one does not exist; "" stands for what [Agreement.Missing] of its kind says.
	Do, Lost string
}

// BothWays returns the other side of an item that is stored from two sides, which are written and deleted together. A
// lost side is made again. The side whose partition key begins with partitions has content, which full returns for its
// key; the other side is its key alone.
func BothWays(k Key, partitions string, full func(Key) any) []Pair {
	other := k.Mirror()
	var item any = other
	if strings.HasPrefix(other.PK, partitions) {
		item = full(other)
	}
	return []Pair{{Other: other, Make: func(ctx context.Context, t Table) (string, error) {
		return "wrote the other side", t.PutDependent(ctx, k, item)
	}}}
}

// Need is a record that an item needs, or a part of one.
type Need struct {
	Record Key
	// Part is a key that no item has and that the record provides, such as one for a locale of a portal. The zero Key
	// means the record itself.
	Part Key
	// Mend adds the part to the record. It is nil for the record itself.
	Mend func(context.Context, Table) (did string, err error)
}

// Key is what somebody has to provide.
func (n Need) Key() Key {
	if n.Part != (Key{}) {
		return n.Part
	}
	return n.Record
}

// PutDependent puts an item where there is none, on the condition that another one exists, from which it follows.
func (t Table) PutDependent(ctx context.Context, other Key, item any) error {
	tx := t.Tx()
	tx.Check(t.CheckItem(other).IfExists(), ErrChanged)
	tx.Put(t.Put(item).If("attribute_not_exists(PK)"), ErrChanged)
	return tx.Run(ctx)
}

// ErrChanged means that items are no longer as a check has found them.
var ErrChanged = errors.New("it changed meanwhile")
