// Package check looks for what should not be in the table: items that contradict each other. The features say
// what belongs together; this package reads, makes sure, reports and mends.
package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/table"
)

// Rule finds what looks broken among all items of a table.
type Rule func(table.Items) []Candidate

// Candidate is what looks broken in a scan. A scan of a live table is not of one moment, so it is called to
// read the items in question again, and gives nil where they are in order.
type Candidate func(context.Context, table.Table) (*Fault, error)

// Recheck is a candidate whose items are read as they are at one moment, up to 100 of them together, and judged.
func Recheck(keys []table.Key, judge func(table.Items) *Fault) Candidate {
	return func(ctx context.Context, t table.Table) (*Fault, error) {
		items := table.Items{}
		for some := range slices.Chunk(keys, table.MaxItems) {
			read, err := t.Snapshot(ctx, some...)
			if err != nil {
				return nil, err
			}
			maps.Copy(items, read)
		}
		return judge(items), nil
	}
}

// Unknown finds items of no kind that the table has.
func Unknown(items table.Items) (candidates []Candidate) {
	for k := range items {
		if k.Kind() != table.Unknown {
			continue
		}
		candidates = append(candidates, Recheck([]table.Key{k}, func(items table.Items) *Fault {
			if items[k] == nil {
				return nil
			}
			return &Fault{What: fmt.Sprintf("%s is of no known kind", k)}
		}))
	}
	return candidates
}

// Fault is what is broken for sure.
type Fault struct {
	// What says what is wrong, and with which items.
	What string
	// Repair adds the writes that mend it, conditional on what was seen, and says what they do. It is nil
	// where a program cannot know what is right.
	Repair func(*table.Tx) (did string)
}

// ErrChanged is the error of a write of Repair whose condition fails: the items are no longer as they were seen.
var ErrChanged = errors.New("the items have changed")

// Report is what a check found.
type Report struct {
	Items  int             // in the table
	Counts map[string]int  // items by kind
	Faults []ReportedFault // in no order
}

// ReportedFault is one that was found.
type ReportedFault struct {
	What string `json:"what"`
	// Mended says what was done about it, "" for nothing.
	Mended string `json:"mended,omitempty"`
	// Unmended says why nothing was done although it was asked for.
	Unmended string `json:"unmended,omitempty"`
}

// Unmended counts the faults that are still there.
func (r Report) Unmended() (n int) {
	for _, f := range r.Faults {
		if f.Mended == "" {
			n++
		}
	}
	return n
}

// passes is how often repairs are looked at again: one may lay bare another.
const passes = 50

// Run checks a table. With repair each fault is mended in a transaction of its own, and what that leaves is
// checked again, until a pass mends nothing.
func Run(ctx context.Context, t table.Table, rules []Rule, repair bool, seen func(int)) (Report, error) {
	var report Report
	for range passes {
		items, err := t.ReadAll(ctx, seen)
		if err != nil {
			return Report{}, err
		}
		report.Items, report.Counts = len(items), count(items)
		faults, err := find(ctx, t, rules, items)
		if err != nil {
			return Report{}, err
		}
		report.Faults = mended(report.Faults) // this pass finds the others again
		before := len(report.Faults)
		for _, f := range faults {
			reported := ReportedFault{What: f.What}
			if repair {
				mend(ctx, t, f, &reported)
			}
			report.Faults = append(report.Faults, reported)
		}
		if len(mended(report.Faults)) == before {
			return report, nil
		}
	}
	return report, fmt.Errorf("there was still something to mend after %d passes", passes)
}

// mended are the faults that were mended.
func mended(faults []ReportedFault) []ReportedFault {
	return slices.DeleteFunc(slices.Clone(faults), func(f ReportedFault) bool { return f.Mended == "" })
}

func find(ctx context.Context, t table.Table, rules []Rule, items table.Items) (faults []*Fault, err error) {
	for _, rule := range rules {
		for _, candidate := range rule(items) {
			fault, err := candidate(ctx, t)
			if err != nil {
				return nil, err
			}
			if fault != nil {
				faults = append(faults, fault)
			}
		}
	}
	return faults, nil
}

// mend mends a fault, and says in the report what came of it.
func mend(ctx context.Context, t table.Table, f *Fault, reported *ReportedFault) {
	if f.Repair == nil {
		reported.Unmended = "what is right is for a person to decide"
		return
	}
	tx := t.Tx()
	did := f.Repair(tx)
	switch err := tx.Run(ctx); {
	case err == nil:
		reported.Mended = did
	case errors.Is(err, ErrChanged):
		reported.Unmended = "it changed meanwhile"
	default:
		reported.Unmended = err.Error()
	}
}

func count(items table.Items) map[string]int {
	counts := map[string]int{}
	for k := range items {
		counts[k.Kind()]++
	}
	return counts
}
