package mailkey

import (
	"context"
	"errors"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"
)

// Revived are the rules by which mail keys end again that a restore has revived, and by which it is noted again who was
// forgotten. What the table has of those is for package person to take out of it.
func Revived() []reopen.Rule {
	return []reopen.Rule{
		reopen.Kind[keyAccess]{Name: "mail key", Judge: judgeKey}.Rule(),
		reopen.Kind[Forgotten]{Name: "forgotten person", Judge: judgeForgotten, Carry: carryForgotten}.Rule(),
	}
}

func judgeForgotten(_ context.Context, i reopen.Item[Forgotten]) (reopen.Ending, error) {
	if i.Later == nil || !i.Later.Until.After(i.Restored.Until) {
		return reopen.Ending{}, nil
	}
	return carryForgotten(*i.Later), nil
}

// carryForgotten notes that a person was forgotten as it is noted later. A mail key that was made since has no mails in
// the restored table.
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

// keyAccess is what a mail key's access hangs on.
type keyAccess struct {
	table.Key
	ID        id.ID     `dynamo:"id"`
	Name      string    `dynamo:"name"`
	RevokedAt time.Time `dynamo:"revoked_at,omitempty"`
}

// judgeKey: a key is revoked, and never deleted.
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
