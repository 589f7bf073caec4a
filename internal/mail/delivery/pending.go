package delivery

import (
	"context"
	"errors"

	"frontdesk/internal/mail/rejection"
)

// Messages returns the message for a group, given its index and its recipients: the same message for all groups, or
// with Separate one for each recipient. The header already reflects the group's Redirect. It may be called
// concurrently. If the error is a [rejection.Error], only this group gets no message.
type Messages func(group int, to Envelope) (Message, error)

// Pending is a mail with groups for which SES was not asked yet.
type Pending struct{ mail *mail }

// Deliver asks SES to send every pending group its message. If [Attempt.Address] has not claimed the mail, Deliver
// claims it first. The write of the claim also begins the first groups, except with Separate: there each message must
// be written first, and may be rejected. SES is not asked if the claim fails, because another attempt has just
// claimed the mail or the mail key's quota has too few recipients left.
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
		return &Result{mail: m, cause: fault} // SES was asked for nobody: the error says it all
	}
	return &Result{mail: m, fault: fault}
}

// Abandon ends the attempt before SES is asked, because of err. If earlier attempts have sent part of the mail and
// err is a [rejection.Error], err becomes the reason for the remaining recipients. Otherwise err is the answer.
func (p *Pending) Abandon(err error) *Result {
	rejected, ok := errors.AsType[*rejection.Error](err)
	if !ok || !p.mail.resumed() {
		return &Result{mail: p.mail, cause: err}
	}
	p.mail.progress.failPending(unasked(rejected))
	return &Result{mail: p.mail}
}
