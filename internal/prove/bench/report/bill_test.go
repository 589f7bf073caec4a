package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
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
			row("sign-in/kind=by-password", "0 mails/op 0 read-units/op 0 write-units/op")+
			"BenchmarkWarm/function=sign-in/kind=by-link-2 1 1000000 cpu-ns 1769 memory-MB 0 trips/op "+
			"0 mails/op 4 read-units/op 8 write-units/op\n"), "results")
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
	expect.Equal(t, ok, true, "measured")
	near("SES", bill.ses, 100)
	near("HTTP API: no event comes by it", bill.api, 1+2+3)
	near("DynamoDB: reads, writes, and 2 GB of the log", bill.table, 1+2+0.9)
	near("logs of 8 million requests", bill.logs, 16*0.53)
	near("alarms", bill.alarms, 4.4)
	near("Lambda: 55 ms for each mail, 5 for all else",
		bill.lambda, 8*0.2+(55+7*5)*1e3*1769/1024*0.0000133334)
	near("all of it", bill.sum(), bill.ses+bill.api+bill.lambda+bill.table+bill.logs+bill.alarms)

	without, _ := r.month(customer{mails: 1e6})
	near("DynamoDB without events", without.table, 1)
}

// TestTheBillIsATable with a row for each service, by its name, whose cells add up to the total.
func TestTheBillIsATable(t *testing.T) {
	bills := measured(t).bills()
	var rows [][]string
	for line := range strings.Lines(bills) {
		rows = append(rows, strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | "))
	}
	names := []string{"a month", "|--", "SES", "HTTP API", "Lambda", "DynamoDB", "logs", "alarms and metrics",
		"**together**", "with SES's plan Essentials"}
	expect.Len(t, rows, len(names), bills)
	for i, name := range names[2:] {
		expect.Equal(t, rows[i+2][0], name)
	}
	dollars := func(row, column int) (amount float64) {
		t.Helper()
		if _, err := fmt.Sscanf(strings.Trim(rows[row][column], "*"), "$%f", &amount); err != nil {
			t.Fatal(err)
		}
		return amount
	}
	for column, c := range customers {
		column++
		expect.Equal(t, rows[0][column], c.name, "customer")
		together, shares := 0.0, 0.0
		for row := 2; row < 8; row++ {
			amount, share := dollars(row, column), 0.0
			if _, err := fmt.Sscanf(rows[row][column], "$%f, %f %%", &amount, &share); err != nil {
				t.Fatal(err)
			}
			together, shares = together+amount, shares+share
			expect.AtMost(t, math.Abs(share-100*amount/dollars(8, column)), 1, c.name+": the share of "+rows[row][0])
		}
		expect.AtMost(t, math.Abs(together-dollars(8, column)), 0.03, c.name+": what the total misses")
		expect.AtMost(t, math.Abs(shares-100), 3, c.name+": what the shares miss")
		essentials := dollars(9, column) - dollars(8, column)
		expect.AtMost(t, math.Abs(essentials-c.mails*0.06e-3), 0.02, c.name+": what Essentials misses")
	}
	// 1,000 mails cost 0.1 dollars, and one takes a microdollar of read units.
	expect.Equal(t, dollars(2, 1), 1.00, "SES, 10,000 mails")
	expect.Equal(t, dollars(5, 1), 0.01, "DynamoDB, 10,000 mails")
	expect.Equal(t, dollars(6, 2), 0.32, "logs, 100,000 mails and 200,000 events of 2 KB")
}

// TestThePageSaysWhatTheLargestBillIsFor, and what would change it.
func TestThePageSaysWhatTheLargestBillIsFor(t *testing.T) {
	r := measured(t)
	expect.Equal(t, r.largest(), "SES is 71 % of the largest bill, and logs 11 %.\n"+
		"Nothing that frontdesk does halves it: the price of a mail alone is more than half.\n"+
		"SES à la carte in place of Essentials saves 30 %.\n"+
		"A public read takes 0.0 round trips and 0.0 read units on average.\n"+
		"A million sign-ins by link cost $5.50 more of DynamoDB than by password, and $0.09 less of Lambda.\n"+
		"`LogRetentionDays` changes what keeping costs, which is 6 % of the logs.\n"+
		"Of alarms and metrics $1.40 are left where nothing goes wrong for hours.")
	delete(r.values, "Warm/function=sign-in/kind=by-password")
	expect.Equal(t, r.bills(), none, "bills of what was not measured")
	expect.Equal(t, r.largest(), none, "the largest of what was not measured")
}
