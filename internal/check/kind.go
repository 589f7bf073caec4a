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
	// Lacks names an attribute that the item does not have although every item of the kind has it, "" for none. It may
	// be nil.
	Lacks func(item T) string
	// Original is the item that one of the kind repeats. Where the original is whole, a damaged item of the kind is
	// deleted: the next pass makes it again. It is nil for a kind that says more than another item does.
	Original func(k table.Key) Original
	// Needed says that items of the kind are those that others name by [Item.Needs]. Of other kinds it is not noted
	// that an item exists: what needs one of them is looked up each time, and found in order.
	Needed bool
}

// Original is an item that another one repeats.
type Original struct {
	Key table.Key
	// Whole reports whether the item is there and undamaged.
	Whole func(table.Items) bool
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
	original := kind.original(k)
	return Recheck([]table.Key{k, original.Key}, func(items table.Items) *Fault {
		if items[k] == nil {
			return nil
		}
		_, wrong := kind.read(k, items[k])
		if wrong == "" {
			return nil
		}
		fault := &Fault{What: fmt.Sprintf("%s: %s", k, wrong)}
		if original.Whole(items) {
			fault.Writes, fault.Did = Writes{k: nil}, "deleted it"
		}
		return fault
	})
}

// original is the original of an item, one that is never whole where the kind has none.
func (kind Kind[T]) original(k table.Key) Original {
	if kind.Original == nil {
		return Original{Whole: func(table.Items) bool { return false }}
	}
	return kind.Original(k)
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
