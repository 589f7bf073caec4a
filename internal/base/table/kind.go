package table

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/id"

	"github.com/guregu/dynamo/v2"
)

// ItemKind declares a kind of item once, for the commands of operators that walk the whole table: check asks what an
// item must agree with, reopen how it ends, person whose it is and what is personal in it.
//
// A feature returns its kinds from a function that no endpoint calls, so no endpoint links them. Package registry has
// them all. The walks write nothing themselves: what mends or ends an item is a function of its feature.
//
// All fields but the first two may be zero. The functions that [FromContent] makes are of items that hold; of others
// they return nothing.
type ItemKind struct {
	Name string // as [Key.Kind] returns it
	// Read returns the content of an item, and why it cannot be trusted, or "": see [DecodeAs].
	Read func(Stored) (content any, damage string)
	// User is whose item it is, as its key says; 0 for nobody's.
	User func(Key) id.ID

	Agreement
	Revival
	Privacy
}

// DecodeAs returns the function [ItemKind.Read] for items that are stored as a T. Key returns the key that an item with
// this content has, given the one that it has. Lacks names what every item of the kind has and this one lacks, or is
// "". Both may be nil.
func DecodeAs[T any](key func(Key, T) Key, lacks func(T) string) func(Stored) (any, string) {
	return func(s Stored) (any, string) {
		var content T
		if err := Decode(s.Raw, &content); err != nil {
			return nil, err.Error()
		}
		if key != nil {
			if belongs := key(s.Key, content); belongs != s.Key {
				return nil, fmt.Sprintf("says that it is the %s of %s", s.Kind.Name, belongs)
			}
		}
		if lacks != nil {
			if name := lacks(content); name != "" {
				return nil, "has no " + name
			}
		}
		return content, ""
	}
}

// FromContent returns a function of a [ItemKind] whose items are stored as a T.
func FromContent[T, R any](f func(Key, T) R) func(Stored) R {
	return func(s Stored) (none R) {
		if !s.Holds() {
			return none
		}
		return f(s.Key, s.Content.(T))
	}
}

// FromKey is [FromContent] for what follows from the key alone.
func FromKey[R any](f func(Key) R) func(Stored) R {
	return func(s Stored) (none R) {
		if !s.Holds() {
			return none
		}
		return f(s.Key)
	}
}

// Stored is an item as a walk has read it, with what it says of itself.
type Stored struct {
	Key     Key
	Raw     dynamo.Item // nil if there is no such item
	Kind    ItemKind    // zero for an item of no known kind
	Content any         // of the kind's type, if the item is undamaged
	Damage  string      // why the content cannot be trusted; "" for an undamaged item
	Expired bool        // it counts as absent, and is stored until DynamoDB deletes it
}

// Holds reports whether there is an item that has not expired, and whose content can be trusted.
func (s Stored) Holds() bool { return s.Raw != nil && s.Damage == "" && !s.Expired }

// Absent reports whether there is no item, or one that has expired.
func (s Stored) Absent() bool { return s.Raw == nil || s.Expired }

// BelongsTo returns whose item it is, as its key says; 0 for nobody's.
func (s Stored) BelongsTo() id.ID {
	if s.Kind.User == nil {
		return 0
	}
	return s.Kind.User(s.Key)
}

// String names the item for operators. It leaves out the digest of a secret.
func (s Stored) String() string {
	if s.Kind.SecretKey {
		return fmt.Sprintf("%s of %q", s.Key.Kind(), s.Key.PK)
	}
	return s.Key.Kind() + " " + s.Key.String()
}

// Registry has every kind, by its name.
type Registry map[string]ItemKind

// NewRegistry collects the kinds of features. Two of one name are a mistake of the program, and panic.
func NewRegistry(features ...[]ItemKind) Registry {
	r := Registry{}
	for _, kind := range slices.Concat(features...) {
		if _, twice := r[kind.Name]; twice {
			panic(kind.Name + " is declared twice")
		}
		r[kind.Name] = kind
	}
	return r
}

// Read says what an item says of itself, at a time. It is the one place that judges damaged, foreign and expired items,
// for all walks.
func (r Registry) Read(raw dynamo.Item, now time.Time) Stored {
	s := Stored{Key: KeyOf(raw), Raw: raw, Expired: expired(raw, now)}
	var known bool
	s.Kind, known = r[s.Key.Kind()]
	if !known {
		s.Damage = "is of no known kind"
		return s
	}
	s.Content, s.Damage = s.Kind.Read(s)
	return s
}

// Stored is [Registry.Read] for the item with a key among items that were read.
func (r Registry) Stored(items Items, k Key, now time.Time) Stored {
	raw, found := items[k]
	if !found {
		return Stored{Key: k, Kind: r[k.Kind()]}
	}
	return r.Read(raw, now)
}
