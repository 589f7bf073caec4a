package reopen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
)

// Options configure how a table is reopened.
type Options struct {
	DryRun bool // writes nothing
	Again  bool // allows a table that was reopened before
	// Imported is for an imported table: unlike a restored one, it does not know its source.
	Imported bool
	// Chain allows a source that replaced the table from which this one was restored.
	Chain bool
	// Last, if not nil, runs after everything has ended and before the record of the reopening is written.
	Last func(context.Context) error
	// Progress, if not nil, is called with the number of items read and their approximate total. Its calls do
	// not overlap.
	Progress func(done, about int64)
}

// Report lists what was ended or, in a dry run, would be.
type Report struct {
	Ended map[string]int // by kind
	Said  []string       // what was ended, in no order, at most MaxSaid
	Left  []string       // what is left to a person
}

// MaxSaid limits how many endings are named, so that a report fits into memory. Further ones are only counted.
const MaxSaid = 10_000

// Total returns how many items were ended.
func (r Report) Total() (n int) {
	for _, ended := range r.Ended {
		n += ended
	}
	return n
}

// Run ends in the restored table what has ended according to the source, and records that the table is reopened. An
// interrupted run can be repeated: ending something again has no effect.
func Run(ctx context.Context, t table.Table, from Source, rules []Rule, o Options) (Report, error) {
	// The record says when reopening began: later items are not covered.
	began := time.Now().UTC().Truncate(time.Second)
	described, err := t.Describe(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := from.check(described, o); err != nil {
		return Report{}, err
	}
	if last, err := Last(ctx, t); err != nil {
		return Report{}, err
	} else if !o.Again && Since(described, last) {
		return Report{}, fmt.Errorf("table %s was reopened at %s: what was made in it since would end, too; "+
			"--again is for a table that has taken no traffic", t.Name(), last.Format(time.RFC3339))
	}
	r := run{table: t, from: from, dry: o.DryRun, report: Report{Ended: map[string]int{}}}
	if err := scan(ctx, t, rules, counting(aws.ToInt64(described.ItemCount), o.Progress), r.judge); err != nil {
		return r.report, err
	}
	if err := r.carry(ctx, rules); err != nil {
		return r.report, err
	}
	if o.DryRun {
		return r.report, nil
	}
	if o.Last != nil {
		if err := o.Last(ctx); err != nil {
			return r.report, err
		}
	}
	return r.report, note(ctx, t, began, from)
}

// run is the state of one [Run]. Its steps run in parallel, so mu guards the report.
type run struct {
	table table.Table
	from  Source
	dry   bool

	mu     sync.Mutex
	report Report
}

// judge judges up to table.MaxItems items of the restored table, with one read of the source.
func (r *run) judge(ctx context.Context, items []ruled) error {
	keys := keysOf(items)
	later, err := r.from.Read(ctx, keys...)
	if err != nil {
		return err
	}
	for i, item := range items {
		if item.rule.judge == nil {
			continue
		}
		ending, err := item.rule.judge(ctx, item.item, later[keys[i]], r.from)
		if _, damaged := errors.AsType[damage](err); damaged {
			ending, err = Ending{Says: fmt.Sprintf("%s: %v", keys[i], err)}, nil
		}
		if err != nil {
			return err
		}
		if err := r.end(ctx, item.rule.kind, ending); err != nil {
			return err
		}
	}
	return nil
}

// carry ends what is ended by items that exist later but not in the restored table.
func (r *run) carry(ctx context.Context, rules []Rule) error {
	if r.from.each == nil {
		return nil
	}
	var carried []Rule
	for _, rule := range rules {
		if rule.carry != nil {
			carried = append(carried, rule)
		}
	}
	return r.from.each(ctx, carried, func(ctx context.Context, later []ruled) error {
		keys := keysOf(later)
		restored, err := r.table.Read(ctx, keys...)
		if err != nil {
			return err
		}
		for i, item := range later {
			if restored[keys[i]] != nil {
				continue
			}
			ending, err := item.rule.carry(item.item)
			if err != nil {
				return err
			}
			if err := r.end(ctx, item.rule.kind, ending); err != nil {
				return err
			}
		}
		return nil
	})
}

// end carries out one ending and reports it. In a dry run it only reports.
func (r *run) end(ctx context.Context, kind string, e Ending) error {
	if e.Says == "" {
		return nil
	}
	if e.End != nil && !r.dry {
		err := e.End(ctx, r.table)
		if _, damaged := errors.AsType[damage](err); damaged {
			e = Ending{Says: fmt.Sprintf("%s: %v", e.Says, err)}
		} else if err != nil {
			return fmt.Errorf("end %s: %w", e.Says, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.End == nil {
		r.report.Left = append(r.report.Left, e.Says)
		return nil
	}
	r.report.Ended[kind]++
	if len(r.report.Said) < MaxSaid {
		r.report.Said = append(r.report.Said, e.Says)
	}
	return nil
}

// ruled is an item with the rule of its kind.
type ruled struct {
	item dynamo.Item
	rule Rule
}

// keysOf returns the keys of items, in the same order.
func keysOf(items []ruled) []table.Key {
	keys := make([]table.Key, len(items))
	for i, item := range items {
		keys[i] = table.KeyOf(item.item)
	}
	return keys
}

// scan reads a table and passes on the items that have a rule, up to table.MaxItems at a time. Calls of each overlap.
// It calls read with the number of items of every page.
func scan(
	ctx context.Context, t table.Table, rules []Rule, read func(items int), each func(context.Context, []ruled) error,
) error {
	byKind := byKind(rules)
	return t.ScanAll(ctx, func(ctx context.Context, items []dynamo.Item) error {
		var found []ruled
		for _, item := range items {
			if rule, ok := byKind[table.KeyOf(item).Kind()]; ok {
				found = append(found, ruled{item, rule})
			}
		}
		for some := range slices.Chunk(found, table.MaxItems) {
			if err := each(ctx, some); err != nil {
				return err
			}
		}
		read(len(items))
		return nil
	})
}

// counting sums up the items for a progress callback, which may be nil.
func counting(about int64, progress func(done, about int64)) (read func(items int)) {
	var mu sync.Mutex
	var done int64
	return func(items int) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(items)
		if progress != nil {
			progress(done, about)
		}
	}
}

// byKind maps each kind to its rule.
func byKind(rules []Rule) map[string]Rule {
	of := map[string]Rule{}
	for _, r := range rules {
		of[r.kind] = r
	}
	return of
}
