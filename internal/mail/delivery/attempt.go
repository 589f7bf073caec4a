// Package delivery hands a finished message to SES for its recipients: to each at most once, also where several
// requests with one Idempotency-Key ask for the same mail. A request makes an attempt, each stage of which is a type
// that only the stage before it gives:
//
//	Attempt  knows what earlier attempts have left.
//	Pending  knows whom the mail is for, and that some of them are left to be sent it.
//	Result   has asked SES for these, or could not.
//	Outcome  is written down, and is what the client is told.
package delivery

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"time"

	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/table"
)

// Attempts makes attempts to deliver mails.
type Attempts struct {
	Table table.Table
	SES   *SES
}

// Earlier is what earlier requests with one Idempotency-Key have left. The zero Earlier is that of a request without
// such a key.
type Earlier struct {
	at     table.Key
	record *record // nil for nothing
}

// ReadEarlier finds what earlier requests have left among items that were read at a [RecordKey].
func ReadEarlier(items table.Items, at table.Key) (Earlier, error) {
	var r record
	found, err := items.Get(at, &r)
	if err != nil || !found {
		return Earlier{at: at}, err
	}
	return Earlier{at: at, record: &r}, nil
}

// Attempt is one request's attempt to deliver a mail to all of its recipients.
//
// With an Idempotency-Key an attempt is one of several. A record tells each of them for which groups of recipients
// the others have asked SES, so that SES is asked once for each. Without such a key nothing of an attempt outlasts
// its request.
type Attempt struct {
	table    table.Table
	ses      *SES
	key      mailkey.Key // by which the mail is sent
	start    time.Time   // of the request
	previous *record     // what earlier attempts have left; nil for nothing
	record   record      // what this attempt leaves, if it has an Idempotency-Key
}

// Resume makes an attempt for a request that started then. It goes on from what earlier requests with the same
// Idempotency-Key have left: where they have left an answer that is final, the request is to give its body again, and
// there is no attempt. The bodies of all these requests must have been the same: the error is of kind [api.Invalid]
// otherwise, and [api.Conflict] while another attempt is under way.
func (s Attempts) Resume(ctx context.Context, start time.Time, key mailkey.Key, earlier Earlier, body []byte) (
	a *Attempt, answer string, err error,
) {
	a = &Attempt{table: s.Table, ses: s.SES, key: key, start: start}
	if earlier.at == (table.Key{}) {
		return a, "", nil
	}
	bodyDigest := sha256.Sum256(body)
	answer, err = earlier.record.permits(bodyDigest[:], start)
	if err != nil || answer != "" {
		return nil, answer, err
	}
	a.previous = earlier.record
	a.record = record{
		Key: earlier.at, BodyDigest: bodyDigest[:], Lease: leaseEnd(ctx, start), ExpiresAt: start.Add(retention),
	}
	if a.previous.live(start) {
		a.record.goOnFrom(a.previous)
	}
	return a, "", nil
}

// resumed reports whether earlier attempts have asked SES for a group.
func (a *Attempt) resumed() bool { return asked(a.record.Groups) }

// Refused is the error for a mail that is not accepted, given what is wrong with it. If that is a rule, and earlier
// attempts have sent some of the mail, the rules have changed since, and the error says both.
func (a *Attempt) Refused(err error) error {
	rejected, ok := errors.AsType[*rejection.Error](err)
	if !ok || !a.resumed() {
		return err
	}
	return &rejection.Error{
		Code: rejection.PartlySent,
		Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
			"recipients; to the others it was not sent: " + rejected.Reason,
		Cause: "refused", Outage: true,
	}
}

// Address says whom the mail is for. It claims the mail for this attempt, so that no other sends it, if that is to be
// done at once: because something is to be fetched, which no two requests should do side by side. Else
// [Pending.Deliver] does, in a write that it makes anyway.
//
// It gives the result where there is nothing to deliver: the mail cannot be claimed, as in [Pending.Deliver]; earlier
// attempts have asked SES for all of it; they have asked for other groups than these, or sent them elsewhere, so that
// nobody knows who has it; or all others are left out.
func (a *Attempt) Address(ctx context.Context, e Envelope, atOnce bool) (*Pending, *Result) {
	groups := e.groups()
	m := &mail{
		Attempt:  a,
		progress: newProgress(groups, e.Separate, a.record.Groups),
		writer:   &recordWriter{table: a.table, holder: rand.Text(), previous: a.previous},
	}
	if a.record.kept() {
		a.record.GroupsDigest = digest(groups)
	}
	if a.resumed() && !bytes.Equal(a.record.GroupsDigest, a.previous.GroupsDigest) {
		return nil, &Result{mail: m, cause: errSplit}
	}
	m.leftOut = m.progress.leaveOut(e.LeftOut)
	_, left := m.progress.pending()
	if atOnce || left == 0 {
		ctx, cancel := m.beforeRelease(ctx)
		defer cancel()
		if err := m.claim(ctx, nil); err != nil {
			return nil, &Result{mail: m, cause: err}
		}
	}
	if left == 0 {
		return nil, &Result{mail: m}
	}
	return &Pending{m}, nil
}

// errSplit is for a mail of which earlier attempts have sent some groups, where the groups of today are others, or go
// elsewhere: what is left of a mail for a test must not reach customers.
var errSplit = &rejection.Error{
	Code: rejection.UnknownOutcome,
	Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
		"recipients, in other groups than it has today, or to other addresses",
	Cause: "split", Outage: true,
}
