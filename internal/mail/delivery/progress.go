package delivery

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"frontdesk/internal/table"
)

// failPending notes why the pending groups will not be sent by this attempt.
func (a *Attempt) failPending(why *failure) {
	groups, _ := a.pending()
	for _, i := range groups {
		a.end(i, "", why)
	}
}

// begin notes that SES is about to be asked for groups. It must not be asked before that is written. The caller has the
// lock.
//
// A write without an answer may be applied, now or later, and the record would say for ever that SES was asked. So it
// is not repeated for long: the next write has a higher version and none of these groups. Once that is answered, they
// are begun again.
func (a *Attempt) begin(ctx context.Context, groups []int) error {
	if len(groups) == 0 {
		return a.writer.write(ctx, a.record)
	}
	for {
		for _, i := range groups {
			a.record.Groups[groupName(i)] = groupState{State: groupBegun}
		}
		err := a.writer.write(table.Briefly(ctx), a.record)
		if err == nil {
			return nil
		}
		a.forget(groups)
		if !errors.Is(err, table.ErrUnknown) {
			return err
		}
		if err := a.writer.write(ctx, a.record); err != nil {
			return err
		}
	}
}

// beginMore is begin for a mail that is claimed.
func (a *Attempt) beginMore(ctx context.Context, groups []int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.begin(ctx, groups)
}

// batch is groups that one write begins.
type batch struct {
	groups []int
	write  sync.Once
	err    error
}

// beginNext is beginMore for one group. Those that come while the record is being written wait for it, and are begun
// together by the next write: the record of many groups is large, and DynamoDB takes 1 MB of writes a second at the
// most from one item.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
func (a *Attempt) beginNext(ctx context.Context, group int) error {
	a.queue.Lock()
	if a.next == nil {
		a.next = &batch{}
	}
	b := a.next
	b.groups = append(b.groups, group)
	a.queue.Unlock()

	a.mu.Lock()
	defer a.mu.Unlock()
	b.write.Do(func() {
		a.queue.Lock()
		a.next = nil
		a.queue.Unlock()
		b.err = a.begin(ctx, b.groups)
	})
	return b.err
}

// forget notes that SES was not asked for groups after all. The caller has the lock.
func (a *Attempt) forget(groups []int) {
	for _, i := range groups {
		delete(a.record.Groups, groupName(i))
	}
}

// end notes what became of a group: SES's id of it, or why there is none. That is written by the next write of the
// record; until then the record says less than is known, never more.
func (a *Attempt) end(group int, sesID string, why *failure) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case why == nil:
		a.record.Groups[groupName(group)] = groupState{State: groupSent, ID: sesID}
		return
	case !why.unknown:
		delete(a.record.Groups, groupName(group))
	}
	a.failures[group] = why
}

// pending are the groups for which SES was not asked, neither by this attempt nor by an earlier one, and how many
// recipients they have.
func (a *Attempt) pending() (groups []int, recipients int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, group := range a.groups {
		if _, begun := a.record.Groups[groupName(i)]; !begun {
			groups = append(groups, i)
			recipients += group.recipients()
		}
	}
	return groups, recipients
}

// groupName is the name of a group in a record: its index.
func groupName(group int) string { return strconv.Itoa(group) }
