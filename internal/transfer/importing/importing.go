// Package importing reads a file in the format of package transfer into a table. [Read] reads the whole file and
// reports everything that is wrong with it. Then [Plan.Run] writes what does not exist yet. A portal is found by
// account and slug, a category by portal, locale and slug, a user by the e-mail address.
//
// Only a few numbers of each record are in memory. The record itself is read from the file again when it is written, so
// a file may be larger than the memory.
package importing

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/id"
	"frontdesk/internal/transfer"
)

// Options say how a file is read and written.
type Options struct {
	Update  bool // change what exists and differs
	KeepIDs bool // give categories the ids of the file, in the portals that the import makes
	Rate    int  // records to write in a second
	// Apps and MailKeys map ids of the file to ids here. One that is missing has the same id here.
	Apps, MailKeys map[id.ID]id.ID
	// Progress, unless it is nil, is called with the number of records of a kind that are done, by one goroutine at
	// a time.
	Progress func(kind transfer.Kind, done, of int64)
}

// Counts say what happened to the records of a kind.
type Counts struct {
	Created   int `json:"created"`
	Unchanged int `json:"unchanged"` // existed, and was equal
	Changed   int `json:"changed"`   // existed and differed, with Options.Update
	Differs   int `json:"differs"`   // the same without it: nothing was written
}

// Report says what an import has done.
type Report struct {
	Counts map[transfer.Kind]Counts
	// Differing are the records that differ, at most maxSaid of them.
	Differing []Fault
	// NewIDs is how many new categories did not keep their ids, with Options.KeepIDs.
	NewIDs int

	users, categories []id.ID // ids in the table, in the order of the file; 0 means none
}

// Run writes what does not exist, and with Options.Update what differs: first portals and users, then what names them.
// Repeat an interrupted run; it writes only the rest.
func (p *Plan) Run(ctx context.Context) (Report, error) {
	w := &writing{Plan: p, pace: newPace(p.options.Rate), report: Report{Counts: map[transfer.Kind]Counts{}}}
	portals, err := w.writePortals(ctx)
	if err != nil {
		return w.report, err
	}
	w.report.users, err = w.writeUsers(ctx)
	if err != nil {
		return w.report, err
	}
	userHere := func(inFile id.ID) id.ID { return w.report.users[p.userAt[inFile]] }
	if err := w.writeMembers(ctx, portals, userHere); err != nil {
		return w.report, err
	}
	if err := w.writeLinks(ctx, userHere); err != nil {
		return w.report, err
	}
	if err := w.writeUnsubscribes(ctx); err != nil {
		return w.report, err
	}
	w.report.categories, err = w.writeCategories(ctx, portals)
	return w.report, err
}

// writing writes a plan, and counts what it has written.
type writing struct {
	*Plan
	pace *pace

	mu     sync.Mutex
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

// count notes what happened to a record, and names it when it differs.
func (w *writing) count(kind transfer.Kind, of int, became outcome, line int, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := w.report.Counts[kind]
	switch became {
	case created:
		counts.Created++
	case unchanged:
		counts.Unchanged++
	case changed:
		counts.Changed++
	case differs:
		counts.Differs++
		if len(w.report.Differing) < maxSaid {
			w.report.Differing = append(w.report.Differing, Fault{line, what})
		}
	}
	w.report.Counts[kind] = counts
	if w.options.Progress != nil {
		sum := counts.Created + counts.Unchanged + counts.Changed + counts.Differs
		w.options.Progress(kind, int64(sum), int64(of))
	}
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

// parse reads the record at a position again.
func parse[T transfer.Record](file io.ReaderAt, at transfer.Position) (of T, err error) {
	line := make([]byte, at.Length)
	if _, err := file.ReadAt(line, at.Offset); err != nil && err != io.EOF {
		return of, err
	}
	read, err := transfer.Parse(line)
	of, ok := read.(T)
	if err != nil || !ok {
		return of, fmt.Errorf("line %d has changed since the file was checked", at.Line)
	}
	return of, nil
}

// NewID is the new id in the table of a user or category of the file.
type NewID struct {
	Kind    transfer.Kind `json:"kind"`
	Account id.ID         `json:"account,omitzero"`
	Portal  string        `json:"portal,omitempty"`
	Old     id.ID         `json:"old"`
	New     id.ID         `json:"new"`
}

// NewIDs calls each with the id in the table of every user and category that has one at the end of a run.
func (p *Plan) NewIDs(r Report, each func(NewID) error) error {
	for i, now := range r.users {
		of := NewID{Kind: transfer.KindUser, Old: p.users[i].id, New: now}
		if now == 0 {
			continue
		}
		if err := each(of); err != nil {
			return err
		}
	}
	for i, now := range r.categories {
		of := p.categories[i]
		if now == 0 {
			continue
		}
		if err := each(NewID{
			Kind: transfer.KindCategory, Account: p.places[of.place].Account, Portal: p.places[of.place].Slug,
			Old: of.id, New: now,
		}); err != nil {
			return err
		}
	}
	return nil
}
