// Package delivery hands finished messages to SES, for each recipient at most once, however often it is asked to.
package delivery

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

const (
	// leaseSlack is what a lease lasts beyond a request's context: the second that is kept for the answer, in
	// which the process still lives, and another for clocks that differ.
	leaseSlack = 2 * time.Second
	// defaultLease is for a context without a deadline, which Lambda never gives.
	defaultLease = 30 * time.Second
)

// leaseEnd is a moment at which the process that serves a request has ended.
func leaseEnd(ctx context.Context, now time.Time) time.Time {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline.Add(leaseSlack)
	}
	return now.Add(defaultLease)
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

// Claim makes the mail this attempt's own, so that nobody else sends it, and counts those whom it is not sent to yet on
// the mail key's quota. Nothing may be sent before. The error is of code [api.Conflict] if somebody else has just
// claimed the mail, a [rejection.Error] if the earlier attempts had other groups, and of code [api.RateLimited] if the
// quota has fewer left: then nothing is written.
func (a *Attempt) Claim(ctx context.Context, e Envelope) error {
	return a.claim(ctx, e.groups())
}

func (a *Attempt) claim(ctx context.Context, groups []Envelope) error {
	a.groups = groups
	if a.recorded() {
		a.record.GroupsDigest = digest(groups)
	}
	if a.resumed() && !bytes.Equal(a.record.GroupsDigest, a.previous.GroupsDigest) {
		return &rejection.Error{
			Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its recipients, " +
				"in other groups than it has today",
			Code: "split",
		}
	}
	_, left := a.pending()
	overQuota, err := a.writeClaim(ctx, left)
	if overQuota {
		a.failPending(&failure{reason: a.Key.ShortOf(left), code: "quota"})
		_, rejected := a.outcome()
		return &api.Error{
			Code: api.RateLimited, Message: rejected.Error(), RetryAfter: mailkey.UntilNextDay(a.start),
		}
	}
	return err
}

// errOverQuota is for recipients of whom a key's quota has fewer left.
var errOverQuota = errors.New("the quota has fewer left")

// writeClaim writes what Claim does.
func (a *Attempt) writeClaim(ctx context.Context, left int) (overQuota bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var reservation *dynamo.Update
	if today := mailkey.DayOf(a.start); left > 0 && a.Key.Daily > 0 && !a.record.ReservedOn.Equal(today) {
		if left > a.Key.Daily {
			return true, nil
		}
		reservation = a.Key.Reserve(a.made.Table, today, left)
		a.record.ReservedOn = today
	}
	if a.previous == nil {
		err = a.write(ctx, reservation, "attribute_not_exists(PK)")
	} else {
		err = a.write(ctx, reservation, "holder = ? AND version = ?", a.previous.Holder, a.previous.Version)
	}
	if err != nil && reservation != nil {
		a.record.ReservedOn = time.Time{}
	}
	a.claimed = err == nil
	return errors.Is(err, errOverQuota), err
}

// failPending notes why the pending groups are not sent.
func (a *Attempt) failPending(why *failure) {
	groups, _ := a.pending()
	for _, i := range groups {
		a.end(i, "", why)
	}
}

// begin notes that SES is about to be asked for a group. Only then may it be.
func (a *Attempt) begin(ctx context.Context, group int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.record.Groups[groupName(group)] = groupState{State: groupBegun}
	err := a.write(ctx, nil, "")
	if err != nil {
		delete(a.record.Groups, groupName(group))
	}
	return err
}

// end notes what became of a group: SES's id of it, or why there is none. It is written with what is noted
// next; until then the record says less than is known, never more.
func (a *Attempt) end(group int, sesID string, why *failure) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case why == nil:
		a.record.Groups[groupName(group)] = groupState{State: groupSent, ID: sesID}
		return
	case !why.unknown:
		delete(a.record.Groups, groupName(group))
	}
	a.failures[group] = why
}

// pending are the groups for which SES was not asked, neither by this attempt nor by an earlier one, and how many
// recipients they have.
func (a *Attempt) pending() (groups []int, recipients int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, group := range a.groups {
		if _, begun := a.record.Groups[groupName(i)]; !begun {
			groups = append(groups, i)
			recipients += group.recipients()
		}
	}
	return groups, recipients
}

// Release ends the attempt with the body of its answer. If SES was asked for every group of the mail, that is what
// later attempts give; else the next one may go on at once with the groups that are left, and they are no longer
// counted on the quota. The error is for the log: of this, or what kept some groups from being sent.
func (a *Attempt) Release(ctx context.Context, answer any) error {
	return errors.Join(a.fault, a.release(ctx, answer))
}

func (a *Attempt) release(ctx context.Context, answer any) error {
	_, left := a.pending()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.claimed {
		return nil
	}
	if left == 0 && a.recorded() {
		body, err := api.Marshal(answer)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		a.record.State, a.record.Answer = done, string(body)
	}
	var refund *dynamo.Update
	if left > 0 && !a.record.ReservedOn.IsZero() {
		refund = a.Key.Refund(a.made.Table, a.record.ReservedOn, left)
		a.record.ReservedOn = time.Time{}
	}
	a.record.Lease = time.Time{}
	return a.write(ctx, refund, "")
}

// write writes the record with the next version, where it is the attempt's own or as a condition has it, and in the
// same transaction what a quota counts, if there is anything to count. That is counted once even if answers are lost.
// The caller has the lock: the writes of an attempt follow one another.
func (a *Attempt) write(ctx context.Context, count *dynamo.Update, condition string, args ...any) error {
	switch {
	case count == nil && !a.recorded():
		return nil
	case count == nil:
		err := a.put(condition, args...).Run(ctx)
		if dynamo.IsCondCheckFailed(err) {
			return errInUse
		}
		if err != nil {
			return fmt.Errorf("put the record of an idempotency key: %w", table.Single(err))
		}
		return nil
	}
	tx := a.made.Table.Tx()
	if a.recorded() {
		tx.Put(a.put(condition, args...), errInUse)
	}
	tx.Update(count, errOverQuota)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("count recipients: %w", err)
	}
	return nil
}

// put is the write of the record as it is now, with the next version.
func (a *Attempt) put(condition string, args ...any) *dynamo.Put {
	if a.record.State != done {
		a.record.State = claimed
		if len(a.record.Groups) > 0 {
			a.record.State = sending
		}
	}
	a.record.Version++
	own := "holder = ? AND version <= ?" // a write that is repeated meets itself
	if condition != "" {
		own += " OR " + condition
	}
	return a.made.Table.Put(a.record).If(own, append([]any{a.record.Holder, a.record.Version}, args...)...)
}

// groupName is the name of a group in a record: its place in the envelope.
func groupName(group int) string { return strconv.Itoa(group) }
