package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/table"
)

// Report is what a check has found.
type Report struct {
	Items    int             // in the table
	Counts   map[string]int  // items by kind
	Tallies  map[string]int  // items that rules have counted beside that, by the name of [Item.Tally]
	Suspects int             // candidates that were looked up again, faults among them
	Faults   []ReportedFault // in no order, MaxFaults at most
	Saved    int             // items that repairs have deleted or overwritten, in the file of [Options.Repair]

	mended, unmended int // faults, those included that are not reported
}

// MaxFaults is how many faults are reported, so that a report fits into memory. Further ones are found, and repaired.
const MaxFaults = 10_000

// ReportedFault is a fault as it is reported.
type ReportedFault struct {
	What string `json:"what"`
	// Mended says what the repair did, "" for nothing.
	Mended string `json:"mended,omitempty"`
	// Unmended says why it was not repaired, where that was asked for.
	Unmended string `json:"unmended,omitempty"`
}

// Unmended counts the faults that are still there.
func (r Report) Unmended() int { return r.unmended }

// Omitted counts the faults that are not reported, because there are too many.
func (r Report) Omitted() int { return r.mended + r.unmended - len(r.Faults) }

func (r *Report) add(f ReportedFault) {
	if f.Mended != "" {
		r.mended++
	} else {
		r.unmended++
	}
	if len(r.Faults) < MaxFaults {
		r.Faults = append(r.Faults, f)
	}
}

// Options are how a table is checked. The zero Options read it in one segment, and repair nothing.
type Options struct {
	// Repair names the file that gets the items which repairs delete or overwrite, before they do: a new file, which
	// [PutBack] reads. Each fault is repaired in a transaction of its own, and the table is checked again until nothing
	// is repaired. "" repairs nothing.
	Repair string
	// Segments are read at the same time, at most MaxSegments: a check is faster with more, takes more of the table's
	// throughput, and some 5 MB of memory for each.
	Segments int
	// State names a file that keeps how far the check is, for the next one to go on from there: "" for none. It is
	// removed when the check ends.
	State string
	// Progress, unless it is nil, is told how far the check is, by one caller at a time.
	Progress func(Progress)
	// Source is what is read, nil for the table. What looks broken is looked up in the table.
	Source Source
}

// MaxSegments is how many segments are allowed: each has a page in memory.
const MaxSegments = 32

// Progress is how far a check is.
type Progress struct {
	What     string // "items" that were read, then "suspect pages" that are looked at again
	Done, Of int64  // Of is about as many as there are, 0 for unknown
}

// passes is how often the table is checked again after repairs: one may reveal the next fault.
const passes = 50

// Run checks a table. Its report is of no use where it fails, but for the number of saved items.
func Run(ctx context.Context, t table.Table, rules []Rule, o Options) (report Report, err error) {
	if o.Source == nil {
		o.Source = t
	}
	o.Segments = max(o.Segments, 1)
	if o.Segments > MaxSegments {
		return Report{}, fmt.Errorf("at most %d segments can be read at the same time", MaxSegments)
	}
	var size table.Size // what it is not needed for, it is not asked for
	if o.Progress != nil || o.State != "" {
		size = t.Size(ctx)
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	saving := &saved{path: o.Repair, header: savedHeader{savedVersion, t.Name()}}
	defer func() { err = errors.Join(err, saving.close()) }()
	for range passes {
		before := report.mended
		report.unmended = 0
		report.Faults = slices.DeleteFunc(report.Faults, func(f ReportedFault) bool { return f.Mended == "" })
		err := report.pass(ctx, t, rules, o, size, saving)
		report.Saved = saving.length.items
		if err != nil {
			return report, err
		}
		if report.mended == before {
			return report, nil
		}
	}
	return report, fmt.Errorf("there was still something to mend after %d passes", passes)
}

// pass checks the table once.
func (r *Report) pass(
	ctx context.Context, t table.Table, rules []Rule, o Options, size table.Size, saving *saved,
) (err error) {
	s := &scan{
		source: o.Source, rules: rules, segments: o.Segments, progress: o.Progress, about: size.Items,
		kinds: map[string]int{}, tally: map[string]int{},
	}
	if o.State != "" {
		if err := s.resume(o.State, header{Table: t.Name(), ID: size.ID, Segments: o.Segments}); err != nil {
			return fmt.Errorf("state: %w", err)
		}
		defer func() { err = errors.Join(err, s.state.close(err == nil)) }()
	}
	if err := s.read(ctx); err != nil {
		return err
	}
	r.Items, r.Counts, r.Tallies, r.Suspects = s.items, s.kinds, s.tally, 0
	return s.suspects(ctx, func(c Candidate) error {
		r.Suspects++
		fault, err := c(ctx, t)
		if err != nil || fault == nil {
			return err
		}
		reported := ReportedFault{What: fault.What}
		if o.Repair != "" {
			reported.Mended, reported.Unmended, err = fault.repair(ctx, t, saving)
			if err != nil {
				return err
			}
		}
		r.add(reported)
		return nil
	})
}
