package bench

import (
	"slices"
	"testing"
	"time"
)

// cost is the time that passed during an operation, and the processor's time over all cores, zero if it cannot be read.
type cost struct{ wall, cpu time.Duration }

// rounds has, for each round, the mean cost of an operation in nanoseconds.
type rounds struct{ wall, cpu []float64 }

// interleave measures the first operation in rounds. Between these, it measures the operations to compare with, in
// rounds of their own. So all see the same machine, and other work on it slows down all of them. A round has the
// given length, and at least one operation. The benchmark's own clock and its count of allocations run only for the
// first operation.
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
	if len(all[0].wall) == 0 { // the benchmark ended within the first round
		others()
	}
	return all
}

// report reports the mean of the wall time, as every benchmark does, and the medians of the rounds.
func (r rounds) report(b *testing.B) {
	b.ReportMetric(mean(r.wall), "ns/op")
	b.ReportMetric(median(r.wall), "median-ns")
	if cpu := median(r.cpu); cpu > 0 {
		b.ReportMetric(cpu, "cpu-ns")
	}
}

// multiple returns the median of the ratios of neighbouring rounds of two operations. A load that comes and goes
// slows both rounds of a pair.
func multiple(own, other []float64) float64 {
	ratios := make([]float64, len(own))
	for i := range own {
		ratios[i] = own[i] / other[i]
	}
	return median(ratios)
}

// median returns the middle value, or the mean of the two in the middle.
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
