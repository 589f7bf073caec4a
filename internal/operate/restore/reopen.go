// Package restore ends again what a restore has revived. A table restored from a backup contains keys that were
// revoked since, users that were deleted, passwords that were changed and links that were used. Before such a table
// takes traffic, its items are compared with later knowledge: the table that it replaces, or a list that was kept of
// that table.
//
//	scan → compare with what is known later → a plan → a person confirms it → end → note the reopening
//
// Each kind of item says what has ended it (see [table.Revival]). An item that is missing later has ended only if a
// deletion leaves the table like that. Otherwise the item was lost, perhaps in the very accident after which the table
// was restored. Then it stays, and is named for a person to decide.
package restore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
)

// Report lists what was ended.
type Report struct {
	Ended map[string]int // by kind
	Said  []string       // what was ended, sorted
	Left  []string       // what is left to a person, sorted
}

// Run ends what the plan says, and records that the table is reopened. The report says what was done also with an
// error. An interrupted run can be repeated, with a new plan: ending something again has no effect.
func (p Plan) Run(ctx context.Context) (Report, error) {
	r := Report{Ended: map[string]int{}, Left: slices.Clone(p.Left)}
	var mu sync.Mutex
	group, ending := api.NewGroupContext(ctx)
	group.SetLimit(table.MaxParallel)
	for kind, endings := range p.endings {
		for _, e := range endings {
			group.Go(func() error {
				err := ending.Err()
				if err == nil {
					err = e.End(ending, p.table)
				}
				mu.Lock()
				defer mu.Unlock()
				switch damage, damaged := errors.AsType[table.Damage](err); {
				case damaged:
					r.Left = append(r.Left, fmt.Sprintf("%s: %v", e.Says, damage))
				case err != nil:
					return fmt.Errorf("end %s: %w", e.Says, err)
				default:
					r.Ended[kind]++
					r.Said = append(r.Said, e.Says)
				}
				return nil
			})
		}
	}
	err := group.Wait()
	slices.Sort(r.Said)
	slices.Sort(r.Left)
	if err != nil {
		return r, err
	}
	return r, note(ctx, p.table, p.began, p.from)
}
