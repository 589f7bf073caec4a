package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"frontdesk/internal/base/table"
)

// printReport prints the load, the faults, and what was confirmed afterwards.
func printReport(out io.Writer, e *experiment, c confirmed) {
	operations := e.history.all()
	fmt.Fprintf(out, "\n%d requests in %v on %d cores, %.0f a second\n\n",
		len(operations), e.duration, runtime.NumCPU(), float64(len(operations))/e.duration.Seconds())
	printLatencies(out, operations)
	printFaults(out, e.injector.injected.all())
	printFailures(out, operations)
	fmt.Fprintf(out, "\nafterwards, of what the clients were told of: "+
		"%d mails captured exactly once for each recipient, the outcomes of %d, "+
		"%d categories, %d users, %d deleted ones, "+
		"%d agent tokens, %d login links, %d members, %d imported trees, %d persons forgotten, "+
		"%d reading requests with the same answers; "+
		"%d items of the table checked\n",
		c.mails, c.outcomes, c.categories, c.users, c.deleted, c.tokens, c.links, c.members, c.trees, c.forgotten,
		c.rows, c.items)
}

// printLatencies prints a row of percentiles for each endpoint, and one for all.
func printLatencies(out io.Writer, operations []operation) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\trequests\tnot acknowledged\tp50 ms\tp90 ms\tp99 ms\tmax ms\t")
	row := func(name string, operations []operation) {
		failed := 0
		for _, n := range failures(operations) {
			failed += n
		}
		all := durations(operations)
		fmt.Fprintf(w, "%s\t%d\t%d\t", name, len(operations), failed)
		for _, share := range []float64{0.5, 0.9, 0.99, 1} {
			fmt.Fprintf(w, "%d\t", percentile(all, share).Milliseconds())
		}
		fmt.Fprintln(w)
	}
	groups := byEndpoint(operations)
	for _, e := range endpoints {
		row(e.name, groups[e])
	}
	row("all", operations)
	w.Flush()
}

// printFaults prints how often each kind of fault happened, for DynamoDB and SES separately.
func printFaults(out io.Writer, injected []injection) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\n%d faults\tdynamodb\tses\t\n", len(injected))
	counts := map[injection]int{} // by kind and service
	for _, i := range injected {
		counts[injection{kind: i.kind, service: i.service}]++
	}
	for _, k := range faultKinds {
		if k == killedIdle {
			fmt.Fprintf(w, "%s\t%d processes\t\t\n", k, counts[injection{kind: k}])
			continue
		}
		dynamodb, ses := injection{kind: k, service: "dynamodb"}, injection{kind: k, service: "ses"}
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", k, counts[dynamodb], counts[ses])
	}
	w.Flush()
}

// printFailures prints the kinds of failures, the most frequent first.
func printFailures(out io.Writer, operations []operation) {
	counts := failures(operations)
	fmt.Fprintf(out, "\nwhat was not acknowledged\n")
	for _, kind := range mostFirst(counts) {
		fmt.Fprintf(out, "%8d  %s\n", counts[kind], kind)
	}
}

// printUnconfirmed prints how many answers took the place of a refusal, by what was refused, from the log of the
// functions.
func printUnconfirmed(out io.Writer, log io.Reader) error {
	answers, counts := 0, map[string]int{}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Cause, Error string }
		// The stack writes lines of its own between those of the functions.
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Cause == table.Unconfirmed {
			answers++
			counts[numbers.ReplaceAllString(strings.TrimPrefix(line.Error, table.ErrUnknown.Message+": "), "n")]++
		}
	}
	fmt.Fprintf(out, "\n%d answers of 503 in place of a refusal, after an attempt without an answer\n", answers)
	for _, refusal := range mostFirst(counts) {
		fmt.Fprintf(out, "%8d  %s\n", counts[refusal], refusal)
	}
	return lines.Err()
}
