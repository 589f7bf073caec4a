// Package check looks for contradictions in the table: items that do not fit together. The kinds of items (see
// [table.Agreement]) say what belongs together. This package reads the table once, looks again at what does not fit,
// reports it and repairs it.
//
//	scan → what nothing agrees with → read again → read again after a pause → report, or repair
//
// The scan keeps a few bytes of each item: digests of keys, and of what two sides have to agree on (see [digest]). What
// agrees cancels out. Others write meanwhile, a scan is not of one moment, and digests may collide. So everything that
// is left is read again, both sides at one moment, and once more after a pause.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// Report is the result of a check.
type Report struct {
	Items    int            // in the table
	Counts   map[string]int // items by kind
	Tallies  map[string]int // items by what [table.Agreement.Tally] names them
	Suspects int            // what looked broken in the scan, and was read again
	Faults   []Fault        // sorted by what they say
}

// Fault is a contradiction that was there both times.
type Fault struct {
	What string `json:"what"`
	// Mended says what the repair did; "" if it did nothing. Unmended says why a repair failed.
	Mended   string `json:"mended,omitempty"`
	Unmended string `json:"unmended,omitempty"`
	// Do says what an operator does about a fault that no program can mend; "" for one that --repair mends.
	Do string `json:"do,omitempty"`

	mend func(context.Context, table.Table) (did string, err error)
}

// Unmended returns how many faults are still there.
func (r Report) Unmended() (n int) {
	for _, f := range r.Faults {
		if f.Mended == "" {
			n++
		}
	}
	return n
}

// Source is a table that can be read page by page, such as [table.Table].
type Source interface {
	// ScanPage reads up to limit items of one of the segments, after a key. It returns the key of the last item, or the
	// zero Key at the end of the segment.
	ScanPage(ctx context.Context, segment, segments, limit int, after table.Key) (
		items []dynamo.Item, last table.Key, err error)
}

// Options configure a check. The zero Options read the table in one segment, and repair nothing.
type Options struct {
	Repair bool
	// Segments are read in parallel, at most MaxSegments. More of them are faster, and use more of the table's
	// throughput.
	Segments int
	// Pause is between the two looks at what seems broken; 0 means two seconds. It is longer than most requests.
	Pause time.Duration
	// Progress, if not nil, is called with the number of items that were read, after how many earlier passes. Its calls
	// do not overlap.
	Progress func(passes int, done int64)
	// Source is what the check scans; nil means the table. What looks broken is always read from the table.
	Source Source
}

// MaxSegments limits the segments, because each keeps a page in memory.
const MaxSegments = 32

const defaultPause = 2 * time.Second

// passes limits how often the table is checked again after repairs. A repair may reveal the next fault.
const passes = 10

// Run checks a table. With Repair it checks it again until nothing is left to mend. With an error, the report has what
// was mended by then and nothing else.
func Run(ctx context.Context, t table.Table, kinds table.Registry, o Options) (report Report, err error) {
	o.Segments = max(o.Segments, 1)
	if o.Segments > MaxSegments {
		return Report{}, fmt.Errorf("at most %d segments can be read at the same time", MaxSegments)
	}
	if o.Source == nil {
		o.Source = t
	}
	if o.Pause == 0 {
		o.Pause = defaultPause
	}
	var mended []Fault
	for n := range passes {
		report, err = pass(ctx, t, kinds, o, n)
		before := len(mended)
		for _, f := range report.Faults {
			if f.Mended != "" {
				mended = append(mended, f)
			}
		}
		if err != nil {
			return Report{Faults: mended}, err
		}
		if len(mended) == before {
			report.Faults = append(report.Faults, mended...)
			slices.SortFunc(report.Faults, byText)
			return report, nil
		}
	}
	return report, fmt.Errorf("there was still something to mend after %d passes", passes)
}

// pass checks the table once, and repairs what it finds if that is asked for. There were n passes before.
func pass(ctx context.Context, t table.Table, kinds table.Registry, o Options, n int) (Report, error) {
	s := newScan(kinds, time.Now(), o)
	if o.Progress != nil {
		s.progress = func() { o.Progress(n, int64(s.items)) }
	}
	if err := s.read(ctx); err != nil {
		return Report{}, err
	}
	suspects, err := s.suspects(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Items: s.items, Counts: s.counts, Tallies: s.tallies, Suspects: len(suspects)}
	report.Faults, err = confirm(ctx, judge{t, kinds}, suspects, o.Pause)
	if err != nil || !o.Repair {
		return report, err
	}
	for i := range report.Faults {
		if err := report.Faults[i].repair(ctx, t); err != nil {
			return report, err
		}
	}
	return report, nil
}

// repair mends the fault, if a program can know what is right. The error is that of an interruption alone.
func (f *Fault) repair(ctx context.Context, t table.Table) error {
	if f.mend == nil {
		return nil
	}
	did, err := f.mend(ctx, t)
	switch {
	case ctx.Err() != nil:
		return errors.Join(err, ctx.Err())
	case err != nil:
		f.Unmended = err.Error()
	default:
		f.Mended = did
	}
	return nil
}
