package bench

import (
	"slices"
	"testing"
	"time"
)

// cost is what an operation took: the time that passed, and the processor's time over all cores, zero where it is
// not read.
type cost struct{ wall, cpu time.Duration }

// rounds are what an operation cost in each of its rounds, in the mean of the round, in nanoseconds.
type rounds struct{ wall, cpu []float64 }

// interleave measures the first operation in rounds, and between them, in rounds of their own, the operations that
// it is compared with. So all see the same machine: other work on it slows down all of them. A round is of that
// length, and of one operation at least. The benchmark's own clock and its count of allocations run for the first
// operation alone.
func interleave(b *testing.B, length time.Duration, operations ...func() cost) []rounds {
	all := make([]rounds, len(operations))
	var spent cost // in this round
	n := 0         // operations in this round
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
	if len(all[0].wall) == 0 { // the benchmark was shorter than a round
		others()
	}
	return all
}

// report gives the mean of the wall time, as every benchmark does, and the medians of the rounds.
func (r rounds) report(b *testing.B) {
	b.ReportMetric(mean(r.wall), "ns/op")
	b.ReportMetric(median(r.wall), "median-ns")
	if cpu := median(r.cpu); cpu > 0 {
		b.ReportMetric(cpu, "cpu-ns")
	}
}

// multiple is the median of what each round took in multiples of the other operation's round that followed: a load that
// comes and goes makes both slower.
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
