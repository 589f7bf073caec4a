package bench

import (
	"testing"
	"time"
)

const (
	// warmUp is how long a process is driven before it is measured.
	warmUp = 300 * time.Millisecond
	// warmTurn is long enough for the collector to work in each.
	warmTurn = 100 * time.Millisecond
	// metered is how many requests are measured for what they consume.
	metered = 5
)

// BenchmarkWarm drives each function, as the process that Lambda would run, with requests of its usual kind, on the
// database itself, in turns with get-item. ns/op is from the event to the answer, with the medians of the turns beside
// it; cpu-ns is the time of the function's process on all cores, from one event to the next. trips/op are round trips
// to the table, calls that go side by side counted once; the units are what DynamoDB would charge.
func BenchmarkWarm(b *testing.B) {
	d := open(b)
	for _, u := range d.usual(b) {
		b.Run(u.String(), func(b *testing.B) {
			used := d.consumption(b, u)
			t := takeTurns(b, warmTurn, d.warm(b, u), d.warm(b, d.getsItem()))
			t[0].report(b)
			if median(t[1].cpu) > 0 {
				b.ReportMetric(multiple(t[0].cpu, t[1].cpu), "cpu-x-get-item")
			}
			used.report(b)
			b.ReportMetric(float64(d.program(u.program).MemoryMB), "memory-MB")
		})
	}
}

// warm starts the program of a usage and returns what asks it once.
func (d *desk) warm(b *testing.B, u usage) func() cost {
	b.Helper()
	s := d.start(b, u.program, d.database())
	once := func() cost { return u.once(b, s).cost }
	for began := time.Now(); time.Since(began) < warmUp; {
		once()
	}
	return once
}

// once sends the next request.
func (u usage) once(tb testing.TB, s *process) reply {
	tb.Helper()
	r := send(tb, s, u.next(tb))
	if u.undo != nil {
		u.undo(tb, r)
	}
	return r
}

// consumption is what one request of a usage takes, in the mean of several.
func (d *desk) consumption(tb testing.TB, u usage) consumption {
	tb.Helper()
	m := newMeter(tb, d.database())
	s := d.start(tb, u.program, m.URL)
	mails := d.ses.mails.Load()
	for range metered {
		u.once(tb, s)
	}
	used := m.read()
	used.mails = float64(d.ses.mails.Load() - mails)
	return used.of(metered)
}

// TestEveryFunctionIsMeasured, by requests that are answered with success.
func TestEveryFunctionIsMeasured(t *testing.T) {
	d := open(t)
	measured := map[string]bool{}
	for _, u := range d.usual(t) {
		measured[u.program] = true
		t.Run(u.String(), func(t *testing.T) { u.once(t, d.start(t, u.program, d.database())) })
	}
	for _, p := range d.programs {
		if !measured[p.name] {
			t.Errorf("%s is not", p.name)
		}
	}
}
