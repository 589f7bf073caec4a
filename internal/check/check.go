// Package check looks for what should not be in the table: items that contradict each other. The features say what
// belongs together, in rules; this package reads the table, confirms what looks broken, reports it and repairs it.
//
// The table may be larger than the memory, so a [Rule] judges one item at a time, and reads no other. What it expects
// of others it says to the [Item], in statements that have to agree with what the others say: [Item.Needs],
// [Item.Pair], [Item.Agree], [Item.Counts] and [Item.Below]. Of each statement a hash is kept, 16 bytes. When the whole
// table is read, the hashes tell which statements nothing agrees with. The pages that these came from are read once
// more: there the same methods return true, and the rule names a [Candidate]. That one reads all the items concerned as
// they are at one moment, and decides: a scan of a live table is not of one moment, and hashes may collide.
//
// A repair asks of everything that it deletes whether the missing half could be the loss: what the other half says may
// be all that is known of it. So a repair makes again what follows from what is there, and deletes what contradicts the
// item that it only repeats. All else a person decides. README.md lists the repairs.
//
//	// Each membership is of a user who exists.
//	var members = check.Kind[membership]{Name: "member", Key: …}.Rule(func(i *check.Item, m membership) {
//		user := table.User(m.User)
//		if !i.Needs(user) {
//			return
//		}
//		i.Suspect(check.Recheck([]table.Key{i.Key, user}, func(now table.Items) *check.Fault { … }))
//	})
package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Rule judges one item. It is called twice for those that something is wrong with, so it keeps nothing, and makes its
// statements in any case: one that it makes only the second time agrees with nothing.
type Rule func(*Item)

// Item is an item of the table, as a rule judges it.
type Item struct {
	Key table.Key
	raw dynamo.Item

	says    statements      // that are gathered, in the first reading
	broken  map[uint64]bool // statements that nothing agrees with; nil in the first reading
	tallies []string
	// suspects is how many candidates the first reading would have; the second one has them.
	suspects   int
	candidates []Candidate
}

// Decode decodes into out, a pointer to a struct, those attributes of the item that out names. Damage of others is
// no error.
func (i *Item) Decode(out any) error { return table.Decode(i.raw, out) }

// Suspect says that the item may be broken. What a rule knows from the item alone it says without a statement.
func (i *Item) Suspect(c Candidate) {
	i.suspects++
	if i.broken != nil {
		i.candidates = append(i.candidates, c)
	}
}

// Tally counts the item under a name of the rule's own, beside its kind, for the report.
func (i *Item) Tally(name string) { i.tallies = append(i.tallies, name) }

// Candidate is what may be broken. It is called to read its items again, and returns nil where they are in order.
type Candidate func(context.Context, table.Table) (*Fault, error)

// Recheck makes a candidate whose items are read again, up to 100 of them as they are at one moment, and judged. A
// repair of the fault depends on all of them.
func Recheck(keys []table.Key, judge func(table.Items) *Fault) Candidate {
	return func(ctx context.Context, t table.Table) (*Fault, error) {
		items := table.Items{}
		for some := range slices.Chunk(keys, table.MaxItems) {
			read, err := t.Snapshot(ctx, some...)
			if err != nil {
				return nil, err
			}
			maps.Copy(items, read)
		}
		fault := judge(items)
		if fault == nil {
			return nil, nil
		}
		var err error
		fault.changes, err = fault.Writes.changes(keys, items)
		return fault, err
	}
}

// Unknown finds items of no kind that the table has.
func Unknown(i *Item) {
	k := i.Key
	if k.Kind() != table.Unknown {
		return
	}
	i.Suspect(Recheck([]table.Key{k}, func(items table.Items) *Fault {
		if items[k] == nil {
			return nil
		}
		return &Fault{What: fmt.Sprintf("%s is of no known kind", k)}
	}))
}

// Fault is what is broken for sure.
type Fault struct {
	// What says what is wrong, and with which items.
	What string
	// Writes repair it. They are nil where a program cannot know what is right: what may be all that is left of a lost
	// item stays.
	Writes Writes
	// Did says what Writes do.
	Did string

	changes []change
}
