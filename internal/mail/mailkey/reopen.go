package mailkey

import (
	"context"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"
)

// Revived are the rules by which mail keys end again that a restore has revived.
func Revived() []reopen.Rule {
	return []reopen.Rule{reopen.Kind[keyAccess]{Name: "mail key", Judge: judgeKey}.Rule()}
}

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
