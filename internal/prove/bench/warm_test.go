package bench

import (
	"testing"
	"time"
)

const (
	// warmUp is how long a process works before it is measured.
	warmUp = 300 * time.Millisecond
	// warmRound is so long that the garbage collector works in each round.
	warmRound = 100 * time.Millisecond
	// consumptionRequests is over how many requests the consumption is averaged.
	consumptionRequests = 5
)

// BenchmarkWarm drives each function, as the process that Lambda would run, with its workloads, directly on the
// database, in turns with get-item. ns/op is from the event to the answer, with the medians of the rounds beside it.
// cpu-ns is the time of the function's process on all cores, from one event to the next. trips/op are round trips to
// the table; calls at the same time count once. The units are those that DynamoDB would charge.
func BenchmarkWarm(b *testing.B) {
	bed := newTestbed(b)
	for _, w := range bed.workloads(b) {
		b.Run(w.String(), func(b *testing.B) {
			used := bed.consumption(b, w)
			r := interleave(b, warmRound, bed.warm(b, w), bed.warm(b, bed.getItem()))
			r[0].report(b)
			if median(r[1].cpu) > 0 {
				b.ReportMetric(multiple(r[0].cpu, r[1].cpu), "cpu-x-get-item")
			}
			used.report(b)
			b.ReportMetric(float64(bed.program(w.program).MemoryMB), "memory-MB")
		})
	}
}

// warm starts the program of a workload, and returns a function that sends one request to it.
func (bed *testbed) warm(b *testing.B, w workload) func() cost {
	b.Helper()
	s := bed.start(b, w.program, bed.database())
	once := func() cost { return w.once(b, s).cost }
	for began := time.Now(); time.Since(began) < warmUp; {
		once()
	}
	return once
}

// once sends the next request.
func (w workload) once(tb testing.TB, s *process) reply {
	tb.Helper()
	r := send(tb, s, w.next(tb))
	if w.undo != nil {
		w.undo(tb, r)
	}
	return r
}

// consumption returns what one request of a workload takes, as the mean of several.
func (bed *testbed) consumption(tb testing.TB, w workload) consumption {
	tb.Helper()
	p := newMeteringProxy(tb, bed.database())
	s := bed.start(tb, w.program, p.URL)
	mails := bed.ses.mails.Load()
	for range consumptionRequests {
		w.once(tb, s)
	}
	used := p.read()
	used.mails = float64(bed.ses.mails.Load() - mails)
	return used.per(consumptionRequests)
}

// TestEveryFunctionIsMeasured: each function has a workload, and the workload's requests succeed.
func TestEveryFunctionIsMeasured(t *testing.T) {
	bed := newTestbed(t)
	measured := map[string]bool{}
	for _, w := range bed.workloads(t) {
		measured[w.program] = true
		t.Run(w.String(), func(t *testing.T) { w.once(t, bed.start(t, w.program, bed.database())) })
	}
	for _, p := range bed.programs {
		if !measured[p.name] {
			t.Errorf("%s is not", p.name)
		}
	}
}
