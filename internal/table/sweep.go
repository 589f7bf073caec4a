package table

import (
	"context"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/api"
)

const (
	// MaxParallel is how many calls of one request are under way together at most.
	MaxParallel = 16
	// minSweep is how many prefixes are worth a query over what is between them.
	minSweep = 10
	// sweepSize is how many prefixes one query is for, unless there are so many that all calls would not be side
	// by side.
	sweepSize = 25
)

// Sweep reads the items of a partition whose sort keys begin with one of several prefixes, strongly consistent, by
// queries over all that is from one of them to another. Prefixes are sorted, and none begins with another.
//
// A query takes a unit for each 4 KB, a read of what has one prefix takes a unit at least. So where the prefixes stand
// close together a query is cheaper than the reads. Where a query has read too much of what is between them, Sweep
// gives up those that follow it: left are the prefixes that it has not read. Each is about how many items have one of
// the prefixes. Visit is given every item that was read, and whether it has one of the prefixes; its error ends the
// sweep. It is called by one goroutine at a time.
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

// sweep is one goroutine of a [Sweep].
type sweep[T interface{ RangeKey() any }] struct {
	prefixes []string // that were not read to their end
	page     Page[T]
	inside   bool    // the page ended within the first of them
	done     int     // how many were read
	between  bool    // some items had none of them
	units    float64 // that it took
	limit    int     // of the next page
	price    float64 // how many units it has to save for one
}

// goesOn reports whether the next query is likely to save units. Of few prefixes it has to save two for one: queries
// that come one after the other take time as well, and what is read along tells little.
func (s *sweep[T]) goesOn() bool {
	return len(s.prefixes) > 0 && (s.inside || !s.between || s.price*s.units <= float64(s.done))
}

// next reads on where the last page ended or, where that was not within a prefix, from the next prefix on.
func (s *sweep[T]) next(ctx context.Context, t Table, partition string) (err error) {
	if s.inside {
		s.page, err = s.page.Next(ctx, s.limit)
	} else {
		last := s.prefixes[len(s.prefixes)-1] + "~"
		s.page, err = QueryRange[T](ctx, t, partition, s.prefixes[0], last, s.limit)
	}
	s.units += s.page.Units
	s.limit *= 2
	return err
}

// take visits the items of the page.
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
		if wanted && key == s.prefixes[0] { // the only one with it
			s.pass()
		}
	}
	if !s.page.More() {
		s.prefixes = nil
	}
	return nil
}

func (s *sweep[T]) pass() {
	s.prefixes, s.inside = s.prefixes[1:], false
	s.done++
}
