package check

import (
	"fmt"

	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Kind describes one kind of item, as a feature stores it.
type Kind[T any] struct {
	Name string // as [table.Key.Kind] returns it
	// Key returns the key that an item with this content should have; k is the key that it has.
	Key func(k table.Key, item T) table.Key
	// Lacks returns the name of an attribute that every item of the kind has and this one does not, or "". It may
	// be nil.
	Lacks func(item T) string
	// Original returns the item that an item of this kind repeats. If the original is whole, a damaged item is deleted,
	// and the next pass makes it again. Original is nil for a kind that says more than another item does.
	Original func(k table.Key) Original
	// Needed is set for kinds that other items name in [Item.Needs]. Only for these does a check note which items
	// exist. Without it, whatever needs such an item would be looked up each time, and found in order.
	Needed bool
}

// Original is an item that another one repeats.
type Original struct {
	Key table.Key
	// Whole reports whether the item exists and is undamaged.
	Whole func(table.Items) bool
}

// Rule returns the rule that finds damaged items of the kind: those that cannot be decoded, that claim to belong under
// another key, or that lack an attribute. It passes undamaged items to each of the functions.
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

// recheck returns the candidate for a damaged item.
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

// original returns the original of an item, or one that is never whole if the kind has none.
func (kind Kind[T]) original(k table.Key) Original {
	if kind.Original == nil {
		return Original{Whole: func(table.Items) bool { return false }}
	}
	return kind.Original(k)
}

// Get decodes the item with key k. It returns false if there is none, or if it is damaged: then its content cannot
// be trusted.
func (kind Kind[T]) Get(items table.Items, k table.Key) (item T, ok bool) {
	raw, found := items[k]
	item, wrong := kind.read(k, raw)
	return item, found && wrong == ""
}

// read decodes an item. Wrong says what is wrong with it, or is "".
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
