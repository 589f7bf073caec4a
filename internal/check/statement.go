package check

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"frontdesk/internal/table"
)

// Needs says that the item needs another one, of a kind that is [Kind.Needed], or a part that one [Item.Offers]. It is
// true where that is missing.
func (i *Item) Needs(other table.Key) (missing bool) {
	fact := hash("exists", other)
	if _, known := i.says.of[fact]; !known {
		i.say(fact, needed)
	}
	return i.broken[fact]
}

// exists says that the item is there, for those that need it.
func (i *Item) exists() { i.Offers(i.Key) }

// Offers says that others find here what they need. That may be a part of the item: its key is no item's. Or the item
// stands in for another one that may be lost: the key is that one's.
func (i *Item) Offers(part table.Key) { i.say(hash("exists", part), there) }

// Pair says that the item and another one belong to each other, which the other one has to say of this one, too. It is
// true where the other does not.
func (i *Item) Pair(other table.Key) (alone bool) { return i.Agree(other, 0) }

// Agree is [Item.Pair] with a number, 0 or more, that both have to say. It is true where the other says another one,
// or nothing.
func (i *Item) Agree(other table.Key, n int64) (alone bool) {
	a, b, weight := i.Key, other, int32(1+min(max(n, 0), maxCount))
	if a.PK > b.PK || a.PK == b.PK && a.SK > b.SK {
		a, b, weight = b, a, -weight
	}
	fact := hash("pair", a, b)
	i.add(fact, weight)
	return i.broken[fact]
}

// Counts says how many items say by CountedBy that they belong to this one. It is true where there are more or fewer.
func (i *Item) Counts(n int64) (wrong bool) {
	fact := hash("count", i.Key)
	i.add(fact, int32(-min(max(n, -maxCount), maxCount)))
	return i.broken[fact]
}

// maxCount is more than a table counts, and less than what has a meaning of its own.
const maxCount = 1 << 30

// CountedBy says that the item is one of those that another one counts.
func (i *Item) CountedBy(other table.Key) { i.add(hash("count", other), 1) }

// Below says what the one parent of the item is, of the same kind. It is true for one item of each circle.
func (i *Item) Below(parent table.Key) (circle bool) {
	child := hash("below", i.Key)
	if i.broken == nil {
		i.says.below = append(i.says.below, edge{Child: child, Parent: hash("below", parent)})
	}
	return i.broken[child]
}

// statements are what the items of a page say, by hashes. A statement that other items of the page agree with is none.
type statements struct {
	of    map[uint64]int32
	below []edge
}

// What a statement weighs whose weights are not added up. The others agree where they come to zero.
const (
	there  = math.MaxInt32
	needed = math.MinInt32
)

func (i *Item) say(fact uint64, weight int32) {
	if i.broken == nil {
		i.says.of[fact] = weight
	}
}

func (i *Item) add(fact uint64, weight int32) { i.say(fact, i.says.of[fact]+weight) }

// edge leads from an item to its parent.
type edge struct {
	Child, Parent uint64
	Page          uint32
}

// hash is the same in every process: a check that was interrupted goes on with the hashes of before.
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
