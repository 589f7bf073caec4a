// Package check looks for contradictions in the table: items that do not fit together. Rules of the features say what
// belongs together. This package reads the table, confirms what looks broken, reports it and repairs it.
//
// The table may be larger than the memory. So a [Rule] judges one item at a time and reads no other. It tells the
// [Item] what it expects of other items, in statements that have to agree with what those say: [Item.Needs],
// [Item.Pair], [Item.Agree] and [Item.Below]. Of each statement only a hash is kept, 16 bytes. After
// the whole table is read, the hashes show which statements nothing agrees with. The pages of those statements are
// read once more. Then the same methods return true, and the rule names a [Candidate]. The candidate reads all the
// items concerned as of one moment, and decides. It has to: a scan of a live table is not of one moment, and hashes
// may collide.
//
// Before a repair deletes anything, the rule has to ask whether the missing half could be the loss: then the other half
// may hold all that is known of it. So a repair recreates what follows from existing items, and deletes an item only if
// it contradicts the item that it repeats. Everything else is left to a person. README.md lists the repairs.
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

// Rule judges one item. It is called again for suspicious items, so it must keep no state. It must make the same
// statements both times: a statement that it makes only the second time agrees with nothing.
type Rule func(*Item)

// Item is an item of the table as a rule sees it.
type Item struct {
	Key table.Key
	raw dynamo.Item

	says    statements      // collected in the first reading
	broken  map[uint64]bool // statements that nothing agrees with; nil in the first reading
	tallies []string
	// suspects counts the candidates in the first reading, which keeps none; the second reading keeps them.
	suspects   int
	candidates []Candidate
}

// Decode decodes into out, a pointer to a struct, the attributes that out names. Damage of other attributes is
// no error.
func (i *Item) Decode(out any) error { return table.Decode(i.raw, out) }

// Suspect adds a candidate. A rule that finds a fault in the item alone calls it without any statement.
func (i *Item) Suspect(c Candidate) {
	i.suspects++
	if i.broken != nil {
		i.candidates = append(i.candidates, c)
	}
}

// Tally counts the item under a name of the rule's choice, for the report. The report counts the kinds anyway.
func (i *Item) Tally(name string) { i.tallies = append(i.tallies, name) }

// Candidate is a possible fault. It reads its items again, and returns nil if they are in order.
type Candidate func(context.Context, table.Table) (*Fault, error)

// Recheck returns a candidate that reads the items of keys again, and lets judge decide. Up to 100 of them are read as
// of one moment. A repair of the fault is made only if all of them are still the same.
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

// Unknown is the rule that finds items of no known kind.
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

// Fault is a confirmed contradiction.
type Fault struct {
	// What describes the fault and names the items, with their keys.
	What string
	// Writes repair the fault. They are nil if a program cannot know what is right: an item that may be all that is
	// left of a lost one has to stay.
	Writes Writes
	// Did describes what Writes do, for the report.
	Did string

	changes []change // what Writes change, from the items that were read
}
