package unsubscribe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/address"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Imported is an unsubscribe from an import. Its mail key must exist.
type Imported struct {
	MailKey id.ID
	List    string // "" for mails that name none
	Email   string
	By      By        // "" for an operator
	At      time.Time // zero for now
}

// Check returns the subscription to end, or the first rule that a field breaks.
func (i Imported) Check() (Subscription, error) {
	normal, err := address.Normal(i.Email)
	if err != nil {
		return Subscription{}, fmt.Errorf("email %w", err)
	}
	if i.List != "" {
		if err := CheckList(i.List); err != nil {
			return Subscription{}, fmt.Errorf("list %w", err)
		}
	}
	if i.By != "" && i.By != ByLink && i.By != ByOperator {
		return Subscription{}, errors.New("by must be link or operator")
	}
	return Subscription{MailKey: i.MailKey, List: i.List, Recipient: normal}, nil
}

// Key is the key of its item.
func (s Subscription) Key() table.Key { return s.key() }

// Find returns who made the unsubscribe of a subscription, among items that were read; "" if there is none.
func Find(items table.Items, s Subscription) (By, error) {
	var i item
	_, err := items.Get(s.key(), &i)
	return i.By, err
}

// Import stores an unsubscribe. It keeps an existing one and reports false. With update, an operator's replaces what a
// link has made; nothing replaces what an operator has made.
func (s Store) Import(ctx context.Context, i Imported, update bool) (stored bool, err error) {
	of, err := i.Check()
	if err != nil {
		return false, err
	}
	if i.By == "" {
		i.By = ByOperator
	}
	if i.At.IsZero() {
		i.At = time.Now()
	}
	return s.put(ctx, of, i.By, i.At, update && i.By == ByOperator)
}
