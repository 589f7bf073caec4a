// Package reopen ends again what a restore has revived. A table restored from a backup contains keys that were
// revoked since, users that were deleted, passwords that were changed and links that were used. Before such a table
// takes traffic, its items are compared with later knowledge: the table that it replaces, or a list that was kept of
// that table.
//
// Each feature's rules say which of its items give access and what has ended them. Package rules collects these rules.
// This package reads the table, asks the rules, and ends what they name. An item that is missing later has ended only
// if a deletion leaves the table like that. Otherwise the item was lost, perhaps in the very accident after which the
// table was restored. Then it stays, and is named for a person to decide.
//
//	// Revived is a function, because a variable would be linked into every endpoint.
//	func Revived() []reopen.Rule {
//		return []reopen.Rule{reopen.Kind[voucher]{Name: "voucher", Judge: judgeVoucher}.Rule()}
//	}
//
//	// judgeVoucher: a voucher is revoked, and never deleted.
//	func judgeVoucher(_ context.Context, i reopen.Item[voucher]) (reopen.Ending, error) {
//		if i.Later == nil {
//			return reopen.Lost("voucher %d", i.Restored.ID), nil
//		}
//		…
//	}
package reopen

import (
	"context"
	"fmt"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Rule judges the items of one kind. [Kind.Rule] makes it.
type Rule struct {
	kind  string
	judge func(ctx context.Context, restored, later dynamo.Item, from Source) (Ending, error)
	keep  func(dynamo.Item) (dynamo.Item, error)
	carry func(later dynamo.Item) (Ending, error) // nil if items missing from the restored table end nothing
}

// Kind describes a kind of item that gives access, as a feature stores it. T has the attributes that decide
// about access.
type Kind[T any] struct {
	Name string // as [table.Key.Kind] returns it
	// Judge decides what has ended of a restored item. It is nil for items that only help to judge another kind.
	Judge func(context.Context, Item[T]) (Ending, error)
	// Keep reduces an item to what a list needs of it. Nil keeps all of T.
	Keep func(T) T
	// Carry decides what an item ends that exists later but not in the restored table. It is nil for a kind whose items
	// end nothing.
	Carry func(later T) Ending
}

// Item is a restored item, together with what is known of it later.
type Item[T any] struct {
	Key      table.Key
	Restored T
	Later    *T // nil if there is no such item
	From     Source
}

// Ending is what has ended of an item. The zero Ending means nothing.
type Ending struct {
	Says string // what has ended, of which item; or why nobody knows
	// End ends it in the restored table. It may be repeated without further effect. It is nil if a person has
	// to decide.
	End func(context.Context, table.Table) error
}

// Lost is the ending of an item that is missing later although no operation deletes its kind. It stays as it
// was restored.
func Lost(format string, args ...any) Ending {
	says := fmt.Sprintf(format, args...)
	return Ending{Says: says + " was lost since, and stays: end it by hand if it had ended before"}
}

// Rule returns the rule of the kind. If an item is damaged on either side, the rule leaves it to a person.
func (kind Kind[T]) Rule() Rule {
	r := Rule{kind: kind.Name, keep: func(item dynamo.Item) (dynamo.Item, error) {
		var v T
		if decode(item, &v) != nil {
			return dynamo.MarshalItem(damagedItem{table.KeyOf(item), true})
		}
		if kind.Keep != nil {
			v = kind.Keep(v)
		}
		return dynamo.MarshalItem(v)
	}}
	if kind.Carry != nil {
		r.carry = func(later dynamo.Item) (Ending, error) {
			var v T
			if err := table.Decode(later, &v); err != nil {
				return Ending{Says: fmt.Sprintf("%s, as it is later: %v", table.KeyOf(later), err)}, nil
			}
			return kind.Carry(v), nil
		}
	}
	if kind.Judge == nil {
		return r
	}
	r.judge = func(ctx context.Context, restored, later dynamo.Item, from Source) (Ending, error) {
		i := Item[T]{Key: table.KeyOf(restored), From: from}
		if err := decode(restored, &i.Restored); err != nil {
			return Ending{}, err
		}
		if later != nil {
			i.Later = new(T)
			if err := decode(later, i.Later); err != nil {
				return Ending{}, fmt.Errorf("as it is later: %w", err)
			}
		}
		return kind.Judge(ctx, i)
	}
	return r
}
