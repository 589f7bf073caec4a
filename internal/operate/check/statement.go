package check

import (
	"crypto/sha256"
	"encoding/binary"

	"frontdesk/internal/base/table"
)

// statementKind is the sort of a statement that an item makes.
type statementKind int

const (
	alone statementKind = iota // the item is suspicious by itself
	pair                       // another item has to say the same
	need                       // somebody has to provide it
	provided
	parent // another item is above this one
)

// statement is what an item says of itself and of another one.
type statement struct {
	suspicion
	digest digest
	weight int8   // of a pair: that of the other side is the opposite
	parent digest // the item above this one
}

// suspicion is what has to be judged if nothing agrees with a statement.
type suspicion struct {
	kind  statementKind
	item  table.Key // zero for a need: several items may have it
	other table.Key
}

// statements returns all that an item states. One that has expired states nothing: it counts as absent.
func statements(i table.Stored) (all []statement) {
	if i.Expired {
		return nil
	}
	if i.Damage != "" || ask(i.Kind.Deleting, i) != "" {
		all = append(all, statement{suspicion: suspicion{kind: alone, item: i.Key}})
	}
	for _, p := range ask(i.Kind.Pairs, i) {
		st := statement{suspicion: suspicion{pair, i.Key, p.Other}, weight: 1}
		first, second := i.Key, p.Other
		if first.PK > second.PK || first.PK == second.PK && first.SK > second.SK {
			first, second, st.weight = second, first, -1
		}
		st.digest = digestOf(p.Agree, first, second)
		all = append(all, st)
	}
	for _, n := range needs(i) {
		all = append(all, statement{
			suspicion: suspicion{kind: need, other: n.Key()}, digest: digestOf("", n.Key()),
		})
	}
	for _, k := range provides(i) {
		all = append(all, statement{suspicion: suspicion{kind: provided}, digest: digestOf("", k)})
	}
	if k := ask(i.Kind.Parent, i); k != (table.Key{}) {
		all = append(all, statement{
			suspicion: suspicion{kind: parent, item: i.Key}, digest: digestOf("", i.Key), parent: digestOf("", k),
		})
	}
	return all
}

// needs returns what an item needs: what its kind says, and the record that it is within.
func needs(i table.Stored) []table.Need {
	all := ask(i.Kind.Needs, i)
	if i.Kind.DeletedWith != nil {
		all = append(all, table.Need{Record: i.Kind.DeletedWith(i.Key)})
	}
	return all
}

// provides returns what others find in an item: the item itself, if others may name it, and what its kind says.
func provides(i table.Stored) []table.Key {
	all := ask(i.Kind.Provides, i)
	if i.Kind.Missing != nil {
		all = append(all, i.Key)
	}
	return all
}

// ask calls a function of a kind that may not have it.
func ask[R any](f func(table.Stored) R, i table.Stored) (none R) {
	if f == nil {
		return none
	}
	return f(i)
}

// digest stands for a key, or for what two items have to agree on: 64 bits of SHA-256. If two of them collide, which
// happens once in millions of checks of a million items, something broken is overlooked.
type digest uint64

// digestOf returns the digest of keys and a text. Lengths precede the parts of keys, so that different ones never make
// the same bytes.
func digestOf(text string, keys ...table.Key) digest {
	bytes := make([]byte, 0, 256)
	for _, k := range keys {
		for _, part := range []string{k.PK, k.SK} {
			bytes = append(binary.AppendUvarint(bytes, uint64(len(part))), part...)
		}
	}
	sum := sha256.Sum256(append(bytes, text...))
	return digest(binary.BigEndian.Uint64(sum[:]))
}
