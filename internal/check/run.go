package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"frontdesk/internal/table"
)

// Report is the result of a check.
type Report struct {
	Items    int             // in the table
	Counts   map[string]int  // items by kind
	Tallies  map[string]int  // counts of [Item.Tally], by name
	Suspects int             // candidates that were looked up again, including faults
	Faults   []ReportedFault // in no order, at most MaxFaults
	Saved    int             // items that repairs deleted or overwrote, and saved to the file of [Options.Repair]

	mended, unmended int // faults, including those that are not reported
}

// MaxFaults limits how many faults are reported, so that a report fits into memory. Faults beyond it are still found,
// counted and repaired.
const MaxFaults = 10_000

// ReportedFault is a fault in a report.
type ReportedFault struct {
	What string `json:"what"`
	// Mended says what the repair did; "" if it did nothing.
	Mended string `json:"mended,omitempty"`
	// Unmended says why a fault was not repaired, if a repair was asked for.
	Unmended string `json:"unmended,omitempty"`
}

// Unmended returns how many faults are still there.
func (r Report) Unmended() int { return r.unmended }

// Omitted returns how many faults are not reported because there are too many.
func (r Report) Omitted() int { return r.mended + r.unmended - len(r.Faults) }

// add counts a fault, and keeps it while there is room.
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

// Options configure a check. The zero Options read the table in one segment, and repair nothing.
type Options struct {
	// Repair names a new file. Before a repair deletes or overwrites an item, the item is saved there; [PutBack] reads
	// the file. Each fault is repaired in its own transaction, and the table is checked again until there is nothing to
	// repair. "" repairs nothing.
	Repair string
	// Segments are read in parallel, at most MaxSegments. With more of them a check is faster, uses more of the table's
	// throughput, and needs about 5 MB of memory for each.
	Segments int
	// State names a file that records the progress, so that an interrupted check can continue. It is removed when the
	// check ends. "" records nothing.
	State string
	// Progress, if not nil, is called with the progress. Its calls do not overlap.
	Progress func(Progress)
	// Source is what the check reads; nil means the table. Suspicious items are always looked up in the table.
	Source Source
}

// MaxSegments limits the segments, because each keeps a page in memory.
const MaxSegments = 32

// Progress is how far a check has got.
type Progress struct { // "items" in the first reading, then "suspect pages" that are read again
	What     string // Of is approximate, and 0 if it is unknown
	Done, Of int64  // Of is about as many as there are, 0 for unknown
}

// passes limits how often the table is checked again after repairs. A repair may reveal the next fault.
const passes = 50

// Run checks a table. If it returns an error, only the report's number of saved items counts.
func Run(ctx context.Context, t table.Table, rules []Rule, o Options) (report Report, err error) {
	if o.Source == nil {
		o.Source = t
	}
	o.Segments = max(o.Segments, 1)
	if o.Segments > MaxSegments {
		return Report{}, fmt.Errorf("at most %d segments can be read at the same time", MaxSegments)
	}
	var size table.Size // one call, made only if something needs it
	if o.Progress != nil || o.State != "" {
		size = t.Size(ctx)
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	// All passes share one file.
	saving := &saved{path: o.Repair, header: savedHeader{savedVersion, t.Name()}}
	defer func() { err = errors.Join(err, saving.close()) }()
	for range passes {
		before := report.mended
		// Faults that were not mended are found again in the next pass; mended ones stay in the report.
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

// pass checks the table once, from the first page to the last candidate.
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
