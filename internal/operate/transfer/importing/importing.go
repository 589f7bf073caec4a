// Package importing writes the records of a file in the format of package transfer into a table, in three steps:
//
//	transfer.Read   reads the file into memory
//	[Validate]      finds everything that is wrong with it, and what of it the table has already
//	[Plan.Write]    writes the rest, through the features
//
// A portal is found by account and slug, a category by portal, locale and slug, a user by the e-mail address. What is
// there stays, whoever has written it: every write has the condition that there is nothing. So imports may be repeated,
// and run at the same time.
package importing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/transfer"

	"github.com/guregu/dynamo/v2"
)

// Options say how a file is validated and written.
type Options struct {
	Account    id.ID // lines of other accounts are faults; 0 takes all
	KeepIDs    bool  // give users, and categories of the portals that the import makes, the ids of the file
	ActiveOnly bool  // leave out users who could not sign in where they come from; otherwise they are faults
	Rate       int   // records to write in a second
	// Apps and MailKeys map ids of the file to ids here. One that is missing has the same id here.
	Apps, MailKeys map[transfer.ID]id.ID
	// Progress, unless it is nil, is called with the number of records of a kind that are done, by one goroutine at
	// a time.
	Progress func(kind transfer.RecordKind, done, total int64)
}

// Note is something to say of a line.
type Note struct {
	Line int    `json:"line"`
	What string `json:"what"`
}

// Plan is a file without faults, with what the table has of it.
type Plan struct {
	// Existing are the portals and users of the file that the table has already.
	Existing []Note
	// LeftOut are the users that Options.ActiveOnly leaves out, and the lines that name them.
	LeftOut []Note

	table   table.Table
	options Options
	content
}

// Counts say what happened to the records of a kind.
type Counts struct {
	Created   int `json:"created"`
	Unchanged int `json:"unchanged"` // existed, and was equal
	// Changed counts unsubscribes of a link that an operator's line has replaced, and categories of an interrupted
	// import that have got their links.
	Changed int `json:"changed"`
	Differs int `json:"differs"` // existed, and stays as it is
}

// Report says what an import has done.
type Report struct {
	Counts map[transfer.RecordKind]Counts
	// Differing are the records that differ, by line.
	Differing []Note
	// NewIDs is how many new categories did not keep their ids, with Options.KeepIDs.
	NewIDs int
}

// Write writes what does not exist: each kind after those that it names. Repeat an interrupted Write; it writes only
// the rest.
func (p *Plan) Write(ctx context.Context) (Report, error) {
	w := &writer{Plan: p, all: p.records(), report: Report{Counts: map[transfer.RecordKind]Counts{}}}
	var err error
	for _, name := range transfer.Kinds {
		err = stepsOf[name].write(w, ctx)
		if err != nil {
			break
		}
	}
	slices.SortFunc(w.report.Differing, func(a, b Note) int { return a.Line - b.Line })
	return w.report, err
}

// writer writes a plan, and counts what it has written.
type writer struct {
	*Plan
	all map[transfer.RecordKind]int // records of each kind

	mu     sync.Mutex
	next   time.Time // when the next record may be written
	report Report
}

// outcome is what happened to a record.
type outcome int

const (
	created outcome = iota
	unchanged
	changed
	differs
)

// outcomeOf returns the outcome for a record that was there, given how it differs, or "".
func outcomeOf(difference string) outcome {
	if difference == "" {
		return unchanged
	}
	return differs
}

// count notes what happened to a record, and names it when it differs.
func (w *writer) count(kind transfer.RecordKind, result outcome, line int, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := w.report.Counts[kind]
	switch result {
	case created:
		counts.Created++
	case unchanged:
		counts.Unchanged++
	case changed:
		counts.Changed++
	case differs:
		counts.Differs++
		w.report.Differing = append(w.report.Differing, Note{line, what})
	}
	w.report.Counts[kind] = counts
	if w.options.Progress != nil {
		done := counts.Created + counts.Unchanged + counts.Changed + counts.Differs
		w.options.Progress(kind, int64(done), int64(w.all[kind]))
	}
}

// pace returns when the next record may be written, evenly in time and not in bursts.
func (w *writer) pace(ctx context.Context) error {
	w.mu.Lock()
	at := w.next
	if now := time.Now(); at.Before(now) {
		at = now
	}
	w.next = at.Add(time.Second / time.Duration(w.options.Rate))
	w.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

// maxParallel is how many reads or writes run side by side. More would only meet at the same items and partitions.
const maxParallel = 8

// inParallel calls do with all values, several at a time. The first error ends it.
func inParallel[T any](ctx context.Context, all []T, do func(context.Context, T) error) error {
	group, ctx := api.NewGroupContext(ctx)
	group.SetLimit(maxParallel)
	for _, one := range all {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error { return do(ctx, one) })
	}
	return group.Wait()
}

// inBatches calls do with all values, as many at a time as one batch reads.
func inBatches[T any](ctx context.Context, all []T, do func(context.Context, []T) error) error {
	return inParallel(ctx, slices.Collect(slices.Chunk(all, table.MaxItems)), do)
}

// readEach reads the item of each value, many in one call, and calls found with those that the table has.
func readEach[T any](
	ctx context.Context, t table.Table, all []T, key func(T) table.Key, found func(T, dynamo.Item) error,
) error {
	return inBatches(ctx, all, func(ctx context.Context, some []T) error {
		keys := make([]table.Key, len(some))
		for i, value := range some {
			keys[i] = key(value)
		}
		items, err := t.Read(ctx, keys...)
		if err != nil {
			return err
		}
		for i, value := range some {
			if item := items[keys[i]]; item != nil {
				err = errors.Join(err, found(value, item))
			}
		}
		return err
	})
}

// differing names the fields that differ, or returns "" when none does.
func differing(fields map[string]bool) string {
	var names []string
	for name, differs := range fields {
		if differs {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// NewID is the id in the table of a user or category of the file.
type NewID struct {
	Kind    transfer.RecordKind `json:"kind"`
	Account id.ID               `json:"account,omitzero"`
	Portal  string              `json:"portal,omitempty"`
	Old     transfer.ID         `json:"old"`
	New     id.ID               `json:"new"`
}

// NewIDs calls each with the id in the table of every user and category that has one after a run.
func (p *Plan) NewIDs(each func(NewID) error) error {
	for _, u := range p.users {
		if u.id == 0 {
			continue
		}
		if err := each(NewID{Kind: transfer.KindUser, Old: u.old, New: u.id}); err != nil {
			return err
		}
	}
	for _, in := range p.portals {
		for _, c := range in.categories {
			if c.id == 0 {
				continue
			}
			if err := each(NewID{
				Kind: transfer.KindCategory, Account: in.key.Account, Portal: in.key.Slug, Old: c.old, New: c.id,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
