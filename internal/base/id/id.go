// Package id makes the integer identifiers of everything that frontdesk stores.
//
// An id has the milliseconds since 2025 and 11 more bits, 53 bits in all. So a JavaScript number holds it exactly, it
// rises with time, and it needs no counter that all writers would contend for.
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

// sequenceBits are the low bits of an id, below its milliseconds. The 42 bits of the milliseconds last until 2164.
const sequenceBits = 11

// width is the number of decimal digits of Max. Keys of this width sort as their numbers do.
const width = 16

var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// Source makes ids that rise: each is larger than all before it from the same Source. The zero value is ready, and
// several goroutines may use it.
//
// Different Sources agree as far as their clocks do. The low bits start at random in each millisecond, so two Sources
// seldom make the same id. A writer whose id is taken draws another one.
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
		next = s.last + 1 // may go on into the next millisecond
	}
	s.last = next
	return next
}

var source Source

// New makes an id from the process's own [Source].
func New() ID { return source.New() }

// Parse reads a decimal id as paths have it: only digits, no sign, no leading zero, from 1 to [Max]. For anything else
// ok is false.
func Parse(s string) (id ID, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || ID(n) > Max || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return ID(n), true
}

// String returns the id in decimal, as in JSON and paths.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// Key returns the id padded with zeros to 16 digits. As part of a key it sorts as the number does.
func (id ID) Key() string { return fmt.Sprintf("%0*d", width, int64(id)) }
