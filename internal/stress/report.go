package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
)

// printReport prints what the load was, what was done to it, and what was found afterwards.
func printReport(out io.Writer, t *trial, v verdict) {
	samples := t.record.all()
	fmt.Fprintf(out, "\n%d requests in %v on %d cores, %.0f a second\n\n", len(samples), t.duration, runtime.NumCPU(),
		float64(len(samples))/t.duration.Seconds())
	printLatencies(out, samples)
	printFaults(out, t.faults.all())
	printFailures(out, samples)
	fmt.Fprintf(out, "\nafterwards, of what the clients were told of: %d mails captured exactly once for each recipient, %d categories, "+
		"%d users, %d agent tokens, %d login links; %d items of the table checked\n", v.mails, v.categories, v.people, v.tokens, v.links, v.items)
}

func printLatencies(out io.Writer, samples []sample) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\trequests\tnot acknowledged\tp50 ms\tp90 ms\tp99 ms\tmax ms\t")
	row := func(name endpoint, samples []sample) {
		failed := 0
		for _, n := range failures(samples) {
			failed += n
		}
		all := durations(samples)
		fmt.Fprintf(w, "%s\t%d\t%d\t", name, len(samples), failed)
		for _, share := range []float64{0.5, 0.9, 0.99, 1} {
			fmt.Fprintf(w, "%d\t", percentile(all, share).Milliseconds())
		}
		fmt.Fprintln(w)
	}
	groups := byEndpoint(samples)
	for _, e := range endpoints {
		row(e, groups[e])
	}
	row("all", samples)
	w.Flush()
}

func printFaults(out io.Writer, injected []injection) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\n%d faults\tdynamodb\tses\t\n", len(injected))
	for k := range kinds {
		counts := map[string]int{}
		for _, i := range injected {
			if i.kind == k {
				counts[i.service]++
			}
		}
		if k == killedIdle {
			fmt.Fprintf(w, "%s\t%d processes\t\t\n", k, counts[""])
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", k, counts["dynamodb"], counts["ses"])
	}
	w.Flush()
}

func printFailures(out io.Writer, samples []sample) {
	counts := failures(samples)
	fmt.Fprintf(out, "\nwhat was not acknowledged\n")
	for _, kind := range mostFirst(counts) {
		fmt.Fprintf(out, "%8d  %s\n", counts[kind], kind)
	}
}
