// Package check looks for what should not be in the table: items that contradict each other. The features say
// what belongs together; this package reads, makes sure, reports and mends.
package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"frontdesk/internal/table"
)

// Rule finds what looks broken among all items of a table.
type Rule func(table.Items) []Suspect

// Suspect is what looks broken in a scan. A scan of a live table is not of one moment, so it is called to
// read the items in question again, and gives nil where they are in order.
type Suspect func(context.Context, table.Table) (*Fault, error)

// Again is a suspect whose items are read as they are at one moment, up to 100 of them together, and judged.
func Again(keys []table.Key, judge func(table.Items) *Fault) Suspect {
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
func Unknown(items table.Items) (suspects []Suspect) {
	for k := range items {
		if k.Kind() != table.Unknown {
			continue
		}
		suspects = append(suspects, Again([]table.Key{k}, func(items table.Items) *Fault {
			if items[k] == nil {
				return nil
			}
			return &Fault{What: fmt.Sprintf("%s is of no known kind", k)}
		}))
	}
	return suspects
}

// Fault is what is broken for sure.
type Fault struct {
	// What says what is wrong, and with which items.
	What string
	// Mend adds the writes that mend it, conditional on what was seen, and says what they do. It is nil
	// where a program cannot know what is right.
	Mend func(*table.Tx) (did string)
}

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
const passes = 5

// Run checks a table. With repair each fault is mended in a transaction of its own, and what that leaves is
// checked again.
func Run(ctx context.Context, t table.Table, rules []Rule, repair bool, seen func(int)) (Report, error) {
	var report Report
	for range passes {
		items, err := t.Everything(ctx, seen)
		if err != nil {
			return Report{}, err
		}
		report.Items, report.Counts = len(items), count(items)
		faults, err := find(ctx, t, rules, items)
		if err != nil {
			return Report{}, err
		}
		report.Faults = unmendable(report.Faults, repair)
		mended := 0
		for _, f := range faults {
			reported := ReportedFault{What: f.What}
			if repair {
				mend(ctx, t, f, &reported)
			}
			if reported.Mended != "" {
				mended++
			}
			report.Faults = append(report.Faults, reported)
		}
		if mended == 0 {
			break
		}
	}
	return report, nil
}

// unmendable drops the faults of the pass before that were not mended: this pass finds them again.
func unmendable(faults []ReportedFault, repair bool) (mended []ReportedFault) {
	for _, f := range faults {
		if repair && f.Mended != "" {
			mended = append(mended, f)
		}
	}
	return mended
}

func find(ctx context.Context, t table.Table, rules []Rule, items table.Items) (faults []*Fault, err error) {
	for _, rule := range rules {
		for _, suspect := range rule(items) {
			fault, err := suspect(ctx, t)
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

func mend(ctx context.Context, t table.Table, f *Fault, reported *ReportedFault) {
	if f.Mend == nil {
		reported.Unmended = "what is right is for a person to decide"
		return
	}
	tx := t.Tx()
	did := f.Mend(tx)
	if err := tx.Run(ctx); err != nil {
		reported.Unmended = fmt.Sprintf("it changed meanwhile: %v", err)
		return
	}
	reported.Mended = did
}

func count(items table.Items) map[string]int {
	counts := map[string]int{}
	for k := range items {
		counts[k.Kind()]++
	}
	return counts
}
