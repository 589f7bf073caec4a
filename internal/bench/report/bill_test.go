package main

import (
	"strings"
	"testing"

	"frontdesk/internal/expect"
)

// measured are results of what a bill is made of. Each request takes 5 ms of a whole core, and nothing else but what
// its row says.
func measured(t *testing.T) *results {
	t.Helper()
	row := func(name, more string) string {
		return "BenchmarkWarm/function=" + name + "-2 1 5000000 cpu-ns 1769 memory-MB 0 trips/op " + more + "\n"
	}
	r, err := readResults(strings.NewReader(
		row("send-mail", "1 mails/op 8 read-units/op 0 write-units/op")+
			row("record-mail-event", "0 mails/op 0 read-units/op 1.6 write-units/op")+
			row("list-public-categories/kind=from-memory", "0 mails/op 0 read-units/op 0 write-units/op")+
			row("sign-in/kind=by-password", "0 mails/op 0 read-units/op 0 write-units/op")), "results")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAMonthIsBilledByService: what is asked for, times what each takes.
func TestAMonthIsBilledByService(t *testing.T) {
	r := measured(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if got < want*0.999 || got > want*1.001 {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	bill, ok := r.month(customer{mails: 1e6, events: true, reads: 2e6, logins: 3e6})
	expect.Equal(t, "measured", ok, true)
	near("SES", bill.ses, 100)
	near("HTTP API: no event comes by it", bill.api, 1+2+3)
	near("DynamoDB: reads, writes, and 2 GB of the log", bill.table, 1+2+0.9)
	near("logs of 8 million requests", bill.logs, 16*0.53)
	near("alarms", bill.alarms, 4)
	near("Lambda: 55 ms for each mail, 5 for all else",
		bill.lambda, 8*0.2+(55+7*5)*1e3*1769/1024*0.0000133334)
	near("all of it", bill.sum(), bill.ses+bill.api+bill.lambda+bill.table+bill.logs+bill.alarms)

	without, _ := r.month(customer{mails: 1e6})
	near("DynamoDB without events", without.table, 1)
}

// TestTheBillNamesWhatDominates, and both of SES's plans.
func TestTheBillNamesWhatDominates(t *testing.T) {
	r := measured(t)
	expect.HasPrefix(t, "dominant", r.dominant(), "SES is ")
	bills := r.bills()
	expect.Contains(t, "bills", bills, "| with SES's plan Essentials | $5.65 |")
	expect.Equal(t, "rows", strings.Count(bills, "\n"), 2+len(services)+2)
	delete(r.values, "Warm/function=sign-in/kind=by-password")
	expect.Equal(t, "bills of what was not measured", r.bills(), none)
}
