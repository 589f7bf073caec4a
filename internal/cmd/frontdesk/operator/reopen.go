package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"frontdesk/internal/cmd/frontdesk/commandline"
	"frontdesk/internal/person"
	"frontdesk/internal/reopen"
	"frontdesk/internal/reopen/rules"
	"frontdesk/internal/table"
)

// tableListAccess is frontdesk table list-access. A list made after the last backup can replace the lost table in
// a reopen.
type tableListAccess struct {
	File string `arg:"" type:"path" help:"A new file."`
}

// Run writes what reopen needs to know of this table, should the table itself be lost later. A list that was not
// finished is removed: whatever it lacked would be ended by a reopen.
func (c tableListAccess) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	items, err := reopen.WriteList(ctx, t, rules.All(), c.File, progressOf(out))
	if err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	result := struct {
		File  string `json:"file"`
		Items int    `json:"items"`
	}{c.File, items}
	return out.Print(result, func(p commandline.Printer) {
		p.Printf("%s has the %d items that give access in table %s\n", c.File, items, t.Name())
	})
}

// tableReopen is frontdesk table reopen. Exactly one of --from and --nothing-ended is needed.
type tableReopen struct {
	From         string `xor:"from" placeholder:"TABLE|FILE" help:"${table_from}"`
	NothingEnded bool   `xor:"from" help:"${table_nothing_ended}"`
	Again        bool   `help:"${table_again}"`
	Imported     bool   `help:"${table_imported}"`
	Chain        bool   `help:"${table_chain}"`
	DryRun       bool   `help:"Write nothing: only report what would end."`
	commandline.Asking
}

// AfterApply requires one of the two flags. Were both marked as required, the help would show them as two that are.
func (c tableReopen) AfterApply() error {
	if c.From == "" && !c.NothingEnded {
		return commandline.Usage("missing: --from, or --nothing-ended")
	}
	return nil
}

// Run ends again, in the restored table, what has ended since the backup. It prints what a person has to decide; that
// is no failure, because a restore is made for such decisions. If it fails, it prints what it has ended so far. An
// interrupted run is repeated as it was: ending something twice has no effect, and the table counts as reopened only
// after the last step.
func (c tableReopen) Run(ctx context.Context, t table.Table, in io.Reader, out commandline.Output) error {
	// A table compared with itself has ended nothing: the command would only note a reopening that did not happen.
	if c.From == t.Name() {
		return commandline.Usage("--from is the table itself: give the restored one by --table-name")
	}
	from, err := c.source(ctx, t)
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := c.Confirm(ctx, in, out, "end in table %s what has ended since?", t.Name()); err != nil {
			return err
		}
	}
	forgot := map[string]int{}
	o := reopen.Options{
		DryRun: c.DryRun, Again: c.Again, Imported: c.Imported, Chain: c.Chain, Progress: progressOf(out),
		// A backup brings back who was forgotten since. This comes before the record of the reopening, so a run that
		// fails here has to be repeated.
		Last: func(ctx context.Context) (err error) {
			lines := commandline.NewProgressLines(out.Log())
			forgot, err = person.Repeat(ctx, t, func(done int64) {
				lines.Show(commandline.Progress{What: "items, for who was forgotten", Done: done})
			})
			return err
		},
	}
	r, err := reopen.Run(ctx, t, from, rules.All(), o)
	// Nothing has ended yet, so the error alone says everything.
	if err != nil && r.Total() == 0 && len(r.Left) == 0 {
		return err
	}
	result := struct {
		Table  string         `json:"table"`
		DryRun bool           `json:"dry_run"`
		Ended  map[string]int `json:"ended"`  // by kind
		Said   []string       `json:"said"`   // what has ended, in words; not all of a long list
		Left   []string       `json:"left"`   // a person has to decide
		Forgot map[string]int `json:"forgot"` // items that named a forgotten person, by kind
	}{
		Forgot: forgot,
		Table:  t.Name(), DryRun: c.DryRun, Ended: r.Ended,
		Said: append([]string{}, r.Said...), Left: append([]string{}, r.Left...),
	}
	printed := out.Print(result, func(p commandline.Printer) {
		c.print(p, r)
		for _, kind := range slices.Sorted(maps.Keys(forgot)) {
			p.Printf("%8d  %s, of who was forgotten\n", forgot[kind], kind)
		}
		switch {
		case err != nil:
			p.Printf("table %s is not reopened yet: repeat this\n", t.Name())
		case c.DryRun:
			p.Printf("table %s is as it was: this was a dry run\n", t.Name())
		default:
			p.Printf("table %s is reopened\n", t.Name())
		}
	})
	return errors.Join(err, printed)
}

// source returns the list if there is such a file, and otherwise the table. A file and a table may have the same
// name; the file is meant then, as the help says. A table of another layout is refused, because the rules could
// misread its items.
func (c tableReopen) source(ctx context.Context, t table.Table) (reopen.Source, error) {
	if c.NothingEnded {
		return reopen.Nothing(t), nil
	}
	if info, err := os.Stat(c.From); err == nil && !info.IsDir() {
		return reopen.FromFile(c.From)
	}
	// A table's name has no slash (it has letters, digits, "_", "-" and "." only), so this was meant as a file.
	if strings.ContainsRune(c.From, os.PathSeparator) {
		return reopen.Source{}, fmt.Errorf("there is no file %s", c.From)
	}
	from := t.Beside(c.From)
	if _, err := from.CheckLayout(ctx); err != nil {
		return reopen.Source{}, err
	}
	return reopen.FromTable(ctx, from)
}

// print prints what has ended, then what a person has to decide, then the counts by kind. It sorts, because segments
// of the table are read side by side and end in no order.
func (c tableReopen) print(p commandline.Printer, r reopen.Report) {
	done := "ended"
	if c.DryRun {
		done = "would end"
	}
	for _, said := range slices.Sorted(slices.Values(r.Said)) {
		p.Printf("%s: %s\n", done, said)
	}
	if more := r.Total() - len(r.Said); more > 0 {
		p.Printf("and %d more\n", more)
	}
	for _, left := range slices.Sorted(slices.Values(r.Left)) {
		p.Printf("left to you: %s\n", left)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Ended)) {
		p.Printf("%8d  %s\n", r.Ended[kind], kind)
	}
}

// progressOf prints how many items have been read. It goes to standard error every few seconds, with the approximate
// number of all items, which DynamoDB counts every six hours or so.
func progressOf(out commandline.Output) func(done, about int64) {
	lines := commandline.NewProgressLines(out.Log())
	return func(done, about int64) { lines.Show(commandline.Progress{What: "items", Done: done, Of: about}) }
}
