package restore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/base/table"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
)

// Options say what a person has confirmed of a table and its source.
type Options struct {
	Again bool // allows a table that was reopened before
	// Imported is for an imported table: unlike a restored one, it does not know its source.
	Imported bool
	// Chain allows a source that replaced the table from which this one was restored.
	Chain bool
	// Progress, if not nil, is called with the number of items read and their approximate total. Its calls do
	// not overlap.
	Progress func(done, about int64)
}

// Plan is what a reopening would end.
type Plan struct {
	Left []string // what is left to a person, sorted
	// Many are the kinds of which more than a tenth of the restored items would end, sorted. A source that is damaged
	// itself may lack much of a kind, and would repeat its damage. Kinds that always end are not among them.
	Many []string

	endings map[string][]table.Ending // by kind
	table   table.Table
	from    Source
	began   time.Time // later items are not covered
}

// Report returns what [Plan.Run] would report.
func (p Plan) Report() Report {
	r := Report{Ended: map[string]int{}, Left: p.Left}
	for kind, endings := range p.endings {
		r.Ended[kind] = len(endings)
		for _, e := range endings {
			r.Said = append(r.Said, e.Says)
		}
	}
	slices.Sort(r.Said)
	return r
}

// NewPlan compares a restored table with what is known later. It writes nothing.
func NewPlan(ctx context.Context, t table.Table, from Source, kinds table.Registry, o Options) (Plan, error) {
	began := time.Now().UTC().Truncate(time.Second)
	described, err := t.Describe(ctx)
	if err != nil {
		return Plan{}, err
	}
	if err := from.check(described, o); err != nil {
		return Plan{}, err
	}
	if last, err := LastReopening(ctx, t); err != nil {
		return Plan{}, err
	} else if !o.Again && ReopenedSince(described, last) {
		return Plan{}, fmt.Errorf("table %s was reopened at %s: what was made in it since would end, too; "+
			"--again is for a table that has taken no traffic", t.Name(), last.Format(time.RFC3339))
	}
	c := comparison{table: t, from: from, kinds: kinds, restored: map[string]int{}, ended: map[string]int{}}
	c.plan = Plan{endings: map[string][]table.Ending{}, table: t, from: from, began: began}
	read := counting(aws.ToInt64(described.ItemCount), o.Progress)
	err = t.ScanAll(ctx, func(ctx context.Context, items []dynamo.Item) error {
		defer read(len(items))
		return c.compareRestored(ctx, items)
	})
	if err == nil && from.each != nil {
		err = from.each(ctx, c.compareLater)
	}
	return c.sorted(), err
}

// comparison makes a plan. Its steps run in parallel, so mu guards what they add to.
type comparison struct {
	table table.Table
	from  Source
	kinds table.Registry

	mu       sync.Mutex
	plan     Plan
	restored map[string]int // items by kind
	ended    map[string]int // those of them that would end
}

// compareRestored asks what has ended of restored items.
func (c *comparison) compareRestored(ctx context.Context, items []dynamo.Item) error {
	restored := c.read(items, func(s table.Stored) bool { return s.Kind.Ends != nil && !s.Expired })
	for some := range slices.Chunk(restored, table.MaxItems) {
		found, err := c.from.Read(ctx, keysOf(some)...)
		if err != nil {
			return err
		}
		for _, s := range some {
			later := table.Stored{Key: s.Key, Kind: s.Kind}
			if raw := found[s.Key]; raw != nil {
				later = c.kinds.Read(accessOf(s.Kind, raw), time.Now())
			}
			ending, err := s.Kind.Ends(ctx, table.Restored{Stored: s, Later: later, From: c.from})
			if damage, damaged := errors.AsType[table.Damage](err); damaged {
				ending, err = table.Ending{Says: fmt.Sprintf("%s: %v", s, damage)}, nil
			}
			if err != nil {
				return err
			}
			c.add(s.Kind.Name, ending, true)
		}
	}
	return nil
}

// compareLater asks what is ended by items that exist later, but not in the restored table.
func (c *comparison) compareLater(ctx context.Context, items []dynamo.Item) error {
	later := c.read(items, func(s table.Stored) bool { return s.Kind.CarryOver != nil })
	for some := range slices.Chunk(later, table.MaxItems) {
		restored, err := c.table.Read(ctx, keysOf(some)...)
		if err != nil {
			return err
		}
		for _, s := range some {
			switch {
			case restored[s.Key] != nil:
			case !s.Holds():
				c.add(s.Kind.Name, table.Ending{Says: fmt.Sprintf("%s, as it is later: %s", s, s.Damage)}, false)
			default:
				c.add(s.Kind.Name, s.Kind.CarryOver(s), false)
			}
		}
	}
	return nil
}

// read reads items, reduced to what decides about access, and returns those that are wanted.
func (c *comparison) read(items []dynamo.Item, wanted func(table.Stored) bool) (all []table.Stored) {
	for _, raw := range items {
		s := c.kinds.Read(accessOf(c.kinds[table.KeyOf(raw).Kind()], raw), time.Now())
		if wanted(s) {
			all = append(all, s)
		}
	}
	return all
}

// accessOf reduces an item to the attributes that decide about access. Damage of others is of no concern here.
func accessOf(kind table.ItemKind, raw dynamo.Item) dynamo.Item {
	reduced := dynamo.Item{}
	for _, name := range append([]string{"PK", "SK", table.ExpiresAt}, kind.Access...) {
		if value, found := raw[name]; found {
			reduced[name] = value
		}
	}
	return reduced
}

// add adds what has ended of an item. It counts restored items.
func (c *comparison) add(kind string, e table.Ending, restored bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if restored {
		c.restored[kind]++
	}
	switch {
	case e.Says == "":
	case e.End == nil:
		c.plan.Left = append(c.plan.Left, e.Says)
	default:
		c.plan.endings[kind] = append(c.plan.endings[kind], e)
		if restored {
			c.ended[kind]++
		}
	}
}

// sorted returns the plan.
func (c *comparison) sorted() Plan {
	for kind := range c.plan.endings {
		if !c.kinds[kind].Always && 10*c.ended[kind] > c.restored[kind] {
			c.plan.Many = append(c.plan.Many, kind)
		}
	}
	slices.Sort(c.plan.Many)
	slices.Sort(c.plan.Left)
	return c.plan
}

func keysOf(items []table.Stored) []table.Key {
	keys := make([]table.Key, len(items))
	for i, s := range items {
		keys[i] = s.Key
	}
	return keys
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
