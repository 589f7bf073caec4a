package bench

import (
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"
)

// mimeRound is so long that the garbage collector works for each writer as if the writer were alone. The time of a
// writer with much garbage depends on the heap that it finds.
const mimeRound = 500 * time.Millisecond

// BenchmarkMIME writes each message with each writer, the message's own construction included. MB/s is of
// the input; alloc/msg is what was allocated, in multiples of what was written; x-frontdesk is the time
// in multiples of frontdesk's, interleaved with the writer. Frontdesk is measured beside itself too: how
// far its x-frontdesk is from 1 is how far the others' may be from the truth.
func BenchmarkMIME(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(inputs())) {
		b.Run("message="+name, func(b *testing.B) {
			m := inputs()[name]
			beside := writers
			if len(m.files) > 0 {
				beside = slices.Concat(writers, encoders)
			}
			for _, w := range beside {
				b.Run("impl="+w.name, func(b *testing.B) { measure(b, m, w) })
			}
		})
	}
}

func measure(b *testing.B, m *message, w writer) {
	timed := func(w writer) func() cost {
		return func() cost {
			start := time.Now()
			if err := w.write(m, new(counter)); err != nil {
				b.Fatal(err)
			}
			return cost{wall: time.Since(start)}
		}
	}
	allocation, err := allocation(m, w)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(m.size()))
	b.ReportAllocs()
	r := interleave(b, mimeRound, timed(w), timed(writers[0]))
	b.ReportMetric(allocation, "alloc/msg")
	b.ReportMetric(multiple(r[0].wall, r[1].wall), "x-"+frontdesk)
}

// allocation returns how much a writer allocates for one message, as a multiple of the finished message's size.
func allocation(m *message, w writer) (float64, error) {
	var before, after runtime.MemStats
	var written counter
	runtime.ReadMemStats(&before)
	err := w.write(m, &written)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(written), err
}

// TestLargeMessageIsAllocatedOnce if the caller wants it in one buffer, and never otherwise.
func TestLargeMessageIsAllocatedOnce(t *testing.T) {
	m := attachments()
	for i, most := range []float64{MaxAllocation, MaxAllocationInOne} {
		got, err := allocation(m, writers[i])
		if err != nil {
			t.Fatal(err)
		}
		if got > most {
			t.Errorf("%s allocates %.2f times the message's size; at most %.2f is wanted", writers[i].name, got, most)
		}
	}
}
