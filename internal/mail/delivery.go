package mail

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// groupsAtOnce is the number of groups of one mail for which SES is asked side by side. SES allows an account
// a number of recipients a second; what is over it is throttled, and asked for again after a pause.
const groupsAtOnce = 4

// deliver asks SES to send a message for every group of a run that is pending, and has the run remember what
// becomes of each. The error is a fault of ours that kept SES from being asked for some.
func (s *Service) deliver(ctx context.Context, r *run, message []byte) error {
	if deadline, ok := ctx.Deadline(); ok && (r.kept || !r.record.Counted.IsZero()) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-settleWithin))
		defer cancel()
	}
	last := r.start.Add(sendWithin)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-callWithin).Before(last) {
		last = deadline.Add(-callWithin)
	}
	calls := api.NewGroup()
	calls.SetLimit(groupsAtOnce)
	pending, _ := r.pending()
	for _, i := range pending {
		calls.Go(func() error {
			if time.Now().After(last) {
				r.end(i, "", errLate)
				return nil
			}
			if err := r.begin(ctx, i); err != nil {
				r.end(i, "", errInternal)
				return err
			}
			id, fault := s.SES.send(ctx, last, r.groups[i], message)
			r.end(i, id, fault)
			return nil
		})
	}
	return calls.Wait()
}

// callWithin is the time that is kept for SES's answer, and for the pause before it is asked a last time: of a call
// that is cut off by the end of the function nobody knows what came of it.
const callWithin = 2 * time.Second

// settleWithin is the time that is kept for the last write of a run, after SES's answers: for an attempt that is
// lost, and another one.
const settleWithin = 3 * time.Second

// sent is a mail that SES took, all of it or for some of its groups.
type sent struct {
	ids  []string // SES's, one for each group that was sent
	size int      // of the message, in bytes
}

// outcome says what became of a mail: nil if all of its groups were sent, else a [rejection.Error] that says how
// many of its recipients it reached, and what of the others.
func (r *run) outcome() (ids []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var (
		reached         int
		unsent, unknown shortfall
	)
	for i, group := range r.groups {
		switch p := r.record.Groups[place(i)]; {
		case p.State == groupSent:
			ids = append(ids, p.ID)
			reached += group.recipients()
		case p.State == groupBegun:
			unknown.add(group, r.faults[i], errDied)
		default:
			unsent.add(group, r.faults[i], errInternal)
		}
	}
	switch {
	case unsent.recipients == 0 && unknown.recipients == 0:
		return ids, nil
	case reached == 0 && unknown.recipients == 0:
		return nil, unsent.why.rejection()
	case reached == 0 && unsent.recipients == 0:
		return nil, unknown.why.rejection()
	}
	partly := &rejection.Error{
		Reason: fmt.Sprintf("the mail reached %d of %d recipients", reached, recipientsOf(r.groups)), Code: "partly",
	}
	if unsent.recipients > 0 {
		partly.Reason += fmt.Sprintf("; it was not sent to %d: %s", unsent.recipients, unsent.why.reason)
	}
	if unknown.recipients > 0 {
		partly.Reason += fmt.Sprintf("; it may or may not have been sent to %d: %s", unknown.recipients, unknown.why.reason)
	}
	return ids, partly
}

// shortfall is the recipients that a mail did not reach, or may not have, and why the first of them.
type shortfall struct {
	recipients int
	why        *sendError
}

func (s *shortfall) add(group envelope, why, otherwise *sendError) {
	s.recipients += group.recipients()
	if why == nil {
		why = otherwise
	}
	if s.why == nil {
		s.why = why
	}
}

var (
	// errDied is a group that was begun by a request whose process ended.
	errDied = &sendError{unknown: true, reason: "the request that sent it ended before SES had answered", code: "died"}
	// errInternal is a group that a fault of ours kept from being begun.
	errInternal = &sendError{reason: "an internal error", code: "internal"}
	// errLate is a group for which the time was over before SES was asked.
	errLate = &sendError{reason: fmt.Sprintf("SES could not be asked within %s", sendWithin), code: "late"}
)
