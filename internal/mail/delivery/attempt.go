// Package delivery hands a finished message to SES, at most once for each recipient. This holds also when several
// requests with one Idempotency-Key ask for the same mail. A request makes one attempt. An attempt has four stages;
// each is a type that only the stage before it returns:
//
//	Attempt  knows what earlier attempts recorded.
//	Pending  knows the recipients, and that SES was not asked yet for some of them.
//	Result   has asked SES for these, or could not.
//	Outcome  is recorded, and is what the client gets.
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

// Earlier is the state that earlier requests with the same Idempotency-Key recorded. A request without such a key has
// the zero Earlier.
type Earlier struct {
	at     table.Key
	record *record // nil if there is none
}

// ReadEarlier takes the state of earlier requests from items that were read at a [RecordKey].
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
// With an Idempotency-Key, several attempts may share one mail. They share a record, which names the groups of
// recipients for which SES was asked, so that SES is asked only once for each group. Without such a key nothing of an
// attempt outlasts its request.
type Attempt struct {
	table    table.Table
	ses      *SES
	key      mailkey.Key // authenticated the request
	start    time.Time   // of the request
	previous *record     // of earlier attempts; nil if there is none
	record   record      // of this attempt; its Key is zero without an Idempotency-Key
}

// Resume makes an attempt for a request that started at the given time, and continues where earlier requests with the
// same Idempotency-Key stopped. If these have recorded a final answer, Resume returns its body instead of an attempt,
// and the request repeats it. All requests with one key must have the same body, otherwise the error is of kind
// [api.Invalid]. It is of kind [api.Conflict] while another attempt is under way.
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
	if a.previous != nil {
		a.record.goOnFrom(a.previous)
	}
	return a, "", nil
}

// resumed reports whether earlier attempts have asked SES for any group.
func (a *Attempt) resumed() bool { return asked(a.record.Groups) }

// Refused returns the error for a mail that is not accepted because of err. If err is a rejection by a rule and earlier
// attempts have already sent part of the mail, the rules changed in between. The returned error then says both.
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

// Address gives the attempt its recipients. With atOnce it also claims the mail, so that no other attempt sends it:
// use this before files are fetched, because no two requests should fetch them side by side. Without atOnce,
// [Pending.Deliver] claims the mail later, in a write that it needs anyway.
//
// Address returns a result instead of a pending mail if there is nothing to deliver: the mail cannot be claimed, as
// in [Pending.Deliver]; earlier attempts have asked SES for all of it; they asked for other groups than these or sent
// them to other addresses, so that nobody knows who has the mail; or all remaining recipients are left out.
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

// errSplit is for a mail that earlier attempts have sent to some groups, when the groups now differ or go to other
// addresses. The attempt must not go on: an index means another group now, and the rest of a redirected test mail
// could reach customers.
var errSplit = &rejection.Error{
	Code: rejection.UnknownOutcome,
	Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
		"recipients, in other groups than it has today, or to other addresses",
	Cause: "split", Outage: true,
}
