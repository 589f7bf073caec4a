package bench

import (
	"slices"
	"testing"
)

// firstAnswers is how many starts of each function are measured, in each way.
const firstAnswers = 20

// firstAnswering are the functions that it measures: the one that the goal is of, and the largest.
var firstAnswering = []string{"show-user", "send-mail"}

// BenchmarkFirstAnswer measures functions from the start of its process to its first answer. A process has a
// whole core until its first event, and then the part that its memory size in the template buys; DynamoDB and SES are
// behind TLS, as distant as they are in a region. What is compared takes turns: the function with the template's
// environment (median-ns); as Go alone would have it in Lambda's image, which has each root as a file of its own
// besides the bundle (files-ns); with the one root that it needs (one-root-ns); and of the same memory size, with the
// template's environment, get-item and hello-world, which calls nothing (get-item-ns, hello-ns). x-one-root is the
// first in multiples of the third.
func BenchmarkFirstAnswer(b *testing.B) {
	bed := newTestbed(b)
	distant := bed.newDistant(b)
	list := bed.workloads(b)
	hello, get := list[0], bed.getItem()
	// Of each program the first workload is enough.
	list = slices.CompactFunc(list, func(a, b workload) bool { return a.program == b.program })
	list = slices.DeleteFunc(list, func(w workload) bool { return !slices.Contains(firstAnswering, w.program) })
	for _, w := range list {
		b.Run(w.String(), func(b *testing.B) {
			memory := bed.program(w.program).MemoryMB
			part := newShare(b, memory)
			first := func(w workload, s services) float64 {
				p := bed.program(w.program)
				p.share = part
				return bed.firstAnswer(b, w, p, s)
			}
			var own, files, one, item, least []float64
			for range firstAnswers {
				own = append(own, first(w, distant.template))
				files = append(files, first(w, distant.files))
				one = append(one, first(w, distant.one))
				item = append(item, first(get, distant.template))
				least = append(least, first(hello, distant.template))
			}
			b.ReportMetric(median(own), "median-ns")
			b.ReportMetric(median(files), "files-ns")
			b.ReportMetric(median(one), "one-root-ns")
			b.ReportMetric(median(item), "get-item-ns")
			b.ReportMetric(median(least), "hello-ns")
			b.ReportMetric(multiple(own, one), "x-one-root")
			b.ReportMetric(float64(memory), "memory-MB")
		})
	}
}

// firstAnswer returns the nanoseconds from the start of a program to its first answer, without the time between its
// request for an event and the event.
func (bed *testbed) firstAnswer(b *testing.B, w workload, p program, s services) float64 {
	b.Helper()
	started, ready := bed.startProgram(b, p, s)
	defer started.stop()
	return float64(ready + w.once(b, started).cost.wall)
}

// distant are DynamoDB and SES behind TLS, with the root certificates that a program may find.
type distant struct{ template, files, one services }

func (bed *testbed) newDistant(b *testing.B) distant {
	b.Helper()
	t := newTrust(b)
	with := services{
		database: newDistantService(b, t.service, bed.database()), ses: newDistantService(b, t.service, bed.ses.URL),
	}
	trusting := func(roots map[string]string) services {
		with.roots = roots
		return with
	}
	const none = "/nonexistent"
	return distant{
		template: trusting(map[string]string{"SSL_CERT_FILE": t.bundle}),
		files:    trusting(map[string]string{"SSL_CERT_FILE": t.bundle, "SSL_CERT_DIR": t.folder}),
		one:      trusting(map[string]string{"SSL_CERT_FILE": t.one, "SSL_CERT_DIR": none}),
	}
}
