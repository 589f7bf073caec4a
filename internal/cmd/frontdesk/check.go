package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/table"
)

type checkCommand struct {
	Repair bool `help:"Mend what is broken, each by a transaction on condition that it is as it was seen."`
}

// Run reads the whole table. It fails when something is broken, or with --repair when something stays so.
func (c checkCommand) Run(ctx context.Context, t table.Table, out output) error {
	report, err := check.Run(ctx, t, rules.All, c.Repair, progress())
	if err != nil {
		return err
	}
	result := struct {
		Items  int                   `json:"items"`
		Counts map[string]int        `json:"counts"`
		Faults []check.ReportedFault `json:"faults"`
	}{report.Items, report.Counts, append([]check.ReportedFault{}, report.Faults...)}
	if err := out.print(result, func(w io.Writer) { printReport(w, report) }); err != nil {
		return err
	}
	if n := report.Unmended(); n > 0 {
		return fmt.Errorf("broken: %d", n)
	}
	return nil
}

func printReport(w io.Writer, r check.Report) {
	for _, f := range r.Faults {
		fmt.Fprintln(w, f.What)
		switch {
		case f.Mended != "":
			fmt.Fprintf(w, "    mended: %s\n", f.Mended)
		case f.Unmended != "":
			fmt.Fprintf(w, "    not mended: %s\n", f.Unmended)
		}
	}
	fmt.Fprintf(w, "%d items\n", r.Items)
	for _, kind := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(w, "%8d  %s\n", r.Counts[kind], kind)
	}
}

// progress tells a person at a terminal how far the scan is.
func progress() func(items int) {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(int) {}
	}
	return func(items int) {
		if items%1000 == 0 {
			fmt.Fprintf(os.Stderr, "\r%d items read\r", items)
		}
	}
}
