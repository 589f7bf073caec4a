package mailkey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const oneDay = 24 * time.Hour

// dayItem counts the recipients of a mail key with a quota on one day, which is in the item's key.
type dayItem struct {
	table.Key
	Recipients  int       `dynamo:"recipients"`
	Reservation string    `dynamo:"reservation"` // the name of the last one
	ExpiresAt   time.Time `dynamo:"expires_at,unixtime"`
}

// SetDaily gives a key another quota of recipients a day, 0 for none. It counts from the next mail.
func (s Keys) SetDaily(ctx context.Context, key id.ID, daily int) error {
	if err := checkDaily(daily); err != nil {
		return err
	}
	tx := s.Table.Tx() // its repetitions do not undo a later change
	tx.Update(s.Table.UpdateItem(table.MailKey(key)).Set("daily", daily).If("attribute_exists(PK)"), errNoKey(key))
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("set the quota of mail key %d: %w", key, err)
	}
	return nil
}

// Used finds a key, and how many recipients are counted for it on the day, in UTC, of a time.
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

func checkDaily(daily int) error {
	if daily < 0 {
		return errors.New("the daily quota of a mail key must not be negative; 0 is none")
	}
	return nil
}

// ShortOf says in words for a mail's sender that the quota has fewer recipients left, or never has so many.
func (k Key) ShortOf(recipients int) string {
	if recipients > k.Daily {
		return fmt.Sprintf("the key's quota is %d recipients a day (UTC), and it needs %d", k.Daily, recipients)
	}
	return fmt.Sprintf("the key's quota of %d recipients a day (UTC) has fewer than %d left", k.Daily, recipients)
}

// Reserve counts recipients on a day's quota, under a name, and reports whether it had so many left; else nothing is
// counted. They are reserved before a mail is sent, so that no two mails share what is left for one.
//
// It is a single update, because transactions on a day's item would keep each other out. An update whose answer was
// lost is repeated, and finds by its name that it was done. If another mail was counted in between, it is done twice:
// the quota is used up sooner, and never passed.
func (k Key) Reserve(ctx context.Context, t table.Table, day time.Time, name string, recipients int) (
	reserved bool, err error,
) {
	number := func(n int64) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
	}
	var found struct {
		Reservation string `dynamo:"reservation"`
	}
	written, err := t.Change(ctx, table.MailDay(k.ID, day), table.Change{
		Update: "ADD recipients :n SET reservation = :name, " + table.ExpiresAt + " = :expires",
		If:     "attribute_not_exists(recipients) OR recipients <= :most AND reservation <> :name",
		Values: map[string]types.AttributeValue{
			":n": number(int64(recipients)), ":most": number(int64(k.Daily - recipients)),
			":name": &types.AttributeValueMemberS{Value: name}, ":expires": number(expiry(day)),
		},
	}, &found)
	if err != nil {
		return false, fmt.Errorf("count recipients: %w", err)
	}
	return written || found.Reservation == name, nil
}

// Refund gives back what was reserved on a day's quota, whatever the quota is by now: once, even if an answer is lost.
func (k Key) Refund(ctx context.Context, t table.Table, day time.Time, recipients int) error {
	tx := t.Tx()
	count := t.UpdateItem(table.MailDay(k.ID, day)).Add("recipients", -recipients).Set(table.ExpiresAt, expiry(day))
	tx.Update(count, nil)
	if err := tx.Run(ctx); err != nil {
		return fmt.Errorf("take back recipients: %w", err)
	}
	return nil
}

// expiry is when a day's item may be deleted, in seconds since 1970.
func expiry(day time.Time) int64 { return day.Add(2 * oneDay).Unix() }

// DayOf is the beginning of the day of a time, in UTC, for which quotas are.
func DayOf(t time.Time) time.Time { return t.UTC().Truncate(oneDay) }

// UntilNextDay is the time from t until the quotas of the next day begin.
func UntilNextDay(t time.Time) time.Duration { return DayOf(t).Add(oneDay).Sub(t) }
