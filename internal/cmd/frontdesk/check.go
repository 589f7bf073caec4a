package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"frontdesk/internal/check"
	"frontdesk/internal/check/rules"
	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/table"
)

// checkCommand is frontdesk check. Save and State are paths, "" for none. Segments is how many parts of the table it
// reads side by side, which DynamoDB's Scan calls TotalSegments.
type checkCommand struct {
	commandline.Asking
	Repair   bool   `help:"Mend what is broken, each by a transaction on condition that it is as it was seen."`
	Save     string `type:"path" placeholder:"FILE" help:"${check_save}"`
	Segments int    `default:"4" placeholder:"N" help:"${check_segments}"`
	State    string `type:"path" placeholder:"FILE" help:"${check_state}"`
}

// savedName returns the default file of a repair, in the working folder. It gets what the repair deletes or changes.
// The time to the second keeps the files of two repairs apart.
func savedName(tableName string, at time.Time) string {
	return "frontdesk-repair-" + tableName + "-" + at.UTC().Format("20060102T150405Z") + ".ndjson"
}

// Run reads the whole table. It returns an error if something is broken, or with --repair if something stays broken.
func (c checkCommand) Run(ctx context.Context, t table.Table, in io.Reader, out commandline.Output) error {
	lines := commandline.NewProgressLines(out.Log())
	progress := func(p check.Progress) { lines.Show(commandline.Progress(p)) }
	o := check.Options{Segments: c.Segments, State: c.State, Progress: progress}
	switch {
	case c.Repair:
		if err := c.Confirm(ctx, in, out, "delete or change what is broken in table %s?", t.Name()); err != nil {
			return err
		}
		o.Repair = cmp.Or(c.Save, savedName(t.Name(), time.Now()))
	case c.Save != "":
		return commandline.Usage("--save is of use with --repair alone")
	}
	report, err := check.Run(ctx, t, rules.All, o)
	// Also after an error or an interruption: some repairs are done then, and the file is the only way back from them.
	if report.Saved > 0 {
		out.Note("%s has the %d items that were deleted or changed, as they were before\n"+
			"(frontdesk table put-back %s)\n", o.Repair, report.Saved, o.Repair)
	}
	if err != nil {
		return err
	}
	result := struct {
		Items   int                   `json:"items"`
		Counts  map[string]int        `json:"counts"`
		Tallies map[string]int        `json:"tallies"` // items that rules count, by their names
		Faults  []check.ReportedFault `json:"faults"`
		Omitted int                   `json:"omitted,omitempty"` // faults that the list leaves out
		Saved   int                   `json:"saved"`             // items in the file of --save
	}{
		Items: report.Items, Counts: report.Counts, Tallies: report.Tallies,
		Faults:  append([]check.ReportedFault{}, report.Faults...),
		Omitted: report.Omitted(), Saved: report.Saved,
	}
	if err := out.Print(result, func(p commandline.Printer) { printReport(p, report) }); err != nil {
		return err
	}
	if n := report.Unmended(); n > 0 {
		return fmt.Errorf("the table is not whole: faults that are left: %d", n)
	}
	return nil
}

// printReport prints the faults first and the counts last, which are what is still on the screen at the end. Counts
// are of each kind of item, in the order of the alphabet.
func printReport(p commandline.Printer, r check.Report) {
	for _, f := range r.Faults {
		p.Printf("%s\n", f.What)
		switch {
		case f.Mended != "":
			p.Printf("    mended: %s\n", f.Mended)
		case f.Unmended != "":
			p.Printf("    not mended: %s\n", f.Unmended)
		}
	}
	if n := r.Omitted(); n > 0 {
		p.Printf("and %d more\n", n)
	}
	if r.Unmended() == 0 {
		p.Printf("The table is whole: no item contradicts another.\n")
	}
	p.Printf("%d items\n", r.Items)
	for _, kind := range slices.Sorted(maps.Keys(r.Counts)) {
		p.Printf("%8d  %s\n", r.Counts[kind], kind)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Tallies)) {
		p.Printf("%8d  %s\n", r.Tallies[name], name)
	}
}
