package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// recorder collects entries of several goroutines. The zero recorder is empty; a nil one keeps nothing.
type recorder[T any] struct {
	mu   sync.Mutex
	list []T
}

// add records an entry. A nil recorder drops it, so that callers before and after the load need no check.
func (r *recorder[T]) add(entry T) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, entry)
}

// all returns what was recorded so far, in order.
func (r *recorder[T]) all() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

// violations are things that must not happen and did.
type violations struct{ recorder[string] }

func (v *violations) add(format string, args ...any) { v.recorder.add(fmt.Sprintf(format, args...)) }

// history has every request of the load.
type history = recorder[operation]

// operation is one request, as its client saw it.
type operation struct {
	endpoint *endpoint
	at       time.Time
	took     time.Duration
	failure  string // kind of the failure, "" for none
}

// percentile returns the time that a share of the operations took at most, by the nearest rank; 0 if there are none.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(share*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// durations returns the operations' times, the shortest first.
func durations(operations []operation) []time.Duration {
	list := make([]time.Duration, len(operations))
	for i, o := range operations {
		list[i] = o.took
	}
	slices.Sort(list)
	return list
}

// byEndpoint groups operations by their endpoint.
func byEndpoint(operations []operation) map[*endpoint][]operation {
	groups := map[*endpoint][]operation{}
	for _, o := range operations {
		groups[o.endpoint] = append(groups[o.endpoint], o)
	}
	return groups
}

// failures counts failures by their kind.
func failures(operations []operation) map[string]int {
	counts := map[string]int{}
	for _, o := range operations {
		if o.failure != "" {
			counts[o.failure]++
		}
	}
	return counts
}

// mostFirst returns the keys of counts, the most frequent first.
func mostFirst(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
