package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// groupsAtOnce is the number of groups of one mail for which SES is asked side by side. SES allows an account a number
// of recipients a second, and throttles what is over it; that is asked for again after a pause.
const groupsAtOnce = 4

// sender asks SES for groups of a mail side by side.
type sender struct {
	*mail
	messages Messages
	last     time.Time // no try of a call begins after

	mu sync.Mutex // held while the mail's progress changes or its record is written

	queue sync.Mutex
	next  *batch // the groups that wait for mu to be begun; nil for none
}

// send asks SES for the pending groups, of which the first ones are begun. The error is one of ours that kept some
// groups from being sent.
func (m *mail) send(ctx context.Context, pending []int, begun int, messages Messages) error {
	s := &sender{mail: m, messages: messages, last: lastTry(ctx, m.start)}
	calls := api.NewGroup()
	calls.SetLimit(groupsAtOnce)
	for n, group := range pending {
		calls.Go(func() error { return s.sendGroup(ctx, group, n < begun) })
	}
	return calls.Wait()
}

// sendGroup asks SES for a group, and notes what became of it.
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

// batch is groups that one write begins.
type batch struct {
	groups []int
	write  sync.Once
	err    error
}

// beginWithOthers notes that SES is about to be asked for a group. Groups that come while the record is being written
// wait for it, and are begun together by the next write: the record of many groups is large, and DynamoDB takes 1 MB of
// writes a second at the most from one item.
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
	b.write.Do(func() {
		s.queue.Lock()
		s.next = nil
		s.queue.Unlock()
		b.err = s.mail.begin(ctx, b.groups)
	})
	return b.err
}

// end notes what became of a group, as [progress.end] does.
func (s *sender) end(group int, sesID string, why *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.end(group, sesID, why)
}
