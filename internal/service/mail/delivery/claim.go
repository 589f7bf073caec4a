package delivery

import (
	"context"
	"crypto/rand"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/mailkey"
)

// claim claims the mail for this attempt, so that no other attempt sends it. The same write begins the first groups.
// Then claim counts the recipients for whom SES was not asked yet on the mail key's daily quota. Nothing may be sent
// before it returns. The error is of kind [api.Conflict] if another attempt has just claimed the mail, and of kind
// [api.QuotaExceeded] if the quota has too few recipients left. A second claim only begins its groups.
//
// The claim is written before the recipients are counted. In the other order, requests that ask for the same mail at
// once would each count it. If the process dies between the two steps, later requests must assume that the first
// groups were sent, and do not send to them again.
func (a *attempt) claim(ctx context.Context, first []int) error {
	_, pending := a.progress.pending()
	// A record that was counted on an earlier day counts again on today's quota.
	today := mailkey.DayOf(a.start)
	counts := pending > 0 && a.key.Daily > 0 && !a.record.ReservedOn.Equal(today)
	if counts && pending > a.key.Daily {
		return a.overQuota(pending)
	}
	if counts && a.record.Reservation == "" {
		a.record.Reservation = rand.Text()
	}
	if err := a.begin(ctx, first); err != nil || !counts {
		return err
	}
	counted, err := a.key.Reserve(ctx, a.table, today, a.record.Reservation, pending)
	if counted {
		a.record.ReservedOn = today
		return nil
	}
	a.progress.reset(first)
	if err != nil {
		return err
	}
	return a.overQuota(pending)
}

// overQuota returns the error for a mail that has more recipients left than its key has on the quota.
func (a *attempt) overQuota(pending int) error {
	a.progress.failPending(&api.Error{
		Kind: api.Rejected, Code: api.Code(api.QuotaExceeded), Message: a.key.QuotaMessage(pending), Cause: "quota",
	})
	_, rejected := a.progress.outcome()
	return &api.Error{Kind: api.QuotaExceeded, Message: rejected.Error(), RetryAfter: mailkey.UntilNextDay(a.start)}
}
