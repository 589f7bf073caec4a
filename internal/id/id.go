// Package id makes the integer identifiers of everything that frontdesk stores.
//
// An id holds the milliseconds since 2025 and 11 more bits, 53 bits in all, so that it is exact as a
// JavaScript number, rises with time and needs no counter that every writer would contend for.
package id

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// ID identifies one stored thing. It is positive and at most [Max]. The zero ID identifies nothing.
type ID int64

// Max is the largest id: 2^53-1, the largest integer that a JavaScript number holds exactly.
const Max ID = 1<<53 - 1

// sequenceBits is what an id has beside its milliseconds; 42 bits of those last until 2164.
const sequenceBits = 11

// width is the number of decimal digits of Max: keys of this width sort as their numbers do.
const width = 16

var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Source makes ids that rise: each is larger than every one before it from the same Source. The zero
// value is ready and may be used by several goroutines.
//
// Two Sources agree as far as their clocks do. The low bits start at random in each millisecond, so that
// two of them seldom make the same id; a writer whose id is taken takes another.
type Source struct {
	mu   sync.Mutex
	last ID
}

// New makes an id from the present time.
func (s *Source) New() ID { return s.at(time.Now()) }

func (s *Source) at(now time.Time) ID {
	next := ID(now.Sub(epoch).Milliseconds())<<sequenceBits | ID(rand.Int64N(1<<sequenceBits))
	s.mu.Lock()
	defer s.mu.Unlock()
	if next <= s.last {
		next = s.last + 1 // spills into the next millisecond when this one is full
	}
	s.last = next
	return next
}

var source Source

// New makes an id from the process's own [Source].
func New() ID { return source.New() }

// Parse reads a decimal id as it stands in a path: digits alone, no sign, no leading zero, from 1 to
// [Max]. Anything else is no id, and ok is false.
func Parse(s string) (id ID, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || ID(n) > Max || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return ID(n), true
}

// String is the id in decimal, as it stands in JSON and in paths.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// Key is the id padded with zeros to 16 digits: as part of a key it sorts as the number does.
func (id ID) Key() string { return fmt.Sprintf("%0*d", width, int64(id)) }
