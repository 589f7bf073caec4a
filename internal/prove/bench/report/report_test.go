package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestPage: the figures of the page on costs are those of the committed results, in the words that the report
// has today.
func TestPage(t *testing.T) {
	file, err := os.Open("../results.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := readResults(file, "results.txt")
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.report()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := replaceSection(string(page), report)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Error("internal/docs/costs.md has not the figures of results.txt: run make bench/page")
	}
	if strings.Contains(report, none) {
		t.Errorf("something was not measured:\n%s", report)
	}
}

func TestAPageNeedsAPlaceForTheFigures(t *testing.T) {
	for name, page := range map[string]string{
		"no marker":      "# frontdesk\n",
		"no end":         "# frontdesk\n" + opening,
		"the end first":  closing + opening,
		"an empty place": opening + closing,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := replaceSection(page, "figures\n")
			if name != "an empty place" {
				expect.Not(t, err, nil)
				return
			}
			expect.Equal(t, err, nil)
			expect.Equal(t, got, opening+"\nfigures\n\n"+closing, "page")
		})
	}
}

func TestTheWorstFunctionIsHeldAgainstTheLimit(t *testing.T) {
	for name, c := range map[string]struct{ results, want string }{
		"at the limit it is met": {
			"BenchmarkWarm/function=show-user-2 1 1.30 cpu-x-get-item",
			"| CPU of a warm `show-user` beside `get-item` | at most 1.30x | 1.30x | met |",
		},
		"over it is not": {
			"BenchmarkWarm/function=show-user-2 1 1.31 cpu-x-get-item",
			"| at most 1.30x | 1.31x | **not met** |",
		},
		"the worst of all functions counts": {
			"BenchmarkColdStart/function=docs-2 1 1.1 x-hello\nBenchmarkColdStart/function=sign-in-2 1 2.9 x-hello",
			"| at most 2.80x | 1.10x to 2.90x | **not met** |",
		},
		"send-mail has limits of its own": {
			"BenchmarkColdStart/function=docs-2 1 1.1 x-hello\nBenchmarkColdStart/function=send-mail-2 1 1.4 x-hello",
			"| cold start of `send-mail` beside `hello-world` | at most 3.00x | 1.40x | met |",
		},
		"of what is compared with nothing is wanted": {
			"BenchmarkColdStart/function=docs-2 1 1.1 x-hello\nBenchmarkColdStart/function=get-item-2 1 1.8 x-hello",
			"| at most 2.80x | 1.10x | met |",
		},
		"of several runs the median counts": {
			"BenchmarkWarm/function=show-user-2 1 1 cpu-x-get-item\n" +
				"BenchmarkWarm/function=show-user-2 1 9 cpu-x-get-item\n" +
				"BenchmarkWarm/function=show-user-2 1 0.9 cpu-x-get-item",
			"| at most 1.30x | 1.00x | met |",
		},
		"less than the least is not met": {
			"BenchmarkMIME/message=attachments/impl=go-mail-2 1 2.9 x-frontdesk",
			"| at least 3.00x | 2.90x | **not met** |",
		},
		"failures of all statuses count, with 64 clients": {
			"BenchmarkContention/kind=creates-one-parent/clients=64-2 1 0.003 status-409/op " +
				"0.002 status-503/op 9 succeeded/s\n" +
				"BenchmarkContention/kind=creates-one-parent/clients=16-2 1 0.5 status-409/op 9 succeeded/s",
			"| creates below one parent, 64 clients: failed | at most 0.50 % | 0.50 % | met |",
		},
		"a single 500 is too many": {
			"BenchmarkContention/kind=moves-related/clients=1-2 1 0.001 status-500/op 9 succeeded/s\n" +
				"BenchmarkContention/kind=moves-related/clients=64-2 1 0.1 status-503/op 9 succeeded/s",
			"| answers of 500 under contention | at most 0 % | 0 % to 0.10 % | **not met** |",
		},
		"a pin that saves too little is to be dropped": {
			"BenchmarkPins/client=sesv2-2 1 1.04 x-newest",
			"| cold start without the pin of `sesv2` | at least 1.05x | 1.04x | **not met** |",
		},
		"what was not measured has no verdict": {
			"BenchmarkWarm/function=show-user-2 1 1.2 cpu-x-get-item",
			"| memory of `send-mail` for a message of 40 MB | at most 510 MB | – |  |",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := readResults(strings.NewReader(c.results+"\n"), name)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.verdicts(); !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant %s", got, c.want)
			}
		})
	}
}

func TestThePriceIsOfAMillionRequests(t *testing.T) {
	const base = 0.20 + 1.00 // dollars for a million requests of Lambda and HTTP API
	for name, c := range map[string]struct {
		usage  usage
		billed float64 // milliseconds
		price  float64 // dollars for a million
	}{
		"a whole millisecond at least": {usage{cpu: 1e-6, memory: 1024}, 1, base + 0.0133334},
		"half the memory costs half":   {usage{cpu: 1e-6, memory: 512}, 1, base + 0.0066667},
		"less memory buys less of a core": {
			usage{cpu: 10e-3, memory: 1769.0 / 4}, 40, base + 40*0.0133334*1769/4/1024,
		},
		"more memory does not make it faster":     {usage{cpu: 10e-3, memory: 3538}, 10, base + 10*0.0133334*3538/1024},
		"a round trip is waited for":              {usage{trips: 1, memory: 1024}, 5, base + 5*0.0133334},
		"an event is not paid for":                {usage{invoked: true}, 0, base - 1},
		"units are paid":                          {usage{read: 4, write: 8}, 0, base + 4*0.125 + 8*0.625},
		"a mail is paid by the thousand of those": {usage{mails: 1, memory: 1024}, 50, base + 50*0.0133334 + 100},
	} {
		t.Run(name, func(t *testing.T) {
			if c.usage.memory == 0 {
				c.usage.memory = 128
			}
			if got := c.usage.billed(); got != c.billed {
				t.Errorf("%g ms are billed, want %g", got, c.billed)
			}
			if got := c.usage.price() * 1e6; math.Abs(got-c.price) > 1e-6 {
				t.Errorf("a million costs %g dollars, want %g", got, c.price)
			}
		})
	}
}

func TestFiguresHaveTwoDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0", 0.000123: "0.00012", 0.05: "0.050", 0.996: "1.0", 1: "1.0", 1.26: "1.3",
		9.96: "10", 18.4: "18", 99.6: "100", 1234: "1200",
	} {
		if got := significant(v); got != want {
			t.Errorf("%g is written %s, want %s", v, got, want)
		}
	}
}

func TestResultsMustBeThere(t *testing.T) {
	for name, text := range map[string]string{"none": "PASS\n", "not in the format": "BenchmarkX 1 many ns/op\n"} {
		if _, err := readResults(strings.NewReader(text), name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
