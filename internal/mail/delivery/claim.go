package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
