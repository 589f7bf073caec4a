package unsubscribe

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/address"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// forgotten is the subscription after its recipient was forgotten: an alias replaces him. He stays unsubscribed.
// Without any record the mails would begin again.
func (s Subscription) forgotten(key mailkey.Key) Subscription {
	s.Recipient = key.Alias(mailkey.InUnsubscribe, s.Recipient)
	return s
}

// Forget replaces the recipient of a stored unsubscribe by an alias, if he was forgotten for the mail key. It reports
// whether he was.
func Forget(
	ctx context.Context, t table.Table, stored dynamo.Item, key mailkey.Key, isForgotten func(normal string) bool,
) (bool, error) {
	var old item
	if err := table.Decode(stored, &old); err != nil {
		return false, err
	}
	normal, err := address.Normal(old.Email)
	if err != nil || !isForgotten(normal) {
		return false, nil
	}
	of := Subscription{MailKey: old.MailKey, List: old.List, Recipient: normal}.forgotten(key)
	now := old
	now.Key, now.Email = of.key(), of.Recipient
	// The alias may be stored already. An operator's entry is kept, and then only the old item is deleted.
	for _, put := range []bool{true, false} {
		tx := t.Tx().Passing() // he may leave again, and an operator may take it back
		if put {
			condition := t.Put(now).If("attribute_not_exists(PK) OR $ = ?", "by", ByLink)
			tx.Put(condition, errKept)
		}
		tx.Delete(t.DeleteItem(old.Key).If("attribute_exists(PK)"), errGone)
		err = tx.Run(ctx)
		if err != errKept {
			break
		}
	}
	if err != nil && err != errGone {
		return false, fmt.Errorf("forget who has unsubscribed: %w", err)
	}
	return true, nil
}

// errGone means that somebody took the unsubscribe back meanwhile.
var errGone = errors.New("it is gone")
