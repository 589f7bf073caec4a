package bench

import (
	"slices"
	"testing"
	"time"
)

// cost is what an operation took: the time that passed, and the processor's time over all cores, zero where it is not
// read.
type cost struct{ wall, cpu time.Duration }

// turns are what an operation cost in each of its turns, in the mean of that turn, in nanoseconds.
type turns struct{ wall, cpu []float64 }

// takeTurns measures an operation, the first, and those that it is compared with in between, so that all see the
// same machine: other work on it slows down all of them. A turn is of that length, and of one operation at least.
// The benchmark's own clock and its count of allocations run for the first alone.
func takeTurns(b *testing.B, length time.Duration, operations ...func() cost) []turns {
	all := make([]turns, len(operations))
	var spent cost // in this turn
	n := 0         // operations in this turn
	end := func(i int) {
		all[i].wall = append(all[i].wall, float64(spent.wall)/float64(n))
		all[i].cpu = append(all[i].cpu, float64(spent.cpu)/float64(n))
		spent, n = cost{}, 0
	}
	add := func(i int) {
		c := operations[i]()
		spent.wall += c.wall
		spent.cpu += c.cpu
		n++
	}
	others := func() {
		b.StopTimer()
		end(0)
		for i := 1; i < len(operations); i++ {
			for add(i); spent.wall < length; {
				add(i)
			}
			end(i)
		}
		b.StartTimer()
	}
	for b.Loop() {
		if add(0); spent.wall >= length {
			others()
		}
	}
	if len(all[0].wall) == 0 { // the benchmark was shorter than a turn
		others()
	}
	return all
}

// report gives the mean of the wall time, as every benchmark does, and the medians of the turns.
func (t turns) report(b *testing.B) {
	b.ReportMetric(mean(t.wall), "ns/op")
	b.ReportMetric(median(t.wall), "median-ns")
	if cpu := median(t.cpu); cpu > 0 {
		b.ReportMetric(cpu, "cpu-ns")
	}
}

// multiple is the median of what each turn took in multiples of the other's that followed it: a load that comes and
// goes makes both dearer.
func multiple(own, other []float64) float64 {
	ratios := make([]float64, len(own))
	for i := range own {
		ratios[i] = own[i] / other[i]
	}
	return median(ratios)
}

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
