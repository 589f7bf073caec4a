package mail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

const day = 24 * time.Hour

// dayItem counts the recipients that a mail key with a quota has sent to on one day, which is in its key.
type dayItem struct {
	table.Key
	Recipients int       `dynamo:"recipients"`
	ExpiresAt  time.Time `dynamo:"expires_at,unixtime"`
}

// SetDaily gives a key another quota of recipients a day, 0 for none. It counts from the next mail.
func (s Keys) SetDaily(ctx context.Context, key id.ID, daily int) (Key, error) {
	if err := checkDaily(daily); err != nil {
		return Key{}, err
	}
	var item keyItem
	k := table.MailKey(key)
	err := s.Table.Update("PK", k.PK).Range("SK", k.SK).Set("daily", daily).If("attribute_exists(PK)").Value(ctx, &item)
	if dynamo.IsCondCheckFailed(err) {
		return Key{}, errNoKey(key)
	}
	if err != nil {
		return Key{}, fmt.Errorf("set the quota of mail key %d: %w", key, err)
	}
	return item.key()
}

func checkDaily(daily int) error {
	if daily < 0 {
		return errors.New("the daily quota of a mail key must not be negative; 0 is none")
	}
	return nil
}

// charge counts the recipients that a run has left on the key's day, in UTC, unless they are more than its quota has left: an error of
// code [api.RateLimited]. They are counted before the mail is sent, so that no two mails share what is left for
// one. A write whose answer was lost is repeated, and may count twice: the quota is never exceeded.
func (s Keys) charge(ctx context.Context, key Key, r *run) error {
	if key.Daily == 0 {
		return nil
	}
	_, recipients := r.pending()
	now := r.start
	today := now.UTC().Truncate(day)
	over := &api.Error{
		Code:       api.RateLimited,
		Message:    fmt.Sprintf("the mail was not sent: it needs %d of the key's quota of %d recipients a day (UTC), which has fewer left", recipients, key.Daily),
		RetryAfter: today.Add(day).Sub(now),
	}
	if recipients > key.Daily {
		return over
	}
	err := s.count(key, recipients, today).
		If("attribute_not_exists(recipients) OR recipients <= ?", key.Daily-recipients).
		Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return over
	}
	if err != nil {
		return fmt.Errorf("count recipients: %w", table.Single(err))
	}
	r.charged = true
	return nil
}

// refund takes back what a run was charged for recipients to whom the mail was certainly not sent. It is a
// transaction for its client token: taken back twice, the quota would have more than it is.
func (s Keys) refund(ctx context.Context, key Key, r *run) error {
	_, left := r.pending()
	if key.Daily == 0 || !r.charged || left == 0 {
		return nil
	}
	tx := s.Table.Tx()
	tx.Update(s.count(key, -left, r.start.UTC().Truncate(day)), nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("take back recipients: %w", err)
	}
	return nil
}

// count adds to the recipients of a day.
func (s Keys) count(key Key, recipients int, today time.Time) *dynamo.Update {
	k := table.MailDay(key.ID, today)
	return s.Table.Update("PK", k.PK).Range("SK", k.SK).
		Add("recipients", recipients).
		Set(table.ExpiresAt, today.Add(2*day).Unix())
}
