package unsubscribe

import (
	"context"

	"frontdesk/internal/reopen"
	"frontdesk/internal/table"
)

// Revived returns the rules for a table that was restored from a backup: nobody who had unsubscribed gets mails again.
// If an unsubscribe is missing later, its recipient has come back, or it was lost. Both look alike, so it stays.
func Revived() []reopen.Rule {
	return []reopen.Rule{reopen.Kind[item]{Name: "unsubscribe", Judge: judge, Carry: carry}.Rule()}
}

// judge decides about a restored unsubscribe. If somebody else has made it since, such as an operator in place of a
// link, the later one wins.
func judge(_ context.Context, i reopen.Item[item]) (reopen.Ending, error) {
	switch {
	case i.Later == nil:
		return reopen.Lost("unsubscribe %s", i.Key), nil
	case i.Later.By != i.Restored.By:
		return carry(*i.Later), nil
	}
	return reopen.Ending{}, nil
}

// carry copies the later unsubscribe.
func carry(later item) reopen.Ending {
	return reopen.Ending{
		Says: "mails to " + later.Email + ", who has unsubscribed",
		End: func(ctx context.Context, t table.Table) error {
			tx := t.Tx()
			tx.Put(t.Put(later), nil)
			return tx.Run(ctx)
		},
	}
}
