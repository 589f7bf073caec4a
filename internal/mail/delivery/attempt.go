// Package delivery hands a finished message to SES for its recipients: to each at most once, also where several
// requests with one Idempotency-Key ask for the same mail.
package delivery

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"maps"
	"sync"
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

// Attempt is one request's attempt to deliver a mail to all of its recipients, in groups of a size that SES takes. It
// is resumed, then addressed, then delivered, and released in the end, whatever has become of it. The mail is claimed
// with the first groups, or before: where something is fetched, which no two requests should do at once.
//
// With an Idempotency-Key an attempt is one of several. A record tells each of them for which groups the others have
// asked SES, so that SES is asked once for each. Without such a key nothing of an attempt outlasts its request.
type Attempt struct {
	Key mailkey.Key // by which the mail is sent

	table    table.Table
	ses      *SES
	start    time.Time  // of the request
	replay   string     // the body of an earlier attempt's answer, which is final; "" for none
	groups   []Envelope // of the whole mail, once it is addressed
	separate bool       // each group is one recipient, who gets a message of his own
	fault    error      // an error of ours that kept some groups from being sent

	unsettled bool // when it was released: nobody knows what is stored, or another attempt decides
	lost      bool // what the record does not say: it could not be written in the end

	mu       sync.Mutex
	record   record // what this attempt leaves, if it has a key
	writer   recordWriter
	failures map[int]*failure // why a group was not sent, or may not have been

	queue sync.Mutex
	next  *batch // the groups that wait for mu to be begun; nil for none
}

// New makes an attempt for a request that started then, with a mail key and an Idempotency-Key, "" for none. Items hold
// the record of that key, if there was one at [RecordKey].
func (s Attempts) New(start time.Time, key mailkey.Key, idempotencyKey string, items table.Items) (*Attempt, error) {
	a := &Attempt{
		Key: key, table: s.Table, ses: s.SES, start: start,
		record: record{Groups: map[string]groupState{}}, writer: recordWriter{table: s.Table},
		failures: map[int]*failure{},
	}
	if idempotencyKey == "" {
		return a, nil
	}
	a.record.Key = RecordKey(key.ID, idempotencyKey)
	var previous record
	found, err := items.Get(a.record.Key, &previous)
	if found {
		a.writer.previous = &previous
	}
	return a, err
}

// recorded reports whether a record of the attempt is kept: it has an Idempotency-Key.
func (a *Attempt) recorded() bool { return a.record.kept() }

// Resume goes on from what earlier attempts with the same Idempotency-Key have left. The bodies of their requests must
// have been the same: the error is of kind [api.Invalid] otherwise, and [api.Conflict] while another attempt is under
// way.
func (a *Attempt) Resume(ctx context.Context, body []byte) error {
	if !a.recorded() {
		return nil
	}
	digest := sha256.Sum256(body)
	answer, err := a.writer.previous.permits(digest[:], a.start)
	if err != nil || answer != "" {
		a.replay = answer
		return err
	}
	a.resume(ctx, digest[:])
	return nil
}

func (a *Attempt) resume(ctx context.Context, bodyDigest []byte) {
	a.record.BodyDigest, a.writer.holder = bodyDigest, rand.Text()
	a.record.Lease, a.record.ExpiresAt = leaseEnd(ctx, a.start), a.start.Add(retention)
	if a.writer.previous.live(a.start) {
		a.record.ExpiresAt = later(a.writer.previous.ExpiresAt, a.record.Lease) // DynamoDB must not delete a record in use
		a.record.ReservedOn, a.record.Reservation = a.writer.previous.ReservedOn, a.writer.previous.Reservation
		maps.Copy(a.record.Groups, a.writer.previous.Groups)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Replay is the body of the first answer that was final, which every later attempt gives again; "" while there is none.
func (a *Attempt) Replay() string { return a.replay }

// Address says whom the mail is for. The error is a [rejection.Error] if earlier attempts had other groups.
func (a *Attempt) Address(e Envelope) error {
	a.separate = e.Separate
	return a.address(e.groups())
}

func (a *Attempt) address(groups []Envelope) error {
	if a.recorded() {
		a.record.GroupsDigest = digest(groups)
	}
	if a.resumed() && !bytes.Equal(a.record.GroupsDigest, a.writer.previous.GroupsDigest) {
		return &rejection.Error{
			Code: rejection.UnknownOutcome,
			Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
				"recipients, in other groups than it has today",
			Cause: "split", Outage: true,
		}
	}
	a.groups = groups
	return nil
}

// Complete reports whether earlier attempts have left nothing to send.
func (a *Attempt) Complete() bool {
	if a.groups == nil {
		return a.replay != ""
	}
	_, left := a.pending()
	return left == 0
}

// resumed reports whether earlier attempts have asked SES for a group.
func (a *Attempt) resumed() bool { return a.recorded() && len(a.record.Groups) > 0 }

// Refused is the error for a mail that is against a rule. If earlier attempts have sent some of it, the rules have
// changed since, and the error says both.
func (a *Attempt) Refused(err error) error {
	if !a.resumed() {
		return err
	}
	return &rejection.Error{
		Code: rejection.PartlySent,
		Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
			"recipients; to the others it was not sent: " + err.Error(),
		Cause: "refused", Outage: true,
	}
}
