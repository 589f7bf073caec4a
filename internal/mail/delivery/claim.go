package delivery

import (
	"context"
	"crypto/rand"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/mailkey"
)

// claim claims the mail for this attempt, so that no other sends it, begins the first groups in the same write, and
// counts on the mail key's quota the recipients for whom SES was not asked yet. Nothing may be sent before. The error
// is of kind [api.Conflict] if another attempt has just claimed the mail, and of kind [api.QuotaExceeded] if the quota
// has fewer recipients left.
//
// Groups are begun before they are counted: the other way round, all requests that ask for the mail at once would
// count it. A process that dies in between leaves a mail that may have been sent, for all that is known, and that is
// not sent again.
func (m *mail) claim(ctx context.Context, first []int) error {
	_, left := m.progress.pending()
	today := mailkey.DayOf(m.start)
	counts := left > 0 && m.key.Daily > 0 && !m.record.ReservedOn.Equal(today)
	if counts && left > m.key.Daily {
		return m.overQuota(left)
	}
	if counts && m.record.Reservation == "" {
		m.record.Reservation = rand.Text()
	}
	if err := m.begin(ctx, first); err != nil || !counts {
		return err
	}
	counted, err := m.key.Reserve(ctx, m.table, today, m.record.Reservation, left)
	if counted {
		m.record.ReservedOn = today
		return nil
	}
	m.progress.forget(first)
	if err != nil {
		return err
	}
	return m.overQuota(left)
}

// overQuota is the error of a mail whose key has fewer recipients left.
func (m *mail) overQuota(left int) error {
	m.progress.failPending(&failure{
		own: true, code: api.Code(api.QuotaExceeded), reason: m.key.ShortOf(left), cause: "quota",
	})
	_, rejected := m.progress.outcome()
	return &api.Error{Kind: api.QuotaExceeded, Message: rejected.Error(), RetryAfter: mailkey.UntilNextDay(m.start)}
}
