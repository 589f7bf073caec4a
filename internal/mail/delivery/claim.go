package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Claim claims a mail for this attempt, so that no other sends it, and counts on the mail key's quota the recipients
// for whom SES was not asked yet. Nothing may be sent before. The error is of kind [api.Conflict] if another attempt
// has just claimed the mail, and of kind [api.QuotaExceeded] if the quota has fewer recipients left.
func (a *Attempt) Claim(ctx context.Context) error {
	ctx, cancel := a.beforeRelease(ctx)
	defer cancel()
	return a.claim(ctx, nil)
}

// claim is Claim, and begins groups in the same write. They are begun before they are counted: the other way round, all
// requests that ask for the mail at once would count it. A process that dies in between leaves a mail that may have
// been sent, for all that is known, and that is not sent again.
func (a *Attempt) claim(ctx context.Context, first []int) error {
	_, left := a.pending()
	today := mailkey.DayOf(a.start)
	counts := left > 0 && a.Key.Daily > 0 && !a.record.ReservedOn.Equal(today)
	if counts && left > a.Key.Daily {
		return a.overQuota(left)
	}
	if err := a.writeClaim(ctx, first, counts); err != nil {
		return err
	}
	if !counts {
		return nil
	}
	counted, err := a.Key.Reserve(ctx, a.table, today, a.record.Reservation, left)
	if counted {
		a.record.ReservedOn = today
		return nil
	}
	a.mu.Lock()
	a.forget(first)
	a.mu.Unlock()
	if err != nil {
		return err
	}
	return a.overQuota(left)
}

// writeClaim writes the claim, and begins the first groups in the same write.
func (a *Attempt) writeClaim(ctx context.Context, first []int, counts bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if counts && a.record.Reservation == "" {
		a.record.Reservation = rand.Text()
	}
	return a.begin(ctx, first)
}

// overQuota is the error of a mail whose key has fewer recipients left.
func (a *Attempt) overQuota(left int) error {
	a.failPending(&failure{
		own: true, code: api.Code(api.QuotaExceeded), reason: a.Key.ShortOf(left), cause: "quota",
	})
	_, rejected := a.outcome()
	return &api.Error{Kind: api.QuotaExceeded, Message: rejected.Error(), RetryAfter: mailkey.UntilNextDay(a.start)}
}

// Release ends the attempt, given the body of its answer. If SES was asked for every group of the mail, the answer is
// final. Else the next attempt may go on at once with the groups that are left, and their reservation on the quota is
// given back. The write is repeated until the context ends. The error is for the log: of Release, and of what kept some
// groups from being sent. After one, [Attempt.Outcome] may be another: it is what later attempts will say, or
// errUnsettled where nobody knows what they will say.
func (a *Attempt) Release(ctx context.Context, answer any) error {
	return errors.Join(a.fault, a.release(ctx, answer))
}

func (a *Attempt) release(ctx context.Context, answer any) error {
	_, left := a.pending()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.claimed && !a.unanswered {
		return nil
	}
	if left == 0 && a.claimed && a.recorded() {
		body, err := api.Marshal(answer)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		a.record.State, a.record.Answer = done, string(body)
	}
	counted := a.record.ReservedOn
	if left > 0 && !counted.IsZero() {
		a.record.ReservedOn, a.record.Reservation = time.Time{}, ""
	}
	a.record.Lease = time.Time{}
	if err := a.writeLast(ctx); err != nil {
		a.unsettled = a.unanswered || errors.Is(err, errInUse) // by another attempt, which decides
		a.recall()
		return err
	}
	if left == 0 || counted.IsZero() {
		return nil
	}
	// Only now: where the record still counts them, nobody may give them back.
	return a.Key.Refund(ctx, a.table, counted, left)
}

// writeLast is write for the last time. Where no answer comes, it reads the record back: if it is there, the client can
// be told what later requests will be told. If it is not, it may still arrive.
func (a *Attempt) writeLast(ctx context.Context) error {
	writing, cancel := keep(ctx, settleWithin)
	defer cancel()
	err := a.write(writing)
	if !errors.Is(err, table.ErrUnknown) {
		return err
	}
	var stored record
	items, unread := a.table.Read(ctx, a.record.Key)
	if unread == nil {
		_, unread = items.Get(a.record.Key, &stored)
	}
	if stored.Holder == a.record.Holder && stored.Version == a.record.Version {
		return nil
	}
	return errors.Join(err, unread)
}

// recall makes the attempt know no more than what is stored, which is all that later attempts will know. The caller has
// the lock.
func (a *Attempt) recall() {
	for i := range a.groups {
		name := groupName(i)
		if stored, begun := a.stored[name]; begun {
			a.lost = a.lost || stored != a.record.Groups[name]
			a.record.Groups[name] = stored
			delete(a.failures, i)
		}
	}
}

// write stores the record, if there is one, with the next version. It replaces an older version of this attempt's own,
// and until the mail is claimed what earlier attempts have left. The caller has the lock: the writes of an attempt
// follow one another.
func (a *Attempt) write(ctx context.Context) error {
	if !a.recorded() {
		a.claimed = true
		return nil
	}
	if a.record.State != done {
		a.record.State = claimed
		if len(a.record.Groups) > 0 {
			a.record.State = sending
		}
	}
	a.record.Version++
	put := a.table.Put(a.record)
	const own = "holder = ? AND version <= ?" // not <: a write that is repeated may have been done already
	switch {
	case a.claimed:
		put.If(own, a.record.Holder, a.record.Version)
	case a.previous == nil:
		put.If(own+" OR attribute_not_exists(PK)", a.record.Holder, a.record.Version)
	default:
		put.If(own+" OR holder = ? AND version = ?",
			a.record.Holder, a.record.Version, a.previous.Holder, a.previous.Version)
	}
	err := put.Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		a.unanswered = false // no earlier version of this attempt replaces what another one has written
		return errInUse
	}
	if err != nil {
		a.unanswered = a.unanswered || errors.Is(err, table.ErrUnknown)
		return fmt.Errorf("put the record of an idempotency key: %w", err)
	}
	a.claimed, a.unanswered = true, false
	a.stored = maps.Clone(a.record.Groups)
	return nil
}
