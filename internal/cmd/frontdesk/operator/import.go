package operator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/transfer"
	"frontdesk/internal/transfer/importing"
)

// importCommand writes 50 records a second by default. An import of categories with parents then takes 500 of the 1,000
// write units a second that a partition has, and the functions keep the rest. App and MailKey map ids of the file to
// ids of this table: apps and keys have secrets, which no file has, so an operator creates them before the import.
type importCommand struct {
	File    string          `arg:"" type:"path" help:"A file that export has written, or one of its format."`
	DryRun  bool            `help:"Write nothing: only report what is wrong with the file."`
	Update  bool            `help:"Change records that are there and differ, except e-mail addresses and passwords."`
	KeepIDs bool            `name:"keep-ids" help:"Give categories the ids of the file, in the portals that the import makes."`
	IDs     string          `name:"ids" type:"path" placeholder:"FILE" help:"File that gets the new id of every user and category. Only you may read it. Default: frontdesk-ids-<table>-<time>.ndjson in the working folder."`
	Rate    int             `default:"50" placeholder:"N" help:"Records to write in a second at most."`
	App     map[id.ID]id.ID `placeholder:"OLD=NEW" help:"App that replaces one of the file; may be repeated. Default: the app with the same id."`
	MailKey map[id.ID]id.ID `name:"mail-key" placeholder:"OLD=NEW" help:"Mail key that replaces one of the file; may be repeated. Default: the key with the same id."`
}

// idsName returns the default file for the new ids, in the working folder. It has the time in UTC to the second, in
// the basic format of ISO 8601, so a second import does not meet the file of the first.
func idsName(tableName string, at time.Time) string {
	return "frontdesk-ids-" + tableName + "-" + at.UTC().Format("20060102T150405Z") + ".ndjson"
}

// Run reads the whole file before it writes anything. It prints records that differ from those in the table; they are
// no failure. After an interruption it still prints what was written so far. The same command then goes on from
// there, because it finds these records in the table.
func (c importCommand) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if c.Rate < 1 {
		return commandline.Usage("--rate must be 1 at least")
	}
	// A real file, and not standard input: an import reads it several times.
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := commandline.NewProgressLines(out.Log())
	plan, faults, err := importing.Read(ctx, t, file, importing.Options{
		Update: c.Update, KeepIDs: c.KeepIDs, Rate: c.Rate, Apps: c.App, MailKeys: c.MailKey,
		Progress: func(kind transfer.Kind, done, of int64) {
			lines.Show(commandline.Progress{What: string(kind) + " records", Done: done, Of: of})
		},
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", c.File, err)
	}
	// One fault refuses the whole file: whoever mends it can then import the same file again.
	if faults.All > 0 {
		return c.refuse(out, faults)
	}
	if c.DryRun {
		return c.print(out, importing.Report{}, fmt.Sprintf("nothing is wrong with the %d records", plan.Records()))
	}
	// The time is a lower bound: a record may need several writes, and retries take time as well.
	least := time.Duration(plan.Records()) * time.Second / time.Duration(c.Rate)
	out.Note("%d records, of which %d are written in a second at most: %s, if all of them are new\n",
		plan.Records(), c.Rate, least.Round(time.Second))
	// The file of new ids is created before the first write: if it cannot be, nothing is imported. It is written even
	// after an interruption, because the new ids of what was imported are known nowhere else.
	ids := cmp.Or(c.IDs, idsName(t.Name(), time.Now()))
	var report importing.Report
	var unfinished error
	err = writeNew(ids, func(to io.Writer) error {
		report, unfinished = plan.Run(ctx)
		return plan.NewIDs(report, func(of importing.NewID) error { return json.NewEncoder(to).Encode(of) })
	})
	if err != nil {
		return errors.Join(unfinished, fmt.Errorf("write the new ids: %w", err))
	}
	said := ids + " has the new ids"
	if unfinished != nil {
		said += " so far: import again"
	}
	return errors.Join(unfinished, c.print(out, report, said))
}

// result is what an import prints as JSON.
type result struct {
	File    string                             `json:"file"`
	DryRun  bool                               `json:"dry_run"`
	Wrong   []importing.Fault                  `json:"wrong"`
	Records map[transfer.Kind]importing.Counts `json:"records"` // by kind
	// Differing are the records that the table has with other values, and that were left alone.
	Differing []importing.Fault `json:"differing"`
	NewIDs    int               `json:"new_ids,omitempty"` // of categories, with --keep-ids
}

// result returns the report in the form of the JSON. Wrong is empty: only refuse fills it.
func (c importCommand) result(r importing.Report) result {
	records := map[transfer.Kind]importing.Counts{} // none is an empty object in JSON
	maps.Copy(records, r.Counts)
	return result{
		File: c.File, DryRun: c.DryRun, Wrong: []importing.Fault{}, Records: records,
		Differing: append([]importing.Fault{}, r.Differing...), NewIDs: r.NewIDs,
	}
}

// refuse prints what is wrong with the file, and returns an error. A long list of faults is cut, and the rest
// counted, so that a file in a wrong format does not fill the terminal.
func (c importCommand) refuse(out commandline.Output, faults importing.Faults) error {
	printed := c.result(importing.Report{})
	printed.Wrong = faults.Lines
	err := out.Print(printed, func(p commandline.Printer) {
		printLines(p, faults.Lines)
		if more := faults.All - len(faults.Lines); more > 0 {
			p.Printf("and %d more\n", more)
		}
	})
	return errors.Join(err, fmt.Errorf("wrong: %d; nothing was written", faults.All))
}

// printLines prints one line for each record that is named, with its line in the file, counted from 1.
func printLines(p commandline.Printer, faults []importing.Fault) {
	for _, f := range faults {
		p.Printf("line %d: %s\n", f.Line, f.What)
	}
}

// print prints the records that differ, then how many there are of each kind, and last a sentence.
func (c importCommand) print(out commandline.Output, r importing.Report, said string) error {
	return out.Print(c.result(r), func(p commandline.Printer) {
		printLines(p, r.Differing)
		if len(r.Counts) > 0 {
			p.Row("", "CREATED", "THERE", "CHANGED", "DIFFERS")
		}
		for _, kind := range transfer.Kinds {
			if n, ok := r.Counts[kind]; ok {
				p.Row(kind, n.Created, n.Unchanged, n.Changed, n.Differs)
			}
		}
		if r.NewIDs > 0 {
			p.Printf("categories with new ids, because their portal was there before: %d\n", r.NewIDs)
		}
		p.Printf("%s\n", said)
	})
}
