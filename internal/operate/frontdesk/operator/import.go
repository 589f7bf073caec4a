package operator

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/operate/transfer/importing"
)

// importCommand writes 50 records a second by default. An import of categories with parents then takes 500 of the 1,000
// write units a second that a partition has, and the functions keep the rest. App and MailKey map ids of the file to
// ids of this table: apps and keys have secrets, which no file has, so an operator creates them before the import.
type importCommand struct {
	File       string                `arg:"" type:"path" help:"A file that export has written, or one of its format."`
	DryRun     bool                  `help:"Write nothing: report what is wrong with the file, or which of its portals and users are there already."`
	Account    id.ID                 `placeholder:"N" help:"Refuse lines of other accounts."`
	KeepIDs    bool                  `name:"keep-ids" help:"Give users the ids of the file, and categories in the portals that the import makes. Reads the whole table if there are new users."`
	ActiveOnly bool                  `help:"Leave out users who are not enabled, banned, blocked or not confirmed, with the lines that name them. Without it they are refused."`
	IDs        string                `name:"ids" type:"path" placeholder:"FILE" help:"File that gets the new id of every user and category. Only you may read it. Default: frontdesk-ids-<table>-<time>-<random>.ndjson in the working folder."`
	Rate       int                   `default:"50" placeholder:"N" help:"Records to write in a second at most."`
	App        map[transfer.ID]id.ID `placeholder:"OLD=NEW" help:"App that replaces one of the file; may be repeated. Default: the app with the same id."`
	MailKey    map[transfer.ID]id.ID `name:"mail-key" placeholder:"OLD=NEW" help:"Mail key that replaces one of the file; may be repeated. Default: the key with the same id."`
}

// idsName returns the default file for the new ids, in the working folder. It has the time in UTC to the second, in
// the basic format of ISO 8601, by which people find it, and random characters: a second import of the same second does
// not meet the file of the first.
func idsName(tableName string, at time.Time) string {
	return fmt.Sprintf("frontdesk-ids-%s-%s-%.6s.ndjson", tableName, at.UTC().Format("20060102T150405Z"), rand.Text())
}

// Run judges the whole file before it writes anything. It prints records that differ from those in the table; they are
// no failure. After an interruption it still prints what was written so far. The same command then goes on from
// there, because it finds these records in the table.
func (c importCommand) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	if c.Rate < 1 {
		return commandline.Usage("--rate must be 1 at least")
	}
	lines, err := c.read()
	if err != nil {
		return err
	}
	progress := commandline.NewProgressLines(out.Log())
	plan, wrong, err := importing.Validate(ctx, t, lines, importing.Options{
		Account: c.Account, KeepIDs: c.KeepIDs, ActiveOnly: c.ActiveOnly, Rate: c.Rate, Apps: c.App,
		MailKeys: c.MailKey,
		Progress: func(kind transfer.RecordKind, done, total int64) {
			progress.Show(commandline.Progress{What: string(kind) + " records", Done: done, Total: total})
		},
	})
	if err != nil {
		return fmt.Errorf("import %s: %w", c.File, err)
	}
	// One fault refuses the whole file: whoever mends it can then import the same file again.
	if len(wrong) > 0 {
		return c.refuse(out, wrong)
	}
	r := c.result()
	r.LeftOut = append(r.LeftOut, plan.LeftOut...)
	if c.DryRun {
		r.Existing = append(r.Existing, plan.Existing...)
		return r.print(out, fmt.Sprintf("nothing is wrong with the %d records", plan.Records()))
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
		report, unfinished = plan.Write(ctx)
		return plan.NewIDs(func(renumbered importing.NewID) error { return json.NewEncoder(to).Encode(renumbered) })
	})
	if err != nil {
		return errors.Join(unfinished, fmt.Errorf("write the new ids: %w", err))
	}
	summary := ids + " has the new ids"
	if unfinished != nil {
		summary += " so far: import again"
	}
	maps.Copy(r.Records, report.Counts)
	r.Differing, r.NewIDs = append(r.Differing, report.Differing...), report.NewIDs
	return errors.Join(unfinished, r.print(out, summary))
}

// read reads the file. It may be a pipe, such as /dev/stdin.
func (c importCommand) read() ([]transfer.Line, error) {
	file, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := transfer.Read(file)
	if err != nil {
		err = fmt.Errorf("read %s: %w", c.File, err)
	}
	return lines, err
}

// result is what an import prints as JSON.
type result struct {
	File    string                                   `json:"file"`
	DryRun  bool                                     `json:"dry_run"`
	Wrong   []importing.Note                         `json:"wrong"`
	Records map[transfer.RecordKind]importing.Counts `json:"records"` // by kind
	// Existing are the portals and users of the file that the table has already, of a dry run.
	Existing []importing.Note `json:"existing"`
	LeftOut  []importing.Note `json:"left_out"` // with --active-only
	// Differing are the records that the table has with other values, and that were left alone.
	Differing []importing.Note `json:"differing"`
	NewIDs    int              `json:"new_ids,omitempty"` // of categories, with --keep-ids
}

// result returns a result with nothing in it: in JSON the lists are empty, and not null.
func (c importCommand) result() result {
	none := []importing.Note{}
	return result{
		File: c.File, DryRun: c.DryRun, Wrong: none,
		Records: map[transfer.RecordKind]importing.Counts{}, Existing: none,
		LeftOut: none, Differing: none,
	}
}

// maxWrong is how many faults are printed, so that a file in a wrong format does not fill the terminal. JSON has all of
// them.
const maxWrong = 1000

// refuse prints what is wrong with the file, and returns an error.
func (c importCommand) refuse(out commandline.Output, wrong []importing.Note) error {
	printed := c.result()
	printed.Wrong = wrong
	err := out.Print(printed, func(p commandline.Printer) {
		printNotes(p, wrong[:min(len(wrong), maxWrong)], "")
		if more := len(wrong) - maxWrong; more > 0 {
			p.Printf("and %d more\n", more)
		}
	})
	return errors.Join(err, fmt.Errorf("wrong: %d; nothing was written", len(wrong)))
}

// printNotes prints one line for each note, with its line in the file, counted from 1.
func printNotes(p commandline.Printer, notes []importing.Note, before string) {
	for _, n := range notes {
		p.Printf("line %d: %s%s\n", n.Line, before, n.What)
	}
}

// print prints the records that were left out, that exist or that differ, then how many there are of each kind, and
// last a sentence.
func (r result) print(out commandline.Output, summary string) error {
	return out.Print(r, func(p commandline.Printer) {
		printNotes(p, r.LeftOut, "left out: ")
		printNotes(p, r.Existing, "")
		printNotes(p, r.Differing, "")
		if len(r.Records) > 0 {
			p.Row("", "CREATED", "THERE", "CHANGED", "DIFFERS")
		}
		for _, kind := range transfer.Kinds {
			if n, ok := r.Records[kind]; ok {
				p.Row(kind, n.Created, n.Unchanged, n.Changed, n.Differs)
			}
		}
		if r.NewIDs > 0 {
			p.Printf("categories with new ids, because their portal was there before: %d\n", r.NewIDs)
		}
		p.Printf("%s\n", summary)
	})
}
