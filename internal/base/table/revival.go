package table

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"
)

// Revival is how an item ends that a restore from a backup has revived: the part of a [ItemKind] for table reopen.
type Revival struct {
	// Ends decides what has ended of a restored item: see [EndsByContent]. It is nil for a kind that gives no access.
	Ends func(context.Context, Restored) (Ending, error)
	// Always is set for a kind that ends always, because nobody knows what became of its items.
	Always bool
	// CarryOver takes over an item that exists later, and not in the restored table, and says what it ends. It is nil
	// for a kind whose items end nothing.
	CarryOver func(later Stored) Ending
	// Access names the attributes by which Ends decides, here or for another kind. A list of what gives access has the
	// items of the kind with these alone; it is nil for a kind that a list leaves out.
	Access []string
	// Conceal reduces an item to what a list may have of it, beyond Access. It may be nil.
	Conceal func(dynamo.Item) dynamo.Item
}

// Restored is an item of a table that comes from a backup, with what is known of it later.
type Restored struct {
	Stored
	Later Stored // what is stored later under the same key
	From  Later
}

// Later is what is known later than a backup: the table that the restored one replaces, or a list of it.
type Later interface {
	// Read reads up to [MaxItems] items, as [Table.Read] does.
	Read(ctx context.Context, keys ...Key) (Items, error)
	// Has reports whether a partition has any item.
	Has(ctx context.Context, partition string) (bool, error)
}

// Ending is what has ended of a restored item. The zero Ending means nothing.
type Ending struct {
	Says string // what has ended, of which item; or why nobody knows
	// End ends it in the restored table. Ending something again has no effect. It is nil if a person has to decide.
	End func(context.Context, Table) error
}

// Lost is the ending of an item that is missing later although no operation deletes its kind. It stays as it was
// restored.
func Lost(format string, args ...any) Ending {
	says := fmt.Sprintf(format, args...)
	return Ending{Says: says + " was lost since, and stays: end it by hand if it had ended before"}
}

// EndsByContent returns the function [Revival.Ends] for items that are stored as a T. Later is nil if there is no such
// item. An item that is damaged on either side is left to a person.
func EndsByContent[T any](
	decide func(ctx context.Context, k Key, restored T, later *T, from Later) (Ending, error),
) func(context.Context, Restored) (Ending, error) {
	return func(ctx context.Context, r Restored) (Ending, error) {
		for _, side := range []struct {
			Stored
			says string
		}{{r.Stored, "%s: %s"}, {r.Later, "%s, as it is later: %s"}} {
			if side.Damage != "" {
				return Ending{Says: fmt.Sprintf(side.says, side.Stored, side.Damage)}, nil
			}
		}
		var later *T
		if r.Later.Holds() {
			later = new(r.Later.Content.(T))
		}
		return decide(ctx, r.Key, r.Content.(T), later, r.From)
	}
}

// EndsIfDeleted returns the function [Revival.Ends] for a kind that ends by deletion alone: a restored item that is
// missing later has ended.
func EndsIfDeleted(
	end func(ctx context.Context, t Table, k Key) error,
) func(context.Context, Restored) (Ending, error) {
	return func(_ context.Context, r Restored) (Ending, error) {
		if !r.Later.Absent() {
			return Ending{}, nil
		}
		return ending(r, end), nil
	}
}

// EndsAlways returns the function [Revival.Ends] for a kind that ends always.
func EndsAlways(end func(ctx context.Context, t Table, k Key) error) func(context.Context, Restored) (Ending, error) {
	return func(_ context.Context, r Restored) (Ending, error) { return ending(r, end), nil }
}

// EndsIfBothDeleted returns the function [Revival.Ends] for a kind that the table stores twice (see [Key.Mirror]). Both
// sides are deleted together. So if both are missing later the item has ended, and if only one is missing it was lost.
func EndsIfBothDeleted(
	end func(ctx context.Context, t Table, k Key) error,
) func(context.Context, Restored) (Ending, error) {
	return func(ctx context.Context, r Restored) (Ending, error) {
		if !r.Later.Absent() {
			return Ending{}, nil
		}
		other, err := r.From.Read(ctx, r.Key.Mirror())
		if err != nil {
			return Ending{}, err
		}
		if len(other) > 0 {
			return Lost("one side of the %s", r.Stored), nil
		}
		return ending(r, end), nil
	}
}

func ending(r Restored, end func(ctx context.Context, t Table, k Key) error) Ending {
	return Ending{
		Says: r.Stored.String(),
		End:  func(ctx context.Context, t Table) error { return end(ctx, t, r.Key) },
	}
}
