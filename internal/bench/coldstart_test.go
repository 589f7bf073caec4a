package bench

import (
	"testing"
	"time"
)

// limits are what is wanted of a function, in multiples of the baseline.
type limits struct{ start, zip float64 }

// limitsOf allows send-mail more than the functions that need DynamoDB alone: it has a second service, HTML and
// downloads to load.
func limitsOf(p program) limits {
	if p.name == "send-mail" {
		return limits{start: 1.9, zip: 1.8}
	}
	return limits{start: 1.5, zip: 1.7}
}

// BenchmarkColdStart measures each function from the start of its process to its first call of the Runtime
// API for an event, in turns with the baseline. ns/op is the mean; x-hello is the ratio of the medians;
// cpu-ns is the processor's time until then, over all cores, which is what counts where Lambda gives a
// function a part of one. The baseline is measured by itself too: how far its x-hello is from 1 is how far
// the others' may be from the truth.
func BenchmarkColdStart(b *testing.B) {
	list := programs(b)
	hello := list[0]
	api := newRuntimeAPI(b)
	helloZip, err := hello.zipSize()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range list {
		zip, err := p.zipSize()
		if err != nil {
			b.Fatal(err)
		}
		b.Run("function="+p.name, func(b *testing.B) {
			start := func(p program) startup {
				s, err := api.start(p)
				if err != nil {
					b.Fatal(err)
				}
				return s
			}
			start(hello) // the first of all reads the files from the disk
			start(p)
			var cpu []float64
			t := takeTurns(b, 0, // one start each
				func() time.Duration {
					s := start(p)
					cpu = append(cpu, float64(s.cpu))
					return s.wall
				},
				func() time.Duration { return start(hello).wall })
			b.ReportMetric(mean(t.own), "ns/op")
			b.ReportMetric(median(t.own), "median-ns")
			b.ReportMetric(median(cpu), "cpu-ns")
			b.ReportMetric(t.ratio(), "x-hello")
			b.ReportMetric(float64(zip), "zip-bytes")
			b.ReportMetric(float64(zip)/float64(helloZip), "zip-x-hello")
			if p.name != baseline {
				b.Logf("wanted: at most %.1f x-hello and %.1f zip-x-hello", limitsOf(p).start, limitsOf(p).zip)
			}
		})
	}
}
