package mailkey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

const oneDay = 24 * time.Hour

// dayItem counts the recipients of a mail key on one day. The day is in the item's key.
type dayItem struct {
	table.Key
	Recipients  int       `dynamo:"recipients"`
	Reservation string    `dynamo:"reservation"` // the name under which the last mail was counted
	ExpiresAt   time.Time `dynamo:"expires_at,unixtime"`
}

// SetDaily changes a key's quota of recipients a day; 0 is no quota. The next mail obeys it.
func (s Keys) SetDaily(ctx context.Context, key id.ID, daily int) error {
	if err := checkDaily(daily); err != nil {
		return err
	}
	tx := s.Table.Tx() // DynamoDB knows a repeated transaction, so a retry does not undo a later change
	tx.Update(s.Table.UpdateItem(table.MailKey(key)).Set("daily", daily).If("attribute_exists(PK)"), errNoKey(key))
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("set the quota of mail key %d: %w", key, err)
	}
	return nil
}

// Used returns a key, and how many recipients its quota has counted on the UTC day of a time.
func (s Keys) Used(ctx context.Context, key id.ID, at time.Time) (Key, int, error) {
	keyAt, dayAt := table.MailKey(key), table.MailDay(key, DayOf(at))
	items, err := s.Table.Read(ctx, keyAt, dayAt)
	if err != nil {
		return Key{}, 0, err
	}
	var (
		item  keyItem
		count dayItem
	)
	if found, err := items.Get(keyAt, &item); err != nil || !found {
		return Key{}, 0, cmp.Or(err, errNoKey(key))
	}
	if _, err := items.Get(dayAt, &count); err != nil {
		return Key{}, 0, err
	}
	k, err := item.key()
	return k, count.Recipients, err
}

// checkDaily checks a quota that an operator asks for.
func checkDaily(daily int) error {
	if daily < 0 {
		return errors.New("the daily quota of a mail key must not be negative; 0 is none")
	}
	return nil
}

// QuotaMessage tells the client why the quota refuses so many recipients: today too few are left, or no day has that
// many.
func (k Key) QuotaMessage(recipients int) string {
	if recipients > k.Daily {
		return fmt.Sprintf("the key's quota is %d recipients a day (UTC), and it needs %d", k.Daily, recipients)
	}
	return fmt.Sprintf("the key's quota of %d recipients a day (UTC) has fewer than %d left", k.Daily, recipients)
}

// Reserve counts recipients on a day's quota, under a name. It reports whether so many were left; if not, it counts
// nothing. The count comes before the mail is sent, so that two mails cannot share what is left for one.
//
// It is a single update, because transactions on the same item would cancel each other. If its answer is lost, the
// update is repeated, and recognizes by its name that it was done. If another mail was counted in between, it is
// counted twice: the quota is used up sooner, but never exceeded.
func (k Key) Reserve(ctx context.Context, t table.Table, day time.Time, name string, recipients int) (
	reserved bool, err error,
) {
	var found struct {
		Reservation string `dynamo:"reservation"`
	}
	written, err := t.Change(ctx, table.MailDay(k.ID, day), table.Change{
		Update: "ADD recipients :n SET reservation = :name, " + table.ExpiresAt + " = :expires",
		If:     "attribute_not_exists(recipients) OR recipients <= :most AND reservation <> :name",
		Values: map[string]any{
			":n": recipients, ":most": k.Daily - recipients, ":name": name, ":expires": expiry(day),
		},
	}, &found)
	if err != nil {
		return false, fmt.Errorf("count recipients: %w", err)
	}
	return written || found.Reservation == name, nil
}

// Refund subtracts a reservation from a day's count, whatever the quota is by now. It is a transaction: a retry after
// a lost answer subtracts once.
func (k Key) Refund(ctx context.Context, t table.Table, day time.Time, recipients int) error {
	tx := t.Tx()
	count := t.UpdateItem(table.MailDay(k.ID, day)).Add("recipients", -recipients).Set(table.ExpiresAt, expiry(day))
	tx.Update(count, nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("take back recipients: %w", err)
	}
	return nil
}

// expiry is when DynamoDB may delete a day's item, in seconds since 1970. The extra day is for mails that were counted
// shortly before midnight and are refunded after it.
func expiry(day time.Time) int64 { return day.Add(2 * oneDay).Unix() }

// DayOf returns the start of the UTC day of a time. Quotas count by such days.
func DayOf(t time.Time) time.Time { return t.UTC().Truncate(oneDay) }

// UntilNextDay returns the time from t until the next day's quotas begin.
func UntilNextDay(t time.Time) time.Duration { return DayOf(t).Add(oneDay).Sub(t) }
