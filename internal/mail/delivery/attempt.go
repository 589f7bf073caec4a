// Package delivery hands finished messages to SES, for each recipient at most once, however often it is asked to.
package delivery

import (
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

// Attempt is one request's attempt to deliver a mail to all of its groups of recipients. With an Idempotency-Key it is
// one of several: a record tells each for which groups the others have asked SES, and none is asked for twice. Without
// such a key nothing of an attempt is remembered beyond its request.
type Attempt struct {
	Key mailkey.Key // by which the mail is sent

	made     Attempts
	start    time.Time  // of the request
	previous *record    // what earlier attempts have left; nil for nothing
	replay   string     // the body of the answer that is everybody's, "" for none
	groups   []Envelope // of the whole mail
	claimed  bool
	fault    error // of ours, which kept some groups from being sent

	mu       sync.Mutex
	record   record           // what this attempt leaves, if it has a key
	failures map[int]*failure // why a group was not sent, or may not have been
}

// New makes an attempt with an Idempotency-Key, "" for none. Items have what was read from [RecordKey].
func (d Attempts) New(start time.Time, key mailkey.Key, idempotencyKey string, items table.Items) (*Attempt, error) {
	a := &Attempt{
		Key: key, made: d, start: start, record: record{Groups: map[string]groupState{}}, failures: map[int]*failure{},
	}
	if idempotencyKey == "" {
		return a, nil
	}
	a.record.Key = RecordKey(key.ID, idempotencyKey)
	var previous record
	found, err := items.Get(a.record.Key, &previous)
	if found {
		a.previous = &previous
	}
	return a, err
}

// recorded reports whether a record of the attempt is kept: it has an Idempotency-Key.
func (a *Attempt) recorded() bool { return a.record.Key != table.Key{} }

// Resume goes on from what earlier attempts have left. All of them must have been made for the same body: the error is
// of code [api.Invalid] otherwise, and [api.Conflict] while another attempt is under way.
func (a *Attempt) Resume(ctx context.Context, body []byte) error {
	if !a.recorded() {
		return nil
	}
	request := sha256.Sum256(body)
	answer, err := a.previous.permits(request[:], a.start)
	if err != nil || answer != "" {
		a.replay = answer
		return err
	}
	a.resume(ctx, request[:])
	return nil
}

func (a *Attempt) resume(ctx context.Context, request []byte) {
	a.record.Request, a.record.Holder = request, rand.Text()
	a.record.Lease, a.record.ExpiresAt = leaseEnd(ctx, a.start), a.start.Add(keptFor)
	if a.previous.live(a.start) {
		a.record.ExpiresAt = later(a.previous.ExpiresAt, a.record.Lease) // DynamoDB deletes none that is in use
		a.record.ReservedOn = a.previous.ReservedOn
		maps.Copy(a.record.Groups, a.previous.Groups)
	}
}

// Replay is the body of the first answer, which every later attempt gives again; "" while there is none.
func (a *Attempt) Replay() string { return a.replay }

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

// Refused is the error of a mail that is against a rule. A mail of which earlier attempts have sent some has passed
// the rules once: they have changed since, and the error says both.
func (a *Attempt) Refused(err error) error {
	if !a.resumed() {
		return err
	}
	return rejection.Errorf("the mail may or may not have been sent: earlier requests asked SES to send it to some of "+
		"its recipients; to the others it was not sent: %s", err)
}
