package unsubscribe

import (
	"context"
	"fmt"

	"frontdesk/internal/base/address"
	"frontdesk/internal/base/table"
)

// Kinds declares unsubscribes. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{{
		Name: table.Unsubscribed(0, "", "").Kind(),
		Read: table.DecodeAs(keyOf, item.lacks),
		Revival: table.Revival{
			Ends:      table.EndsByContent(ending),
			CarryOver: func(later table.Stored) table.Ending { return carryOver(later.Content.(item)) },
			Access:    []string{"mail_key", "list", "email", "by", "at"},
		},
		Privacy: table.Privacy{
			Forget:   forget,
			Retained: "without it mails begin again: --unsubscribes takes it out, too",
		},
	}}
}

// keyOf returns the key under which a mail looks for the item.
func keyOf(_ table.Key, i item) table.Key {
	normal, _ := address.Normal(i.Email) // "" for none, which no mail is to
	return Subscription{MailKey: i.MailKey, List: i.List, Recipient: normal}.key()
}

func (i item) lacks() string {
	if i.By != ByLink && i.By != ByOperator {
		return "by"
	}
	return ""
}

// ending decides about a restored unsubscribe. If it is missing later, its recipient has come back, or it was lost.
// Both look alike, so it stays. If somebody else has made it since, such as an operator in place of a link, the later
// one wins.
func ending(_ context.Context, k table.Key, restored item, later *item, _ table.Later) (table.Ending, error) {
	switch {
	case later == nil:
		return table.Lost("unsubscribe %s", k), nil
	case later.By != restored.By:
		return carryOver(*later), nil
	}
	return table.Ending{}, nil
}

// carryOver copies the later unsubscribe: nobody who had unsubscribed gets mails again.
func carryOver(later item) table.Ending {
	return table.Ending{
		Says: "mails to " + later.Email + ", who has unsubscribed",
		End: func(ctx context.Context, t table.Table) error {
			tx := t.Tx()
			tx.Put(t.Put(later), nil)
			return tx.Run(ctx)
		},
	}
}

// forget deletes an unsubscribe if a person's unsubscribes go, too.
func forget(ctx context.Context, t table.Table, s table.Stored, p table.Person) (changed bool, err error) {
	if !p.Unsubscribes || s.Damage != "" {
		return false, nil
	}
	i := s.Content.(item)
	if normal, err := address.Normal(i.Email); err != nil || normal != p.Address {
		return false, nil
	}
	changed, err = Store{Table: t}.Remove(ctx, Subscription{MailKey: i.MailKey, List: i.List, Recipient: p.Address})
	if err != nil {
		return false, fmt.Errorf("forget who has unsubscribed: %w", err)
	}
	return changed, nil
}
