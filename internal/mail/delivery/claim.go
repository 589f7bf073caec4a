package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
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
	if !a.writer.claimed && !a.writer.unanswered {
		return nil
	}
	if left == 0 && a.writer.claimed && a.recorded() {
		body, err := api.Marshal(answer)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		a.record.Answer = string(body)
	}
	counted := a.record.ReservedOn
	if left > 0 && !counted.IsZero() {
		a.record.ReservedOn, a.record.Reservation = time.Time{}, ""
	}
	a.record.Lease = time.Time{}
	if err := a.writer.writeLast(ctx, a.record); err != nil {
		a.unsettled = a.writer.unanswered || errors.Is(err, errInUse) // by another attempt, which decides
		a.recall()
		return err
	}
	if left == 0 || counted.IsZero() {
		return nil
	}
	// Only now: where the record still counts them, nobody may give them back.
	return a.Key.Refund(ctx, a.table, counted, left)
}

// recall makes the attempt know no more than what is stored, which is all that later attempts will know. The caller has
// the lock.
func (a *Attempt) recall() {
	for i := range a.groups {
		name := groupName(i)
		if stored, begun := a.writer.stored[name]; begun {
			a.lost = a.lost || stored != a.record.Groups[name]
			a.record.Groups[name] = stored
			delete(a.failures, i)
		}
	}
}
