package platformapp

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Revived returns the rules for what a restored backup brings back of apps. They end again the apps, tokens and grants
// that had ended since the backup.
func Revived() []reopen.Rule {
	return []reopen.Rule{
		reopen.Kind[appAccess]{Name: "platform app", Judge: judgeApp}.Rule(),
		reopen.Kind[grantAccess]{Name: "grant", Judge: judgeGrant}.Rule(),
	}
}

// appAccess is the part of an app's record that decides about access.
type appAccess struct {
	table.Key
	ID              id.ID     `dynamo:"id"`
	Name            string    `dynamo:"name"`
	Digest          []byte    `dynamo:"digest"`
	LoginURL        string    `dynamo:"login_url,omitempty"`
	MayImportHashes bool      `dynamo:"may_import_hashes,omitempty"`
	RevokedAt       time.Time `dynamo:"revoked_at,omitempty"`
}

// judgeApp decides about a restored app. Apps are revoked, never deleted, so one that is missing later was lost. An app
// that has another token or login address later gets that one: its first token has ended, and links must not lead to an
// address that may belong to somebody else by now. An app that may no longer import hashes loses the permission again.
func judgeApp(_ context.Context, i reopen.Item[appAccess]) (reopen.Ending, error) {
	a := i.Restored
	switch {
	case i.Later == nil:
		return reopen.Lost("platform app %d (%s)", a.ID, a.Name), nil
	case !a.RevokedAt.IsZero():
		return reopen.Ending{}, nil
	case !i.Later.RevokedAt.IsZero():
		return reopen.Revoked(i.Key, i.Later.RevokedAt, "platform app %d (%s)", a.ID, a.Name), nil
	}
	var says []string
	if !bytes.Equal(a.Digest, i.Later.Digest) {
		says = append(says, "the token that it had before another one")
	}
	if a.LoginURL != i.Later.LoginURL {
		says = append(says, "the login address that it had before")
	}
	if a.MayImportHashes && !i.Later.MayImportHashes {
		says = append(says, "the permission to import hashes of passwords")
	}
	if len(says) == 0 {
		return reopen.Ending{}, nil
	}
	return reopen.Update(i.Key, func(u *dynamo.Update) {
		u.Set("digest", i.Later.Digest)
		writeLoginURL(u, i.Later.LoginURL)
		writeMayImportHashes(u, a.MayImportHashes && i.Later.MayImportHashes)
	}, "platform app %d (%s): %s", a.ID, a.Name, strings.Join(says, "; ")), nil
}

// grantAccess is what a grant says.
type grantAccess struct {
	table.Key
	App     id.ID `dynamo:"app"`
	Account id.ID `dynamo:"account"`
}

// judgeGrant decides about a restored grant. A grant that ends is deleted, so one that is missing later has ended.
func judgeGrant(_ context.Context, i reopen.Item[grantAccess]) (reopen.Ending, error) {
	if i.Later != nil {
		return reopen.Ending{}, nil
	}
	return reopen.Ending{
		Says: fmt.Sprintf("grant of account %d to platform app %d", i.Restored.Account, i.Restored.App),
		End: func(ctx context.Context, t table.Table) error {
			tx := t.Tx()
			tx.Delete(t.DeleteItem(i.Key), nil)
			return tx.Run(ctx)
		},
	}, nil
}
