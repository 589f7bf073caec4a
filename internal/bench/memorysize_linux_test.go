package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

// coldStarts is how many starts are measured for each size. After coldTime no further one begins, but there are at
// least three.
const (
	coldStarts = 20
	coldTime   = 2 * time.Second
)

// BenchmarkMemorySize drives each function with the part of a core that Lambda gives it for each memory size, with what
// it is asked most of the time and with the largest that it may be asked. The sizes take turns. Of the time from the
// event to the answer it gives the median and the 95th percentile, p50-512-ns, with services on this machine; of that
// from the start of the process to the first answer too, cold-p50-512-ns, as BenchmarkFirstAnswer measures it.
func BenchmarkMemorySize(b *testing.B) {
	bed := newTestbed(b)
	distant := bed.newDistant(b)
	for _, w := range slices.Concat(bed.workloads(b), bed.largest(b)) {
		b.Run(w.String(), func(b *testing.B) {
			programs := make([]program, len(MemorySizes))
			processes := make([]*process, len(MemorySizes))
			for i, memory := range MemorySizes {
				programs[i] = bed.program(w.program)
				programs[i].share = newShare(b, memory)
			}
			cold, warm := make([][]float64, len(MemorySizes)), make([][]float64, len(MemorySizes))
			for i, p := range programs {
				enough := time.Now().Add(coldTime)
				for len(cold[i]) < 3 || len(cold[i]) < coldStarts && time.Now().Before(enough) {
					cold[i] = append(cold[i], bed.firstAnswer(b, w, p, distant.template))
				}
				processes[i], _ = bed.startProgram(b, p, bed.beside(bed.database()))
				b.Cleanup(processes[i].stop)
				w.once(b, processes[i]) // its first is a cold one
			}
			for b.Loop() {
				for i, s := range processes {
					warm[i] = append(warm[i], float64(w.once(b, s).cost.wall))
				}
			}
			for i, memory := range MemorySizes {
				b.ReportMetric(percentile(warm[i], 50), fmt.Sprintf("p50-%d-ns", memory))
				b.ReportMetric(percentile(warm[i], 95), fmt.Sprintf("p95-%d-ns", memory))
				b.ReportMetric(percentile(cold[i], 50), fmt.Sprintf("cold-p50-%d-ns", memory))
				b.ReportMetric(percentile(cold[i], 95), fmt.Sprintf("cold-p95-%d-ns", memory))
			}
			used := bed.consumption(b, w)
			used.report(b)
			b.ReportMetric(float64(bed.program(w.program).MemoryMB), "memory-MB")
		})
	}
}

// percentile returns the least of the values that p percent of them do not exceed.
func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}

// largest returns the largest requests that the contract allows, or gives as an example of a large one.
func (bed *testbed) largest(b *testing.B) []workload {
	b.Helper()
	many, reordered := bed.startPortal(b), bed.startPortal(b)
	many.fill(b, 9_999, scattered, many.add(b, object{"name": "Guides"}))
	bed.Publish(b, many.key, true)
	var ids []json.Number
	for range 50 {
		ids = append(ids, reordered.add(b, object{"name": "Billing"}))
	}
	public := many.listPublic("100-of-10000", cursors())
	for range 100 {
		bed.newUser(b)
	}
	recorder := bed.start(b, "record-mail-event", bed.database())
	for i := range 50 {
		send(b, recorder, bed.mailEvent(fmt.Sprintf("0102-%d", i)))
	}
	mail, users, mails, reorder := repeat("send-mail", bed.largeMail(b)), repeat("list-users", request{
		method: "GET", path: usersPath, query: map[string]string{"limit": "100"}, token: bed.AppToken,
	}), repeat("list-mails", request{
		method: "GET", path: "/mails", query: map[string]string{"limit": "50"}, token: bed.MailKeyText,
	}), reordered.reorder(ids...)
	mail.kind, users.kind, mails.kind, reorder.kind = "of-40-MB", "100", "50", "50"
	return []workload{
		mail, mails, users, reorder, public,
		many.list("all-10000", nil), many.list("1000-of-10000", map[string]string{"limit": "1000"}),
	}
}
