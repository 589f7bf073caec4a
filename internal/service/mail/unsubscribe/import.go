package unsubscribe

// This file is for operators: no endpoint calls it.

import (
	"context"
	"time"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// Imported is an unsubscribe from an import. Its mail key must exist.
type Imported struct {
	MailKey id.ID
	List    string // "" for mails that name none
	Email   string
	By      By        // "" for an operator
	At      time.Time // zero for now
}

// Check returns the subscription to end. One error names every rule that is broken.
func (i Imported) Check() (Subscription, error) {
	var f api.Faults
	normal, err := address.Normal(i.Email)
	f.Check("email", err)
	if i.List != "" {
		f.Check("list", CheckList(i.List))
	}
	if i.By != "" && i.By != ByLink && i.By != ByOperator {
		f.AddTo("by", "must be link or operator")
	}
	return Subscription{MailKey: i.MailKey, List: i.List, Recipient: normal}, f.Err()
}

// Key is the key of its item.
func (s Subscription) Key() table.Key { return s.key() }

// Replaces reports whether the unsubscribe may be stored where somebody has made one, "" for nobody: only an operator's
// replaces another, and only what a link has made.
func (i Imported) Replaces(by By) bool { return by == "" || by == ByLink && i.By == ByOperator }

// Import stores an unsubscribe if it [Imported.Replaces] what is there. The caller has read who made that. Import
// returns who had made what it met in the end, and whether it has stored this one.
func (s Store) Import(ctx context.Context, i Imported, read By) (before By, stored bool, err error) {
	sub, err := i.Check()
	if err != nil {
		return "", false, err
	}
	by := i.By
	if by == "" {
		by = ByOperator
	}
	if i.At.IsZero() {
		i.At = time.Now()
	}
	for before = read; i.Replaces(before); {
		stored, err = s.put(ctx, sub, by, i.At, before == ByLink)
		if err != nil || stored {
			return before, stored, err
		}
		items, err := s.Table.Read(ctx, sub.key())
		if err != nil {
			return "", false, err
		}
		var there item // the zero item if it is gone again
		if _, err := items.Get(sub.key(), &there); err != nil {
			return "", false, err
		}
		before = there.By
	}
	return before, false, nil
}
