package mailkey

import (
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/base/table"

	"github.com/guregu/dynamo/v2"
)

// Kinds declares mail keys, and what their quotas count. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{
		{
			Name: table.MailKey(0).Kind(),
			Read: table.DecodeAs(func(_ table.Key, i keyItem) table.Key {
				return table.MailKey(i.ID)
			}, keyItem.lacks),
			Agreement: table.Agreement{Pairs: table.InDirectory, Missing: table.WasLost},
			Revival: table.Revival{
				Ends: table.EndsByContent(ending), Access: []string{"id", "name", table.RevokedAt},
			},
			Privacy: table.Privacy{
				Forget:   forget,
				Retained: "the key sends as it, or is redirected to it: revoke the key",
			},
		},
		{
			Name: table.MailDay(0, time.Time{}).Kind(), // numbers, and random names
			Read: table.DecodeAs[dayItem](nil, nil),
		},
	}
}

// lacks names what a key must have to send. A damaged redirect would write to customers.
func (i keyItem) lacks() string {
	if _, err := i.redirect(); err != nil {
		return "good redirect"
	}
	return ""
}

// ending decides about a restored mail key. Keys are revoked and never deleted, so a key that is missing later
// was lost.
func ending(_ context.Context, _ table.Key, k keyItem, later *keyItem, _ table.Later) (table.Ending, error) {
	switch {
	case later == nil:
		return table.Lost("mail key %d (%s)", k.ID, k.Name), nil
	case k.RevokedAt.IsZero() && !later.RevokedAt.IsZero():
		return table.Ending{
			Says: fmt.Sprintf("mail key %d (%s) was revoked", k.ID, k.Name),
			End: func(ctx context.Context, t table.Table) error {
				_, err := Keys{Table: t}.revoke(ctx, k.ID, later.RevokedAt)
				return err
			},
		}, nil
	}
	return table.Ending{}, nil
}

// forget takes an address out of the name of a mail key, and out of the settings of a revoked one: its senders and its
// redirect. A valid key keeps them, because without its redirect it would write to everybody.
func forget(ctx context.Context, t table.Table, s table.Stored, p table.Person) (changed bool, err error) {
	changed, err = table.ForgetIn("name")(ctx, t, s, p)
	if err != nil || s.Damage != "" {
		return changed, err
	}
	stored := s.Content.(keyItem)
	mentioned := p.NamedIn(stored.Sender) || p.NamedIn(stored.Redirect) || slices.ContainsFunc(stored.From, p.NamedIn)
	if !mentioned || stored.RevokedAt.IsZero() {
		return changed, nil
	}
	update := t.UpdateItem(stored.Key).Set("from", slices.DeleteFunc(stored.From, p.NamedIn)).If("attribute_exists(PK)")
	if p.NamedIn(stored.Sender) {
		update.Remove("sender")
	}
	if p.NamedIn(stored.Redirect) { // a revoked key sends nothing, so it needs none
		update.Remove("redirect", "redirect_allow")
	}
	if err := update.Run(ctx); err != nil && !dynamo.IsCondCheckFailed(err) {
		return changed, fmt.Errorf("forget in mail key %d: %w", stored.ID, err)
	}
	return true, nil
}
