package bench

import (
	"slices"
	"testing"
	"time"
)

// turns are what two that took turns needed for one operation: a mean for each turn, in nanoseconds.
type turns struct{ own, baseline []float64 }

// takeTurns measures an operation, and the baseline that it is compared with in between, so that both see
// the same machine: other work on it slows down both. A turn is of that length, and of one operation at
// least. The benchmark's own clock and its count of allocations run for the operation alone.
func takeTurns(b *testing.B, length time.Duration, own, baseline func() time.Duration) turns {
	var (
		t     turns
		spent time.Duration // in this turn
		n     int           // operations in this turn
	)
	other := func() {
		b.StopTimer()
		t.own = append(t.own, float64(spent)/float64(n))
		for spent, n = 0, 0; n == 0 || spent < length; n++ {
			spent += baseline()
		}
		t.baseline = append(t.baseline, float64(spent)/float64(n))
		spent, n = 0, 0
		b.StartTimer()
	}
	for b.Loop() {
		spent += own()
		if n++; spent >= length {
			other()
		}
	}
	if len(t.own) == 0 { // the benchmark was shorter than a turn
		other()
	}
	return t
}

// ratio is the own time as a multiple of the baseline's.
func (t turns) ratio() float64 { return median(t.own) / median(t.baseline) }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
