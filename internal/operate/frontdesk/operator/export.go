package operator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/transfer"
	"frontdesk/internal/operate/transfer/exporting"
)

// exportCommand takes exactly one of --account, --app and --all, and so needs no default that might export too much.
// An export is not of one moment: it reads while the functions write, and names what changed meanwhile.
type exportCommand struct {
	File    string `arg:"" optional:"" type:"path" help:"A new file. Default: standard output."`
	Account id.ID  `placeholder:"N" help:"The portals of this account, with the users who are their members."`
	Slug    string `help:"Only this portal of the account."`
	App     id.ID  `placeholder:"ID" help:"The users of this platform app, with its links to them."`
	All     bool   `help:"All portals, users, links and unsubscribes. Reads the whole table."`

	WithPasswordHashes bool `help:"Include the hashes of the users' passwords. Whoever has the file can try to guess the passwords."`
}

// selection returns what the flags ask for.
func (c exportCommand) selection() (exporting.Selection, error) {
	given := 0
	for _, is := range []bool{c.Account != 0, c.App != 0, c.All} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return exporting.Selection{}, commandline.Usage("expected one of --account, --app and --all")
	case c.Slug != "" && c.Account == 0:
		return exporting.Selection{}, commandline.Usage("--slug is a portal of an account: give --account as well")
	}
	return exporting.Selection{Account: c.Account, Slug: c.Slug, App: c.App, All: c.All}, nil
}

// Run returns an error with an exit status of its own if something was changed during the export, because the records
// may then mix two states.
func (c exportCommand) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	selected, err := c.selection()
	if err != nil {
		return err
	}
	// Progress goes to standard error: standard output may be the export itself.
	lines := commandline.NewProgressLines(out.Log())
	o := exporting.Options{PasswordHashes: c.WithPasswordHashes, Progress: func(records int64) {
		lines.Show(commandline.Progress{What: "records", Done: records})
	}}
	var report exporting.Report
	if c.File == "" {
		report, err = exporting.Run(ctx, t, selected, out.Lines(), o)
	} else {
		err = writeNew(c.File, func(to io.Writer) (err error) {
			report, err = exporting.Run(ctx, t, selected, to, o)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := c.print(out, report); err != nil {
		return err
	}
	for _, p := range report.Changed {
		out.Note("portal %s of account %d was changed at every reading: its records may mix two states\n",
			p.Portal, p.Account)
	}
	for _, u := range report.Deleted {
		out.Note("user %d was deleted meanwhile: an import refuses the lines that name it\n", u)
	}
	// The file is complete, and an import reads it. Only its records may not fit together, so the exit status is not
	// that of a failure.
	if n := len(report.Changed) + len(report.Deleted); n > 0 {
		return commandline.Changed("changed meanwhile: %d; export again", n)
	}
	return nil
}

// print reports what was written. If the records themselves are on standard output, the report goes beside them.
// Counts are by kind, in the order of the alphabet.
func (c exportCommand) print(out commandline.Output, r exporting.Report) error {
	if c.File == "" {
		for _, kind := range slices.Sorted(maps.Keys(r.Records)) {
			out.Note("%8d  %s\n", r.Records[kind], kind)
		}
		return nil
	}
	result := struct {
		File    string                      `json:"file"`
		Records map[transfer.RecordKind]int `json:"records"` // by kind
		Changed []transfer.ChangedPortal    `json:"changed"`
		// Deleted are users whom records name although they were deleted during the export.
		Deleted []id.ID `json:"gone"`
	}{
		File: c.File, Records: r.Records, Changed: append([]transfer.ChangedPortal{}, r.Changed...),
		Deleted: append([]id.ID{}, r.Deleted...),
	}
	return out.Print(result, func(p commandline.Printer) {
		p.Printf("%s has\n", c.File)
		printKinds(p, r.Records)
	})
}

// printKinds prints how many records there are of each kind.
func printKinds(p commandline.Printer, records map[transfer.RecordKind]int) {
	for _, kind := range slices.Sorted(maps.Keys(records)) {
		p.Printf("%8d  %s\n", records[kind], kind)
	}
}

// writeNew writes a new file that only its owner may read. It removes a file that it could not finish. The mode is
// 0600, because exports and new ids concern persons. Sync comes before success is reported: the caller may delete the
// source next.
func writeNew(path string, write func(io.Writer) error) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	// O_EXCL above never overwrites a file: an earlier export may be the only copy of what it holds.
	buffer := bufio.NewWriter(file)
	if err := write(buffer); err != nil {
		return err
	}
	return errors.Join(buffer.Flush(), file.Sync())
}
