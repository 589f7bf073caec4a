// Package reopen ends again what a restore has revived: a table that comes from a backup has keys that were revoked
// since, users that were deleted, passwords that were changed and links that were used. Before such a table takes
// traffic, its items are held against what is known of them later: the table that it takes the place of, or a list of
// that table which was kept.
//
// The features say in rules which of their items give access and what has ended them, and package rules joins them.
// This package reads the table, asks the rules, and ends what they name. An item that is missing later has ended only
// where a deletion leaves it so. Anything else that is missing is a loss, perhaps the one for which the table was
// restored: it stays, and is named for a person to decide.
//
//	// Revived is a function, as a variable would be a part of every endpoint.
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

// Rule is what holds of one kind of item. [Kind.Rule] makes it.
type Rule struct {
	kind  string
	judge func(ctx context.Context, restored, later dynamo.Item, from Source) (Ending, error)
	keep  func(dynamo.Item) (dynamo.Item, error)
	carry func(later dynamo.Item) (Ending, error) // nil: what is missing in the restored table is no ending
}

// Kind is one kind of item that gives access, as a feature stores it. T has the attributes that access hangs on.
type Kind[T any] struct {
	Name string // as table.Key.Kind says it
	// Judge says what has ended of an item. It is nil for items that another kind is judged by.
	Judge func(context.Context, Item[T]) (Ending, error)
	// Keep is what a list has of an item, nil for all of T.
	Keep func(T) T
	// Carry says what has ended by an item that is there later, and not in the restored table. It is nil for a kind
	// whose items end nothing.
	Carry func(later T) Ending
}

// Item is an item that was restored, and what is known of it later.
type Item[T any] struct {
	Key      table.Key
	Restored T
	Later    *T // nil: there is no such item
	From     Source
}

// Ending is what has ended of an item; the zero Ending is nothing.
type Ending struct {
	Says string // what has ended, and which item; or why nobody knows
	// End ends it in the restored table. What it has done already it does again without effect. It is nil where a
	// person has to decide.
	End func(context.Context, table.Table) error
}

// Lost is for an item that is missing later although no operation deletes its kind: it stays as it was restored.
func Lost(format string, args ...any) Ending {
	says := fmt.Sprintf(format, args...)
	return Ending{Says: says + " was lost since, and stays: end it by hand if it had ended before"}
}

// Rule is the rule of the kind. A damaged item, on either side, is for a person to decide.
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
