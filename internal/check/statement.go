package check

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"frontdesk/internal/table"
)

// Needs states that the item needs another one: an item of a kind that is [Kind.Needed], or a part that [Item.Offers].
// It returns true if that is missing.
func (i *Item) Needs(other table.Key) (missing bool) {
	fact := hash("exists", other)
	// An item of the same page may have stated that it exists; that must not be overwritten.
	if _, known := i.says.of[fact]; !known {
		i.say(fact, needed)
	}
	return i.broken[fact]
}

// exists states that the item exists, for those that need it.
func (i *Item) exists() { i.Offers(i.Key) }

// Offers states that others find here what they need. It may be a part of the item, under a key that no item has. Or
// the item may stand in for another one that can be lost; then part is the key of that one.
func (i *Item) Offers(part table.Key) { i.say(hash("exists", part), there) }

// Pair states that the item and another one belong to each other. The other has to state the same. It returns true if
// the other does not.
func (i *Item) Pair(other table.Key) (alone bool) { return i.Agree(other, 0) }

// Agree is [Item.Pair] with a number from 0, which both have to state. It returns true if the other states a different
// number, or nothing.
func (i *Item) Agree(other table.Key, n int64) (alone bool) {
	a, b, weight := i.Key, other, int32(1+min(max(n, 0), maxCount))
	// The two sides add opposite weights, so that they come to zero if the numbers are equal. The smaller key adds the
	// positive one. The 1 makes sure that a number of 0 weighs something too.
	if a.PK > b.PK || a.PK == b.PK && a.SK > b.SK {
		a, b, weight = b, a, -weight
	}
	fact := hash("pair", a, b)
	i.add(fact, weight)
	return i.broken[fact]
}

// maxCount is more than any number that items agree on, and less than the weights with a special meaning.
const maxCount = 1 << 30

// Below states the only parent of the item, which has the same kind. It returns true for one item of each cycle.
func (i *Item) Below(parent table.Key) (circle bool) {
	child := hash("below", i.Key)
	if i.broken == nil {
		i.says.below = append(i.says.below, edge{Child: child, Parent: hash("below", parent)})
	}
	return i.broken[child]
}

// statements are what the items of a page state, by hashes. Statements that agree within the page cancel out.
type statements struct {
	of    map[uint64]int32
	below []edge
}

// Weights of statements that do not add up. All others agree if their sum is zero.
const (
	there  = math.MaxInt32
	needed = math.MinInt32
)

// say records a statement in the first reading. In the second one nothing is recorded.
func (i *Item) say(fact uint64, weight int32) {
	if i.broken == nil {
		i.says.of[fact] = weight
	}
}

// add records a statement whose weights add up.
func (i *Item) add(fact uint64, weight int32) { i.say(fact, i.says.of[fact]+weight) }

// edge leads from an item to its parent.
type edge struct {
	Child, Parent uint64
	Page          uint32
}

// hash returns 64 bits of SHA-256, the same in every process, so that an interrupted check can continue. Keys are
// preceded by their lengths, so that different keys never make the same text.
func hash(what string, keys ...table.Key) uint64 {
	text := make([]byte, 0, 256)
	text = append(text, what...)
	for _, k := range keys {
		text = append(binary.AppendUvarint(text, uint64(len(k.PK))), k.PK...)
		text = append(binary.AppendUvarint(text, uint64(len(k.SK))), k.SK...)
	}
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])
}
