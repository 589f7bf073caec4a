package main

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// sample is one request, as its client saw it.
type sample struct {
	endpoint endpoint
	at       time.Time
	took     time.Duration
	failure  string // its kind, "" for none
}

// record has every request of the load. A nil record forgets.
type record struct {
	mu      sync.Mutex
	samples []sample
}

func (r *record) add(s sample) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = append(r.samples, s)
}

// all is called when the load has ended.
func (r *record) all() []sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.samples
}

// percentile is the time that a share of the samples took at most, by the nearest rank; 0 for none.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(share*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// durations are the samples' times, the shortest first.
func durations(samples []sample) []time.Duration {
	list := make([]time.Duration, len(samples))
	for i, s := range samples {
		list[i] = s.took
	}
	slices.Sort(list)
	return list
}

// byEndpoint are the endpoints' samples.
func byEndpoint(samples []sample) map[endpoint][]sample {
	groups := map[endpoint][]sample{}
	for _, s := range samples {
		groups[s.endpoint] = append(groups[s.endpoint], s)
	}
	return groups
}

// failures counts the failures by their kind.
func failures(samples []sample) map[string]int {
	counts := map[string]int{}
	for _, s := range samples {
		if s.failure != "" {
			counts[s.failure]++
		}
	}
	return counts
}

// mostFirst are the keys of counts, the most frequent first.
func mostFirst(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
