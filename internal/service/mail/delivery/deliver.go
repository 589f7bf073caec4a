// Package delivery hands a finished message to SES, at most once for each recipient. This holds also when several
// requests with one Idempotency-Key ask for the same mail. A request enters it once, by [Service.Deliver], after
// [EarlierRequests.Permits] has let it. record.go has the states of a mail, attempt.go those of a request.
package delivery

import (
	"bytes"
	"context"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"
)

// Service delivers mails.
type Service struct {
	Table table.Table
	SES   *SES
}

// Mail is an accepted mail that is to be delivered.
type Mail struct {
	Key      mailkey.Key     // authenticated the request
	Start    time.Time       // of the request
	Earlier  EarlierRequests // what [EarlierRequests.Permits] has permitted
	Envelope Envelope
	// Fetches says that Prepare downloads. The mail is claimed before that, because no two requests should download
	// side by side. Otherwise the mail is claimed later, by a write that is needed anyway.
	Fetches  bool
	Warnings []string // for the answer; Prepare may add others
}

// Prepare fetches and writes the messages of a mail. Warnings are for the answer, also beside an error. A
// rejection says that the mail breaks a rule.
type Prepare func(context.Context) (messages Messages, warnings []string, err error)

// Messages returns the message for a group, given its index and its recipients: the same message for all groups, or
// with Separate one for each recipient. The header already reflects the group's Redirect. It may be called
// concurrently. If the error is a rejection, only this group gets no message.
type Messages func(group int, to Envelope) (Message, error)

// Outcome is what became of a mail.
type Outcome struct {
	Answer Answer
	// Err is nil if all groups were sent. If it is a rejection, Answer tells it; any other error is the answer.
	Err error

	Taken []string // for the log: all ids from SES, whatever the client gets
	Fault error    // for the log: an internal error that the client does not get, or nil
}

// Deliver asks SES to send a mail to every group for which no earlier request has asked, records what it does before
// it does it, and returns the outcome as it is recorded. Prepare is called once at most: not if the mail cannot be
// claimed, because another request has just claimed it or the mail key's quota has too few recipients left; not if
// earlier requests asked for other groups than these or sent them to other addresses, so that nobody knows who has
// the mail; and not if nobody is left to whom it could be sent.
func (s Service) Deliver(ctx context.Context, m Mail, prepare Prepare) Outcome {
	a := s.attempt(ctx, m)
	err := a.run(ctx, m, prepare)
	return a.release(ctx, err)
}

// run takes the steps claim, prepare and send. An error stops the delivery, and is the answer. If SES was asked for
// anybody, the progress of the groups says what became of the mail, and the error is nil.
func (a *attempt) run(ctx context.Context, m Mail, prepare Prepare) error {
	if a.resumed && !bytes.Equal(a.record.GroupsDigest, m.Earlier.record.GroupsDigest) {
		return errSplit
	}
	a.leftOut = a.progress.leaveOut(m.Envelope.LeftOut)
	ctx, cancel := a.beforeRelease(ctx)
	defer cancel()
	groups, recipients := a.progress.pending()
	if m.Fetches || len(groups) == 0 {
		if err := a.claim(ctx, nil); err != nil || len(groups) == 0 {
			return err
		}
	}
	messages, warnings, err := prepare(ctx)
	a.warnings = append(a.warnings, warnings...)
	if rejected, ok := AsRejected(err); ok && a.resumed {
		a.progress.failPending(unasked(rejected))
		return nil
	}
	if err != nil {
		return err
	}
	// The write of the claim also begins the first groups, except with Separate: there each message must be written
	// first, and may be rejected.
	first := groups[:min(len(groups), groupsAtOnce)]
	if a.progress.separate {
		first = nil
	}
	if err := a.claim(ctx, first); err != nil {
		return err
	}
	fault := a.send(ctx, groups, len(first), messages)
	if _, pending := a.progress.pending(); pending == recipients && !a.resumed {
		// SES has the mail for nobody: the error says it all.
		return fault
	}
	a.fault = fault
	return nil
}

// errSplit is for a mail that earlier requests have sent to some groups, when the groups now differ or go to other
// addresses. The request must not go on: an index means another group now, and the rest of a redirected test mail
// could reach customers.
var errSplit = &api.Error{
	Kind: api.Rejected, Code: UnknownOutcome,
	Message: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
		"recipients, in other groups than it has today, or to other addresses",
	Cause: "split", Outage: true,
}
