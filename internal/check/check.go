// Package check looks for what should not be in the table: items that contradict each other. The features say what
// belongs together, in rules; this package reads the table, confirms what looks broken, reports it and repairs it.
package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/table"
)

// Rule finds what may be broken among all items of a table.
type Rule func(table.Items) []Candidate

// Candidate is what may be broken by a scan. A scan of a live table is not of one moment, so a candidate is called to
// read its items again. It returns nil where they are in order.
type Candidate func(context.Context, table.Table) (*Fault, error)

// Recheck makes a candidate whose items are read again, up to 100 of them as they are at one moment, and judged.
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
	// Repair adds the writes that repair it, on condition that the items are as they were read, and says what they
	// do. It is nil where a program cannot know what is right.
	Repair func(*table.Tx) (did string)
}

// ErrChanged is the error of a write of Repair whose condition fails: the items are no longer as they were read.
var ErrChanged = errors.New("the items have changed")

// Report is what a check has found.
type Report struct {
	Items  int             // in the table
	Counts map[string]int  // items by kind
	Faults []ReportedFault // in no order
}

// ReportedFault is a fault as it is reported.
type ReportedFault struct {
	What string `json:"what"`
	// Mended says what the repair did, "" for nothing.
	Mended string `json:"mended,omitempty"`
	// Unmended says why it was not repaired, where that was asked for.
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

// passes is how often the table is checked again after repairs: one may reveal the next fault.
const passes = 50

// Run checks a table. With repair each fault is repaired in a transaction of its own, and the table is checked again
// until a pass repairs nothing. Progress is told how many items were read so far.
func Run(ctx context.Context, t table.Table, rules []Rule, repair bool, progress func(items int)) (Report, error) {
	var report Report
	for range passes {
		items, err := t.ReadAll(ctx, progress)
		if err != nil {
			return Report{}, err
		}
		report.Items, report.Counts = len(items), count(items)
		faults, err := confirm(ctx, t, rules, items)
		if err != nil {
			return Report{}, err
		}
		report.Faults = mended(report.Faults) // this pass finds the others again
		before := len(report.Faults)
		for _, f := range faults {
			reported := ReportedFault{What: f.What}
			if repair {
				reported.Mended, reported.Unmended = f.repair(ctx, t)
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

// confirm calls the candidates that the rules find among items.
func confirm(ctx context.Context, t table.Table, rules []Rule, items table.Items) (faults []*Fault, err error) {
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

// repair repairs the fault, and says what it did or why it did nothing.
func (f *Fault) repair(ctx context.Context, t table.Table) (mended, unmended string) {
	if f.Repair == nil {
		return "", "what is right is for a person to decide"
	}
	tx := t.Tx()
	did := f.Repair(tx)
	switch err := tx.Run(ctx); {
	case err == nil:
		return did, ""
	case errors.Is(err, ErrChanged):
		return "", "it changed meanwhile"
	default:
		return "", err.Error()
	}
}

func count(items table.Items) map[string]int {
	counts := map[string]int{}
	for k := range items {
		counts[k.Kind()]++
	}
	return counts
}
