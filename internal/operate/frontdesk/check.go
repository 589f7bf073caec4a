package main

import (
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/registry"
)

// checkCommand is frontdesk check. Segments is how many parts of the table it reads side by side, which DynamoDB's Scan
// calls TotalSegments.
type checkCommand struct {
	Repair   bool `help:"Make again what follows from a record, and delete what only repeats one. Everything else is told, with what to do."`
	Segments int  `default:"4" placeholder:"N" help:"Segments of the table that are read at the same time: more are faster, and take more of its throughput."`
	commandline.Asking
}

// Run reads the whole table. It returns an error if something is broken, or with --repair if something stays broken.
func (c checkCommand) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if c.Repair {
		if err := c.Confirm(ctx, out, "mend what is broken in table %s?", t.Name()); err != nil {
			return err
		}
	}
	about := t.ApproximateCount(ctx)
	lines := commandline.NewProgressLines(out.Log())
	report, err := check.Run(ctx, t, registry.Kinds(), check.Options{
		Repair: c.Repair, Segments: c.Segments, Progress: func(passes int, done int64) {
			what := "items" + strings.Repeat(", once more", passes)
			lines.Show(commandline.Progress{What: what, Done: done, Total: about})
		},
	})
	if err != nil && len(report.Faults) == 0 {
		return err
	}
	result := struct {
		Items   int            `json:"items"`
		Counts  map[string]int `json:"counts"`
		Tallies map[string]int `json:"tallies"` // items that kinds count, by their names
		Faults  []check.Fault  `json:"faults"`
	}{
		Items: report.Items, Counts: report.Counts, Tallies: report.Tallies,
		Faults: append([]check.Fault{}, report.Faults...),
	}
	printed := out.Print(result, func(p commandline.Printer) { printReport(p, report, err == nil) })
	if n := report.Unmended(); err == nil && n > 0 {
		err = fmt.Errorf("the table is not whole: faults that are left: %d", n)
	}
	if err != nil {
		return err
	}
	return printed
}

// printReport prints the faults first and the counts last, which are what is still on the screen at the end. Counts are
// of each kind of item, in the order of the alphabet. A check that was interrupted has neither.
func printReport(p commandline.Printer, r check.Report, ended bool) {
	for _, f := range r.Faults {
		p.Printf("%s\n", f.What)
		for _, line := range []struct{ name, text string }{
			{"mended", f.Mended}, {"not mended", f.Unmended}, {"do", f.Do},
		} {
			if line.text != "" {
				p.Printf("    %s: %s\n", line.name, line.text)
			}
		}
	}
	if !ended {
		return
	}
	if r.Unmended() == 0 {
		p.Printf("The table is whole: no item contradicts another.\n")
	}
	p.Printf("%d items\n", r.Items)
	p.Counts(r.Counts)
	p.Counts(r.Tallies)
}
