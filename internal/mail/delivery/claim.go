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

	"github.com/guregu/dynamo/v2"
)

// Claim claims a mail for this attempt, so that no other sends it, and reserves on the mail key's quota the
// recipients for whom SES was not asked yet. Nothing may be sent before. The error is of code [api.Conflict] if
// another attempt has just claimed the mail, of code [api.RateLimited] if the quota has fewer recipients left, and a
// [rejection.Error] if earlier attempts had other groups; nothing is written then.
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
			Reason: "the mail may or may not have been sent: earlier requests asked SES to send it to some of its " +
				"recipients, in other groups than it has today",
			Code: "split", Outage: true,
		}
	}
	_, left := a.pending()
	overQuota, err := a.writeClaim(ctx, left)
	if overQuota {
		a.failPending(&failure{own: true, reason: a.Key.ShortOf(left), code: "quota"})
		_, rejected := a.outcome()
		return &api.Error{Code: api.RateLimited, Message: rejected.Error(), RetryAfter: mailkey.UntilNextDay(a.start)}
	}
	return err
}

// errOverQuota is the error of a reservation of more recipients than the quota has left.
var errOverQuota = errors.New("the quota has fewer left")

// writeClaim writes the claim, and reserves the recipients who are left.
func (a *Attempt) writeClaim(ctx context.Context, left int) (overQuota bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var reservation *dynamo.Update
	if today := mailkey.DayOf(a.start); left > 0 && a.Key.Daily > 0 && !a.record.ReservedOn.Equal(today) {
		if left > a.Key.Daily {
			return true, nil
		}
		reservation = a.Key.Reserve(a.table, today, left)
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

// Release ends the attempt, given the body of its answer. If SES was asked for every group of the mail, the answer is
// final. Else the next attempt may go on at once with the groups that are left, and their reservation on the quota is
// given back. The error is for the log alone: of Release, and of what kept some groups from being sent.
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
		refund = a.Key.Refund(a.table, a.record.ReservedOn, left)
		a.record.ReservedOn = time.Time{}
	}
	a.record.Lease = time.Time{}
	return a.write(ctx, refund, "")
}

// write stores the record with the next version if the stored one is this attempt's own or meets the condition, and
// counts on the quota in the same transaction, unless count is nil. A transaction is done once even if its answer is
// lost. The caller has the lock: the writes of an attempt follow one another.
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
			return fmt.Errorf("put the record of an idempotency key: %w", err)
		}
		return nil
	}
	tx := a.table.Tx()
	if a.recorded() {
		tx.Put(a.put(condition, args...), errInUse)
	}
	tx.Update(count, errOverQuota)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("count recipients: %w", err)
	}
	return nil
}

// put is the write that stores the record as it is now, with the next version.
func (a *Attempt) put(condition string, args ...any) *dynamo.Put {
	if a.record.State != done {
		a.record.State = claimed
		if len(a.record.Groups) > 0 {
			a.record.State = sending
		}
	}
	a.record.Version++
	own := "holder = ? AND version <= ?" // not <: a write that the SDK repeats may have been done already
	if condition != "" {
		own += " OR " + condition
	}
	return a.table.Put(a.record).If(own, append([]any{a.record.Holder, a.record.Version}, args...)...)
}
