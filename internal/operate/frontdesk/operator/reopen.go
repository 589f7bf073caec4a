package operator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/registry"
	"frontdesk/internal/operate/restore"
)

// tableListAccess is frontdesk table list-access. A list made after the last backup can replace the lost table in
// a reopen.
type tableListAccess struct {
	File string `arg:"" type:"path" help:"A new file."`
}

// Run writes what reopen needs to know of this table, should the table itself be lost later. A list that was not
// finished is removed: whatever it lacked would be ended by a reopen.
func (c tableListAccess) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	items, err := restore.WriteList(ctx, t, registry.Kinds(), c.File, progressOf(out))
	if err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	result := struct {
		File  string `json:"file"`
		Items int    `json:"items"`
	}{c.File, items}
	return out.Report(result, "%s has the %d items that give access in table %s", c.File, items, t.Name())
}

// tableReopen is frontdesk table reopen. Exactly one of --from and --nothing-ended is needed.
type tableReopen struct {
	From         string `xor:"from" placeholder:"TABLE|FILE" help:"The table that this one replaces, or a file with its list-access. If there is a file of this name, it is the file."`
	NothingEnded bool   `xor:"from" help:"Nothing has ended since the backup, or you end it by hand: only login links end. So it is with the last backup of a deleted table."`
	Again        bool   `help:"Reopen a table that was reopened before. All that was made in it since ends: only for a table that has taken no traffic."`
	Imported     bool   `help:"The table was imported, not restored, so DynamoDB does not know its source. You confirm that it is an earlier state of --from."`
	Chain        bool   `help:"The table was restored from another one, which --from replaced later."`

	End    []endingKind `placeholder:"KIND" help:"Allow that more than a tenth ends of a kind of item, such as agent-token. Give it once for each kind."`
	DryRun bool         `help:"Write nothing: only report what would end."`
	commandline.Asking
}

// AfterApply requires one of the two flags. Were both marked as required, the help would show them as two that are.
func (c tableReopen) AfterApply() error {
	if c.From == "" && !c.NothingEnded {
		return commandline.Usage("missing: --from, or --nothing-ended")
	}
	return nil
}

// Run prints what would end in the restored table, asks, and ends it. It also prints what a person has to decide; that
// is no failure, because a restore is made for such decisions. An interrupted run is repeated as it was: ending
// something twice has no effect, and the table counts as reopened only after the last step.
func (c tableReopen) Run(ctx context.Context, t table.Table, out commandline.Output) error {
	// A table compared with itself has ended nothing: the command would only note a reopening that did not happen.
	if c.From == t.Name() {
		return commandline.Usage("--from is the table itself: give the restored one by --table-name")
	}
	from, err := c.source(ctx, t)
	if err != nil {
		return err
	}
	plan, err := restore.NewPlan(ctx, t, from, registry.Kinds(), restore.Options{
		Again: c.Again, Imported: c.Imported, Chain: c.Chain, Progress: progressOf(out),
	})
	if err != nil {
		return err
	}
	would := plan.Report()
	if c.DryRun {
		return c.print(out, t, plan, would, "would end", "is as it was: this was a dry run")
	}
	for _, said := range would.Said {
		out.Note("would end: %s\n", said)
	}
	for _, kind := range slices.Sorted(maps.Keys(would.Ended)) {
		out.Note("%8d  %s\n", would.Ended[kind], kind)
	}
	if err := c.mustAllow(plan); err != nil {
		return err
	}
	if err := c.Confirm(ctx, out, "end in table %s what has ended since?", t.Name()); err != nil {
		return err
	}
	r, err := plan.Run(ctx)
	state := "is reopened"
	if err != nil {
		state = "is not reopened yet: repeat this"
	}
	return errors.Join(err, c.print(out, t, plan, r, "ended", state))
}

// mustAllow refuses a plan that would end more than a tenth of a kind, unless --end names the kind: a source that is
// damaged itself would repeat its damage here.
func (c tableReopen) mustAllow(plan restore.Plan) error {
	known := endingKind("").Values()
	for _, flag := range c.End {
		if !slices.Contains(known, string(flag)) {
			return commandline.Usage(
				"--end: there is no kind of item %s; a dry run names those that it can allow", flag)
		}
	}
	var flags []string
	for _, kind := range plan.Many {
		if !slices.Contains(c.End, endingKind(flagOf(kind))) {
			flags = append(flags, "--end "+flagOf(kind))
		}
	}
	if len(flags) == 0 {
		return nil
	}
	return fmt.Errorf("more than a tenth would end of some kinds, as if --from was damaged: "+
		"see what it is by --dry-run, and then add %s", strings.Join(flags, " "))
}

// endingKind is a kind of item that may end in a table from a backup, in one word.
type endingKind string

// Values returns all of them, sorted.
func (endingKind) Values() (all []string) {
	for name, kind := range registry.Kinds() {
		if kind.Ends != nil {
			all = append(all, flagOf(name))
		}
	}
	slices.Sort(all)
	return all
}

// flagOf is the name of a kind for --end, in one word.
func flagOf(kind string) string { return strings.ReplaceAll(kind, " ", "-") }

// print prints what has ended, or would, then what a person has to decide, then the counts by kind.
func (c tableReopen) print(
	out commandline.Output, t table.Table, plan restore.Plan, r restore.Report, verb, state string,
) error {
	result := struct {
		Table  string         `json:"table"`
		DryRun bool           `json:"dry_run"`
		Ended  map[string]int `json:"ended"` // by kind
		Said   []string       `json:"said"`  // what has ended, in words
		Left   []string       `json:"left"`  // a person has to decide
		Many   []string       `json:"many"`  // kinds of which more than a tenth ends, as --end takes them
	}{
		Table: t.Name(), DryRun: c.DryRun, Ended: r.Ended,
		Said: append([]string{}, r.Said...), Left: append([]string{}, r.Left...), Many: []string{},
	}
	for _, kind := range plan.Many {
		result.Many = append(result.Many, flagOf(kind))
	}
	return out.Print(result, func(p commandline.Printer) {
		for _, said := range r.Said {
			p.Printf("%s: %s\n", verb, said)
		}
		for _, item := range r.Left {
			p.Printf("left to you: %s\n", item)
		}
		p.Counts(r.Ended)
		if c.DryRun {
			for _, flag := range result.Many {
				p.Printf("more than a tenth: --end %s allows it\n", flag)
			}
		}
		p.Printf("table %s %s\n", t.Name(), state)
	})
}

// source returns the list if there is such a file, and otherwise the table. A file and a table may have the same
// name; the file is meant then, as the help says. A table of another layout is refused, because the rules could
// misread its items.
func (c tableReopen) source(ctx context.Context, t table.Table) (restore.Source, error) {
	if c.NothingEnded {
		return restore.NothingEnded(t), nil
	}
	if info, err := os.Stat(c.From); err == nil && !info.IsDir() {
		return restore.FromFile(c.From)
	}
	// A table's name has no slash (it has letters, digits, "_", "-" and "." only), so this was meant as a file.
	if strings.ContainsRune(c.From, os.PathSeparator) {
		return restore.Source{}, fmt.Errorf("there is no file %s", c.From)
	}
	from := t.WithName(c.From)
	if _, err := from.CheckLayout(ctx); err != nil {
		return restore.Source{}, err
	}
	return restore.FromTable(ctx, from)
}

// progressOf prints how many items have been read. It goes to standard error every few seconds, with the approximate
// number of all items, which DynamoDB counts every six hours or so.
func progressOf(out commandline.Output) func(done, about int64) {
	lines := commandline.NewProgressLines(out.Log())
	return func(done, about int64) { lines.Show(commandline.Progress{What: "items", Done: done, Total: about}) }
}
