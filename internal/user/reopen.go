package user

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/reopen"
	"frontdesk/internal/table"

	"github.com/alexedwards/argon2id"
)

// Revived are the rules by which users end again that a restore has revived, and their addresses, passwords, tokens and
// links. Nobody knows which login links were used: all of them end.
func Revived() []reopen.Rule {
	return append(reopen.Pair("permissible link", "linked app"),
		reopen.Kind[userAccess]{Name: "user", Judge: judgeUser}.Rule(),
		reopen.Kind[ownerAccess]{Name: "e-mail owner", Keep: ownerAccess.withoutPassword}.Rule(), // for judgeUser
		reopen.Gone("agent token"), reopen.Void("unanswered login"), reopen.Void("login token"))
}

// userAccess is what a user's access hangs on, beside the owner of the e-mail address.
type userAccess struct {
	table.Key
	ID         id.ID  `dynamo:"id"`
	Email      string `dynamo:"email"`
	Generation int64  `dynamo:"generation"`
}

// ownerAccess is what is known of the owner of an e-mail address: by a table the hash of the password, by a list a
// digest of that hash.
type ownerAccess struct {
	table.Key
	User           id.ID  `dynamo:"user"`
	Password       string `dynamo:"password,omitempty"`
	PasswordDigest []byte `dynamo:"password_digest,omitempty"`
}

// withoutPassword is the owner for a list, from which nobody can guess at the password: its hash has random salt, if
// the program that made it has given it one.
func (o ownerAccess) withoutPassword() ownerAccess {
	o.PasswordDigest, o.Password = digestOf(o.Password), ""
	return o
}

func digestOf(hash string) []byte {
	digest := sha256.Sum256([]byte(hash))
	return digest[:]
}

// judgeUser: a deletion deletes a user's record and the owner of the address together, then all else of the user.
// Another password raises the generation, and so does whoever ends the user's tokens.
func judgeUser(ctx context.Context, i reopen.Item[userAccess]) (reopen.Ending, error) {
	u := i.Restored
	name := fmt.Sprintf("user %d (%s)", u.ID, u.Email)
	if i.Later == nil {
		return judgeMissing(ctx, i.From, u, name)
	}
	moved, ended := OwnerKey(i.Later.Email) != OwnerKey(u.Email), i.Later.Generation > u.Generation
	if !moved && !ended {
		return reopen.Ending{}, nil
	}
	after := *i.Later
	later, owned, err := owner(ctx, i.From.Read, after)
	stays := moved && !owned // nobody knows the address that the user has later
	if err == nil && stays {
		after.Email = u.Email
		later, owned, err = owner(ctx, i.From.Read, after)
	}
	if err != nil {
		return reopen.Ending{}, err
	}
	var says []string
	if ended && owned {
		says = append(says, "its tokens, and the password if it was changed")
	} else if ended {
		says = append(says, "its tokens, and the password, as the one of then is lost")
	}
	switch {
	case stays && !ended:
		return reopen.Ending{Says: name + " has another address since, which is lost or damaged: this one stays, " +
			"unless another user has it since; give it the right one by hand"}, nil
	case stays:
		says = append(says, "not the address, though it has another one, which is lost or damaged")
	case moved:
		says = append(says, "the address, as it has another one")
	}
	return reopen.Ending{
		Says: name + ": " + strings.Join(says, "; "),
		End: unlessMoved(func(ctx context.Context, t table.Table) error {
			return takeOver(ctx, t, u, after, later)
		}),
	}, nil
}

// judgeMissing: of a user whose record alone is lost there is something else, such as the owner of the address. The
// user may have another address since, so links and memberships tell as well.
func judgeMissing(ctx context.Context, from reopen.Source, u userAccess, name string) (reopen.Ending, error) {
	_, lost, err := owner(ctx, from.Read, u)
	for _, k := range []table.Key{table.LinkedApp(u.ID, 0), table.Portal{}.Membership(u.ID)} {
		if err == nil && !lost {
			lost, err = from.Has(ctx, k.PK)
		}
	}
	switch {
	case err != nil:
		return reopen.Ending{}, err
	case lost:
		return reopen.Lost("the record of %s", name), nil
	}
	return reopen.Ending{
		Says: name + " was deleted",
		End:  unlessMoved(func(ctx context.Context, t table.Table) error { return deleteAgain(ctx, t, u) }),
	}, nil
}

// unlessMoved repeats what fails with errMoved: users may get each other's addresses at the same time.
func unlessMoved(end func(context.Context, table.Table) error) func(context.Context, table.Table) error {
	return func(ctx context.Context, t table.Table) error {
		_, err := table.Retry(ctx, errMoved, func() (struct{}, error) { return struct{}{}, end(ctx, t) })
		return err
	}
}

// owner finds the owner of a user's address, if that is the user.
func owner(ctx context.Context, read reopen.Read, u userAccess) (o ownerAccess, owned bool, err error) {
	found, err := reopen.Get(ctx, read, OwnerKey(u.Email), &o)
	if !found || o.User != u.ID {
		return ownerAccess{}, false, err
	}
	return o, true, nil
}

// deleteAgain deletes a user's record, and the owner of the address unless that is another user by now.
func deleteAgain(ctx context.Context, t table.Table, u userAccess) error {
	_, owned, err := owner(ctx, t.Read, u)
	if err != nil {
		return err
	}
	tx := t.Tx()
	tx.Delete(t.DeleteItem(u.Key), nil)
	if owned {
		tx.Delete(t.DeleteItem(OwnerKey(u.Email)).If("'user' = ?", u.ID), errMoved)
	}
	return tx.Run(ctx)
}

// takeOver gives a user the address and the generation that it has later, and the password of then; where that is lost,
// or a list tells of it no more than that it is another one, the user has none, and signs in by a login link. A user of
// the restored table who has that address loses it, and gets another one in turn, or is deleted. The hash of that
// user's password is lost with it, which matters with a list alone. Where the owner of the address is lost later, which
// the zero later says, the user keeps the address if nobody else has it by now.
func takeOver(ctx context.Context, t table.Table, u, after userAccess, later ownerAccess) error {
	before, owned, err := owner(ctx, t.Read, u)
	if err != nil {
		return err
	}
	password := later.Password
	if password == "" && bytes.Equal(digestOf(before.Password), later.PasswordDigest) {
		password = before.Password
	}
	generation := max(u.Generation, after.Generation)
	from, to := OwnerKey(u.Email), OwnerKey(after.Email)
	tx := t.Tx()
	change := t.UpdateItem(u.Key).Set("generation", generation)
	if from != to {
		change.Set("email", after.Email).Set("updated_at", time.Now().UTC().Truncate(time.Millisecond))
		if owned {
			tx.Delete(t.DeleteItem(from).If("'user' = ?", u.ID), errMoved)
		}
	}
	tx.Update(change.If("email = ? AND generation = ?", u.Email, u.Generation), errMoved)
	put := t.Put(Owner{
		Key: to, User: u.ID, Password: cmp.Or(password, dummyLike(before.Password)), Generation: generation,
	})
	if later.User == u.ID {
		tx.Put(put, nil)
	} else if owned {
		tx.Put(put.If("'user' = ?", u.ID), errMoved)
	}
	return tx.Run(ctx)
}

// dummyLike is the hash of no password, and costs what another hash does: the time of a sign-in does not tell who has
// no password. The default cost is for a hash that cannot be read, and for one of another program.
func dummyLike(hash string) string {
	s := &Service{}
	params, _, _, err := argon2id.DecodeHash(hash)
	if err == nil && !strings.HasPrefix(hash, foreign) {
		s.HashParams = *params
	}
	return s.DummyHash()
}
