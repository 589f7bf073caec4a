package platformapp

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/base/table"
)

// Kinds declares platform apps and their grants. It is for operators.
func Kinds() []table.ItemKind {
	return []table.ItemKind{
		{
			Name:      table.App(0).Kind(),
			Read:      table.DecodeAs(func(_ table.Key, a App) table.Key { return table.App(a.ID) }, nil),
			Agreement: table.Agreement{Pairs: table.InDirectory, Missing: table.WasLost},
			Revival: table.Revival{
				Ends:   table.EndsByContent(endingOfApp),
				Access: []string{"id", "name", "digest", "login_url", "may_import_hashes", table.RevokedAt},
			},
			Privacy: table.Privacy{
				Forget:   table.ForgetIn("name"),
				Retained: "its login address has it: give the app another one",
			},
		},
		{
			Name: table.Grant(0, 0).Kind(), // ids
			Read: table.DecodeAs(func(_ table.Key, g Grant) table.Key { return table.Grant(g.App, g.Account) }, nil),
			Agreement: table.Agreement{Needs: table.FromContent(func(_ table.Key, g Grant) []table.Need {
				return []table.Need{{Record: table.App(g.App)}}
			})},
			Revival: table.Revival{Ends: table.EndsByContent(endingOfGrant), Access: []string{"app", "account"}},
		},
	}
}

// endingOfApp decides about a restored app. Apps are revoked, never deleted, so one that is missing later was lost. An
// app that has another token or login address later gets that one: its first token has ended, and links must not lead
// to an address that may belong to somebody else by now. An app that may no longer import hashes loses the permission
// again.
func endingOfApp(_ context.Context, _ table.Key, a App, later *App, _ table.Later) (table.Ending, error) {
	name := fmt.Sprintf("platform app %d (%s)", a.ID, a.Name)
	switch {
	case later == nil:
		return table.Lost("%s", name), nil
	case !a.RevokedAt.IsZero():
		return table.Ending{}, nil
	case !later.RevokedAt.IsZero():
		return table.Ending{Says: name + " was revoked", End: func(ctx context.Context, t table.Table) error {
			_, err := Store{Table: t}.revoke(ctx, a.ID, later.RevokedAt)
			return err
		}}, nil
	}
	var says []string
	if !bytes.Equal(a.Digest, later.Digest) {
		says = append(says, "the token that it had before another one")
	}
	if a.LoginURL != later.LoginURL {
		says = append(says, "the login address that it had before")
	}
	if a.MayImportHashes && !later.MayImportHashes {
		says = append(says, "the permission to import hashes of passwords")
	}
	if len(says) == 0 {
		return table.Ending{}, nil
	}
	return table.Ending{
		Says: name + ": " + strings.Join(says, "; "),
		End:  func(ctx context.Context, t table.Table) error { return takeOver(ctx, t, a, *later) },
	}, nil
}

// takeOver gives an app the token and the login address that it has later, and takes the leave to import hashes if it
// has none later.
func takeOver(ctx context.Context, t table.Table, a, later App) error {
	u := t.UpdateItem(table.App(a.ID)).If("attribute_exists(PK)").Set("digest", later.Digest)
	writeLoginURL(u, later.LoginURL)
	writeMayImportHashes(u, a.MayImportHashes && later.MayImportHashes)
	tx := t.Tx()
	tx.Update(u, errGone(a.ID))
	return tx.Run(ctx)
}

// endingOfGrant decides about a restored grant. A grant that ends is deleted, so one that is missing later has ended.
func endingOfGrant(_ context.Context, _ table.Key, g Grant, later *Grant, _ table.Later) (table.Ending, error) {
	if later != nil {
		return table.Ending{}, nil
	}
	return table.Ending{
		Says: fmt.Sprintf("grant of account %d to platform app %d", g.Account, g.App),
		End: func(ctx context.Context, t table.Table) error {
			tx := t.Tx()
			endGrant(tx, g.App, g.Account)
			return tx.Run(ctx)
		},
	}, nil
}
