package delivery

import (
	"context"
	"errors"
	"sync"

	"frontdesk/internal/base/table"
)

// begin records that SES is about to be asked for groups. SES must not be asked before this write succeeds. Without
// groups it claims the mail, unless that is done.
//
// A write without an answer may still be applied later, and then the record would say forever that SES was asked. So
// begin repeats it only briefly. Then it writes the record without these groups and with a higher version, which the
// lost write can no longer replace. Once that write is confirmed, begin tries the groups again.
func (a *attempt) begin(ctx context.Context, groups []int) error {
	if len(groups) == 0 {
		if a.writer.claimed {
			return nil
		}
		return a.writer.write(ctx, a.current())
	}
	for {
		a.progress.begin(groups)
		err := a.writer.write(table.Briefly(ctx), a.current())
		if err == nil {
			return nil
		}
		a.progress.reset(groups)
		if !errors.Is(err, table.ErrUnknown) {
			return err
		}
		if err := a.writer.write(ctx, a.current()); err != nil {
			return err
		}
	}
}

// batch is a set of groups that one write begins.
type batch struct {
	groups []int
	write  sync.Once
	err    error
}

// beginWithOthers is [attempt.begin] for one of several groups that are sent side by side. Groups that arrive while
// the record is being written wait, and the next write begins all of them: the record of many groups is large, and
// DynamoDB accepts at most 1 MB of writes per second to one item.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
func (a *attempt) beginWithOthers(ctx context.Context, group int) error {
	a.queue.Lock()
	if a.next == nil {
		a.next = &batch{}
	}
	b := a.next
	b.groups = append(b.groups, group)
	a.queue.Unlock()

	a.writing <- struct{}{}
	defer func() { <-a.writing }()
	// The first group that may write closes the batch and writes it; the others find its result in b.err.
	b.write.Do(func() {
		a.queue.Lock()
		a.next = nil
		a.queue.Unlock()
		b.err = a.begin(ctx, b.groups)
	})
	return b.err
}
