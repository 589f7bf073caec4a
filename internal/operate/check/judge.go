package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
)

// judge decides about a suspicion. It reads the items concerned as of one moment.
type judge struct {
	table table.Table
	kinds table.Registry
}

// confirm judges suspicions, and once more after a pause. It returns the faults that were there both times.
func confirm(
	ctx context.Context, j judge, suspects map[suspicion][]table.Key, pause time.Duration,
) (faults []Fault, err error) {
	for look := range 2 {
		if len(suspects) == 0 {
			return nil, nil
		}
		if look > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(pause):
			}
		}
		confirmed := map[suspicion][]table.Key{}
		faults = nil
		var mu sync.Mutex
		group, judging := api.NewGroupContext(ctx)
		group.SetLimit(table.MaxParallel)
		for suspect, items := range suspects {
			group.Go(func() error {
				fault, err := j.judge(judging, suspect, items)
				mu.Lock()
				defer mu.Unlock()
				if fault != nil {
					confirmed[suspect] = items
					faults = append(faults, *fault)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		suspects = confirmed
	}
	slices.SortFunc(faults, byText)
	return faults, nil
}

func byText(a, b Fault) int { return cmp.Compare(a.What, b.What) }

// judge returns the fault behind a suspicion, or nil if there is none. Items are those that gave rise to it.
func (j judge) judge(ctx context.Context, s suspicion, items []table.Key) (*Fault, error) {
	switch s.kind {
	case alone:
		return j.item(ctx, s.item)
	case pair:
		return j.pair(ctx, s.item, s.other)
	case need:
		return j.need(ctx, s.other, items)
	default:
		return j.circle(ctx, s.item)
	}
}

// read reads items as of one moment.
func (j judge) read(ctx context.Context, keys ...table.Key) (func(table.Key) table.Stored, error) {
	items, err := j.table.Snapshot(ctx, keys...)
	return func(k table.Key) table.Stored { return j.kinds.Stored(items, k, time.Now()) }, err
}

// excused reports whether the record that an item is within is being deleted. The record itself is reported.
func (j judge) excused(ctx context.Context, i table.Stored) (bool, error) {
	if i.Kind.DeletedWith == nil {
		return false, nil
	}
	outer := i.Kind.DeletedWith(i.Key)
	get, err := j.read(ctx, outer)
	if err != nil {
		return false, err
	}
	record := get(outer)
	return ask(record.Kind.Deleting, record) != "", nil
}

// item finds a damaged item, and a record whose deletion was interrupted.
func (j judge) item(ctx context.Context, k table.Key) (*Fault, error) {
	get, err := j.read(ctx, k)
	if err != nil {
		return nil, err
	}
	i := get(k)
	if do := ask(i.Kind.Deleting, i); do != "" {
		return &Fault{What: fmt.Sprintf("%s is being deleted", i), Do: do}, nil
	}
	if i.Absent() || i.Damage == "" {
		return nil, nil
	}
	f := &Fault{What: fmt.Sprintf("%s: %s", k, i.Damage), Do: j.look(k)}
	if i.Kind.Remake != nil {
		f.Do = ""
		f.mend = func(ctx context.Context, t table.Table) (string, error) { return i.Kind.Remake(ctx, t, k) }
	}
	return f, nil
}

// look is what an operator does about an item of which nobody but a person knows what is right.
func (j judge) look(k table.Key) string {
	return fmt.Sprintf(`see what it is: aws dynamodb get-item --table-name %s --key '{"PK":{"S":%q},"SK":{"S":%q}}'; `+
		"a table restored from a backup has it as it was", j.table.Name(), k.PK, k.SK)
}

// pair finds two items that do not name each other, or do not agree.
func (j judge) pair(ctx context.Context, k, other table.Key) (*Fault, error) {
	get, err := j.read(ctx, k, other)
	if err != nil {
		return nil, err
	}
	a, b := get(k), get(other)
	pair, found := pairWith(a, other)
	if !found || !b.Absent() && b.Damage != "" {
		// It no longer says so; or the damage is a fault of its own.
		return nil, nil
	}
	if excused, err := j.excused(ctx, a); excused || err != nil {
		return nil, err
	}
	back, named := pairWith(b, k)
	switch {
	case named && back.Agree == pair.Agree:
		return nil, nil
	case named && pair.Make == nil:
		// The other side tells it.
		return nil, nil
	case named:
		return &Fault{What: fmt.Sprintf("%s has %s, and %s has %s", a, pair.Agree, b, back.Agree), mend: pair.Make}, nil
	case b.Absent() && pair.Make != nil:
		return &Fault{What: fmt.Sprintf("%s lacks its %s", a, b), mend: pair.Make}, nil
	case b.Absent():
		return &Fault{
			What: fmt.Sprintf("%s is of %s, which does not exist", a, b),
			Do:   cmp.Or(pair.Lost, j.missing(b)),
		}, nil
	case pair.Drop != nil:
		drop := func(ctx context.Context, t table.Table) (string, error) { return "deleted it", pair.Drop(ctx, t) }
		return &Fault{What: fmt.Sprintf("%s is of %s, which does not have it", a, b), mend: drop}, nil
	}
	return &Fault{What: fmt.Sprintf("%s names %s, which does not name it", a, b), Do: cmp.Or(pair.Do, j.look(k))}, nil
}

// pairWith finds what an item says of another one.
func pairWith(i table.Stored, other table.Key) (table.Pair, bool) {
	all := ask(i.Kind.Pairs, i)
	at := slices.IndexFunc(all, func(p table.Pair) bool { return p.Other == other })
	if at < 0 || i.Absent() {
		return table.Pair{}, false
	}
	return all[at], true
}

// missing is what an operator does about a record that others name, and that does not exist.
func (j judge) missing(record table.Stored) string {
	if record.Kind.Missing == nil {
		return j.look(record.Key)
	}
	return record.Kind.Missing(record.Key)
}

// need finds what items need and nobody provides. One fault is of all of them.
func (j judge) need(ctx context.Context, what table.Key, items []table.Key) (*Fault, error) {
	need, err := j.needed(ctx, what, items[:min(len(items), table.MaxItems)]) // they only show that somebody needs it
	if err != nil || need == nil {
		return nil, err
	}
	get, err := j.read(ctx, need.Record)
	if err != nil {
		return nil, err
	}
	record := get(need.Record)
	switch {
	case record.Absent() && what == need.Record:
		return &Fault{
			What: fmt.Sprintf("%s does not exist, and other items name it", record), Do: j.missing(record),
		}, nil
	case !record.Holds() || slices.Contains(provides(record), what):
		return nil, nil
	}
	return &Fault{What: fmt.Sprintf("%s lacks %q, which other items name", record, what.SK), mend: need.Mend}, nil
}

// needed returns the need of one of the items that still has it, or nil.
func (j judge) needed(ctx context.Context, what table.Key, items []table.Key) (*table.Need, error) {
	get, err := j.read(ctx, items...)
	if err != nil {
		return nil, err
	}
	for _, k := range items {
		i := get(k)
		excused, err := j.excused(ctx, i)
		if err != nil {
			return nil, err
		}
		for _, n := range needs(i) {
			if n.Key() == what && !i.Absent() && !excused {
				return &n, nil
			}
		}
	}
	return nil, nil
}

// circle finds an item that is above itself. It reads those above it one by one.
func (j judge) circle(ctx context.Context, k table.Key) (*Fault, error) {
	for at, visited := k, map[table.Key]bool{}; ; {
		get, err := j.read(ctx, at)
		if err != nil {
			return nil, err
		}
		i := get(at)
		visited[at] = true
		next := ask(i.Kind.Parent, i)
		switch {
		case next == k:
			what := fmt.Sprintf("%s %s is above itself, over %d levels", i.Kind.Name, k, len(visited))
			return &Fault{What: what, Do: i.Kind.Circle(k)}, nil
		case next == (table.Key{}) || visited[next]:
			return nil, nil
		}
		at = next
	}
}
