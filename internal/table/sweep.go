package table

import (
	"context"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/api"
)

const (
	// MaxParallel limits how many calls of one request run at the same time.
	MaxParallel = 16
	// minSweep is the number of prefixes from which a query over their whole range is worthwhile.
	minSweep = 10
	// sweepSize is the number of prefixes per query. With more than MaxParallel times as many prefixes, queries get
	// larger instead, so that all of them still run at once.
	sweepSize = 25
)

// Sweep reads the items of a partition whose sort keys begin with one of several prefixes, strongly consistent. It
// queries whole ranges from one prefix to another, and so also reads the items in between. The prefixes must be sorted,
// and none may begin with another.
//
// A query costs one unit per 4 KB; a separate read per prefix costs at least one unit each. So a query is cheaper if
// the prefixes are close together. If a query reads too much in between, Sweep gives up the rest of its range: left are
// the prefixes that it did not read. Each estimates how many items there are per prefix. Sweep calls visit for every
// item that it read, and says whether the item has one of the prefixes. Calls of visit do not overlap; its error ends
// the sweep.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func Sweep[T interface{ RangeKey() any }](
	ctx context.Context, t Table, partition string, prefixes []string, each int, visit func(item T, wanted bool) error,
) (left []string, err error) {
	var mu sync.Mutex
	group, reading := api.NewGroupContext(ctx)
	group.SetLimit(MaxParallel)
	for some := range slices.Chunk(prefixes, max(sweepSize, len(prefixes)/MaxParallel)) {
		if len(some) < minSweep {
			mu.Lock()
			left = append(left, some...)
			mu.Unlock()
			break
		}
		group.Go(func() error {
			s := sweep[T]{prefixes: some, limit: each * len(some), price: 2}
			if len(some) > sweepSize {
				s.price = 1
			}
			for s.goesOn() {
				if err := s.next(reading, t, partition); err != nil {
					return err
				}
				mu.Lock()
				err := s.take(visit)
				mu.Unlock()
				if err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			left = append(left, s.prefixes...)
			return nil
		})
	}
	return left, group.Wait()
}

// sweep is the state of one goroutine of a [Sweep].
type sweep[T interface{ RangeKey() any }] struct {
	prefixes []string // not yet read to their end
	page     Page[T]
	inside   bool    // the page ended within the first prefix
	done     int     // how many prefixes were read to their end
	between  bool    // some items had none of the prefixes
	units    float64 // units spent so far
	limit    int     // of the next page
	price    float64 // units that each unit spent has to save
}

// goesOn reports whether another query is likely to save units. A sweep of few prefixes goes on only if each unit
// spent saves two: its queries come one after the other and so take time as well, and the few items read so far
// predict little.
func (s *sweep[T]) goesOn() bool {
	return len(s.prefixes) > 0 && (s.inside || !s.between || s.price*s.units <= float64(s.done))
}

// next continues where the last page ended, if that was within a prefix. Otherwise it begins a new query at the next
// prefix, and so skips what is in between. Each page is twice as large as the one before.
func (s *sweep[T]) next(ctx context.Context, t Table, partition string) (err error) {
	if s.inside {
		s.page, err = s.page.Next(ctx, s.limit)
	} else {
		// "~" sorts after every character of the keys, so the range includes all items with the last prefix.
		last := s.prefixes[len(s.prefixes)-1] + "~"
		s.page, err = QueryRange[T](ctx, t, partition, s.prefixes[0], last, s.limit)
	}
	s.units += s.page.Units
	s.limit *= 2
	return err
}

// take visits the items of the page, and marks the prefixes before them as done.
func (s *sweep[T]) take(visit func(item T, wanted bool) error) error {
	for _, item := range s.page.Items {
		key, _ := item.RangeKey().(string)
		for len(s.prefixes) > 0 && s.prefixes[0] < key && !strings.HasPrefix(key, s.prefixes[0]) {
			s.pass()
		}
		wanted := len(s.prefixes) > 0 && strings.HasPrefix(key, s.prefixes[0])
		if err := visit(item, wanted); err != nil {
			return err
		}
		s.between = s.between || !wanted
		s.inside = wanted
		if wanted && key == s.prefixes[0] { // no other item has this prefix
			s.pass()
		}
	}
	// The partition has no more items in the range, so no prefix is left to read.
	if !s.page.More() {
		s.prefixes = nil
	}
	return nil
}

// pass marks the first prefix as done.
func (s *sweep[T]) pass() {
	s.prefixes, s.inside = s.prefixes[1:], false
	s.done++
}
