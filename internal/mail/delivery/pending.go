package delivery

import (
	"context"
	"errors"

	"frontdesk/internal/mail/rejection"
)

// Messages gives the message for a group, by its index and its recipients: one for all, or for each recipient one of
// his own. Its header says what the group's Redirect makes of it. It may be called concurrently. An error that is a
// [rejection.Error] keeps the message from that group alone.
type Messages func(group int, to Envelope) (Message, error)

// Pending is a mail of which some groups are left to be sent.
type Pending struct{ mail *mail }

// Deliver asks SES to send its message to every pending group of the mail. Unless [Attempt.Address] has claimed it, it
// is claimed in the write that begins the first groups, or, where each message is still to be written, by itself. SES
// is not asked where it cannot be claimed, because another attempt has just claimed it, or the mail key's quota has
// fewer recipients left.
func (p *Pending) Deliver(ctx context.Context, messages Messages) *Result {
	m := p.mail
	ctx, cancel := m.beforeRelease(ctx)
	defer cancel()
	pending, recipients := m.progress.pending()
	first := pending[:min(len(pending), groupsAtOnce)]
	if m.progress.separate {
		first = nil
	}
	var fault error
	if !m.writer.claimed {
		if err := m.claim(ctx, first); err != nil {
			return &Result{mail: m, cause: err}
		}
	} else if len(first) > 0 {
		fault = m.begin(ctx, first)
	}
	if fault == nil {
		fault = m.send(ctx, pending, len(first), messages)
	}
	if _, left := m.progress.pending(); left == recipients && !m.resumed() {
		return &Result{mail: m, cause: fault} // nobody was sent anything, so that the error tells all
	}
	return &Result{mail: m, fault: fault}
}

// Abandon ends the attempt before SES is asked, because of an error. It is the reason for the recipients who are left,
// if earlier attempts have sent some of the mail and it is one that their sender can be told.
func (p *Pending) Abandon(err error) *Result {
	rejected, ok := errors.AsType[*rejection.Error](err)
	if !ok || !p.mail.resumed() {
		return &Result{mail: p.mail, cause: err}
	}
	p.mail.progress.failPending(unasked(rejected))
	return &Result{mail: p.mail}
}
