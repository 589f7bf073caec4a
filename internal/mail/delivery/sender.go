package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// groupsAtOnce is the number of calls that ask SES for groups of one mail in parallel. SES limits the recipients per
// second of an account and throttles the rest; such calls are repeated after a pause.
const groupsAtOnce = 4

// sender asks SES for the groups of a mail in parallel.
type sender struct {
	*mail
	messages Messages
	last     time.Time // no attempt of a call begins later

	mu sync.Mutex // held while the mail's progress changes or its record is written

	queue sync.Mutex
	next  *batch // the groups that wait for mu, or nil
}

// send asks SES for the pending groups. The first begun of them are already recorded as begun. The error is internal,
// and kept some groups from being sent.
func (m *mail) send(ctx context.Context, pending []int, begun int, messages Messages) error {
	s := &sender{mail: m, messages: messages, last: lastTry(ctx, m.start)}
	calls := api.NewGroup()
	calls.SetLimit(groupsAtOnce)
	for n, group := range pending {
		calls.Go(func() error { return s.sendGroup(ctx, group, n < begun) })
	}
	return calls.Wait()
}

// sendGroup asks SES for one group, and notes the result. An error is internal.
func (s *sender) sendGroup(ctx context.Context, group int, begun bool) error {
	if time.Now().After(s.last) {
		s.end(group, "", errLate)
		return nil
	}
	to := s.progress.groups[group]
	message, err := s.messages(group, to)
	if rejected, ok := errors.AsType[*rejection.Error](err); ok {
		s.end(group, "", unasked(rejected))
		return nil
	}
	if err == nil && !begun {
		err = s.beginWithOthers(ctx, group)
	}
	if err != nil {
		s.end(group, "", errInternal)
		return err
	}
	id, why := s.ses.send(ctx, s.last, to.rewritten(), message)
	s.end(group, id, why)
	return nil
}

// batch is a set of groups that one write begins.
type batch struct {
	groups []int
	write  sync.Once
	err    error
}

// beginWithOthers records that SES is about to be asked for a group. Groups that arrive while the record is being
// written wait, and the next write begins all of them: the record of many groups is large, and DynamoDB accepts at
// most 1 MB of writes per second to one item.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
func (s *sender) beginWithOthers(ctx context.Context, group int) error {
	s.queue.Lock()
	if s.next == nil {
		s.next = &batch{}
	}
	b := s.next
	b.groups = append(b.groups, group)
	s.queue.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	// The first group that gets mu closes the batch and writes it; the others find its result in b.err.
	b.write.Do(func() {
		s.queue.Lock()
		s.next = nil
		s.queue.Unlock()
		b.err = s.mail.begin(ctx, b.groups)
	})
	return b.err
}

// end notes the result of a group, as [progress.end] does.
func (s *sender) end(group int, sesID string, why *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.end(group, sesID, why)
}
