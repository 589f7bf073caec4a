package check

import (
	"fmt"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Kind is one kind of item, as a feature stores it.
type Kind[T any] struct {
	Name string // as table.Key.Kind says it
	// Key is where an item belongs by what it says of itself; k is where it is.
	Key func(k table.Key, item T) table.Key
	// Lacks names an attribute that the item does not have although every item of the kind has it, "" for none. It may be
	// nil.
	Lacks func(item T) string
	// Source is, for a kind that only repeats what another item says, the key of that item. While there is one, an item
	// of the kind that is wrong is deleted: it is made again from its source. nil for every other kind.
	Source func(k table.Key) table.Key
	// Needed says that items of the kind are those that others name by [Item.Needs]. Of other kinds it is not noted
	// that an item exists: what needs one of them is looked up each time, and found in order.
	Needed bool
}

// Rule finds the items of the kind that are damaged: they cannot be read, say that they belong elsewhere, or lack an
// attribute. The others are judged by each.
func (kind Kind[T]) Rule(each ...func(i *Item, item T)) Rule {
	return func(i *Item) {
		if i.Key.Kind() != kind.Name {
			return
		}
		if kind.Needed {
			i.exists()
		}
		item, wrong := kind.read(i.Key, i.raw)
		if wrong != "" {
			i.Suspect(kind.recheck(i.Key))
			return
		}
		for _, judge := range each {
			judge(i, item)
		}
	}
}

func (kind Kind[T]) recheck(k table.Key) Candidate {
	keys := []table.Key{k}
	if kind.Source != nil {
		keys = append(keys, kind.Source(k))
	}
	return Recheck(keys, func(items table.Items) *Fault {
		if items[k] == nil {
			return nil
		}
		_, wrong := kind.read(k, items[k])
		if wrong == "" {
			return nil
		}
		fault := &Fault{What: fmt.Sprintf("%s: %s", k, wrong)}
		if kind.Source != nil && items[kind.Source(k)] != nil {
			fault.Writes, fault.Did = Writes{k: nil}, "deleted it"
		}
		return fault
	})
}

// Get decodes the item of a key. It is not ok where there is none, or where the item is damaged: what that says is not
// to be believed.
func (kind Kind[T]) Get(items table.Items, k table.Key) (item T, ok bool) {
	raw, found := items[k]
	item, wrong := kind.read(k, raw)
	return item, found && wrong == ""
}

// read decodes an item. Wrong says what is wrong with it, "" for nothing.
func (kind Kind[T]) read(k table.Key, raw dynamo.Item) (item T, wrong string) {
	if err := table.Decode(raw, &item); err != nil {
		return item, err.Error()
	}
	if belongs := kind.Key(k, item); belongs != k {
		return item, fmt.Sprintf("says that it is the %s of %s", kind.Name, belongs)
	}
	if kind.Lacks == nil {
		return item, ""
	}
	if name := kind.Lacks(item); name != "" {
		return item, "has no " + name
	}
	return item, ""
}
