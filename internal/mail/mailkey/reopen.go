package mailkey

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"
)

// Revived returns the rules for a table that was restored from a backup. Mail keys that were revoked since are revoked
// again, and forgotten people are recorded again. Package person then deletes what the table has of these people.
func Revived() []reopen.Rule {
	return []reopen.Rule{
		reopen.Kind[keyAccess]{Name: "mail key", Judge: judgeKey}.Rule(),
		reopen.Kind[Forgotten]{Name: "forgotten person", Judge: judgeForgotten, Carry: carryForgotten}.Rule(),
	}
}

// judgeForgotten decides about a restored record of a forgotten person. A later Until wins: the person was forgotten
// again since the backup.
func judgeForgotten(_ context.Context, i reopen.Item[Forgotten]) (reopen.Ending, error) {
	if i.Later == nil || !i.Later.Until.After(i.Restored.Until) {
		return reopen.Ending{}, nil
	}
	return carryForgotten(*i.Later), nil
}

// carryForgotten copies the later record of a forgotten person. If the restored table lacks the mail key, it does
// nothing: then it has no mails of that key either.
func carryForgotten(later Forgotten) reopen.Ending {
	return reopen.Ending{
		Says: "what is known of a person who was forgotten",
		End: func(ctx context.Context, t table.Table) error {
			tx := t.Tx()
			tx.Put(t.Put(later), nil)
			key := table.Key{PK: later.PK, SK: table.MailKey(0).SK}
			tx.Update(t.UpdateItem(key).Set("forgets", true).If("attribute_exists(PK)"), errNoSuchKey)
			err := tx.Run(ctx)
			if errors.Is(err, errNoSuchKey) {
				return nil
			}
			return err
		},
	}
}

var errNoSuchKey = errors.New("there is no such mail key")

// keyAccess is the part of a mail key's record that decides about access.
type keyAccess struct {
	table.Key
	ID        id.ID     `dynamo:"id"`
	Name      string    `dynamo:"name"`
	RevokedAt time.Time `dynamo:"revoked_at,omitempty"`
}

// judgeKey decides about a restored mail key. Keys are revoked and never deleted, so a key that is missing later
// was lost.
func judgeKey(_ context.Context, i reopen.Item[keyAccess]) (reopen.Ending, error) {
	k := i.Restored
	switch {
	case i.Later == nil:
		return reopen.Lost("mail key %d (%s)", k.ID, k.Name), nil
	case k.RevokedAt.IsZero() && !i.Later.RevokedAt.IsZero():
		return reopen.Revoked(i.Key, i.Later.RevokedAt, "mail key %d (%s)", k.ID, k.Name), nil
	}
	return reopen.Ending{}, nil
}
