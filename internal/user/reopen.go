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

// Revived returns the rules for what a restored backup brings back of users. They end again the users, addresses,
// passwords, tokens and links that had ended since the backup. Nobody knows which login links were used since, so all
// of them end.
func Revived() []reopen.Rule {
	return append(reopen.Pair("permissible link", "linked app"),
		reopen.Kind[userAccess]{Name: "user", Judge: judgeUser}.Rule(),
		reopen.Kind[ownerAccess]{Name: "e-mail owner", Keep: ownerAccess.withoutPassword}.Rule(), // for judgeUser
		reopen.Gone("agent token"), reopen.Void("unanswered login"), reopen.Void("login token"))
}

// userAccess is the part of a user's record that decides about access. The owner of the e-mail address has the rest.
type userAccess struct {
	table.Key
	ID         id.ID  `dynamo:"id"`
	Email      string `dynamo:"email"`
	Generation int64  `dynamo:"generation"`
}

// ownerAccess is what is known of the owner of an e-mail address. A table has the hash of the password, a list only a
// digest of that hash.
type ownerAccess struct {
	table.Key
	User           id.ID  `dynamo:"user"`
	Password       string `dynamo:"password,omitempty"`
	PasswordDigest []byte `dynamo:"password_digest,omitempty"`
}

// withoutPassword returns the owner as a list keeps it. Nobody can guess the password from the digest, because the hash
// has random salt, provided that the program that made it has used one.
func (o ownerAccess) withoutPassword() ownerAccess {
	o.PasswordDigest, o.Password = digestOf(o.Password), ""
	return o
}

func digestOf(hash string) []byte {
	digest := sha256.Sum256([]byte(hash))
	return digest[:]
}

// judgeUser decides about a restored user. A deletion deletes a user's record and the owner of the address together,
// then the user's other records. A change of the password, or an end of the user's tokens, raises the generation.
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
	stays := moved && !owned // the later address is lost, so the user keeps this one
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

// judgeMissing decides about a user whose record is missing later. If it was lost, other records are left, such as the
// owner of the address. The user may have changed the address since, so links and memberships count as well. If nothing
// is left, the user was deleted.
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

// unlessMoved repeats what fails with errMoved: users may take over each other's addresses at the same time.
func unlessMoved(end func(context.Context, table.Table) error) func(context.Context, table.Table) error {
	return func(ctx context.Context, t table.Table) error {
		_, err := table.Retry(ctx, errMoved, func() (struct{}, error) { return struct{}{}, end(ctx, t) })
		return err
	}
}

// owner finds the owner of a user's address, if the owner is this user.
func owner(ctx context.Context, read reopen.Read, u userAccess) (o ownerAccess, owned bool, err error) {
	found, err := reopen.Get(ctx, read, OwnerKey(u.Email), &o)
	if !found || o.User != u.ID {
		return ownerAccess{}, false, err
	}
	return o, true, nil
}

// deleteAgain deletes a user's record, and the owner of the address unless another user owns it by now.
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

// takeOver gives a user the address and the generation of later, and the password of then. A list only tells that a
// password was changed. Where the later password is unknown for this reason, or lost, the user has none, and signs in
// by a login link.
//
// A user of the restored table who has that address loses it, and gets another one in turn, or is deleted. The hash of
// that user's password is lost with it, which matters only with a list. later is zero when the later owner of the
// address is lost; then the user keeps the address if nobody else has it by now.
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

// dummyLike returns a hash that no password matches and that costs as much as another hash. So the time of a
// sign-in does not tell who has no password. It has the default cost when the other hash cannot be read, or is from
// another program.
func dummyLike(hash string) string {
	s := &Service{}
	params, _, _, err := argon2id.DecodeHash(hash)
	if err == nil && !strings.HasPrefix(hash, foreign) {
		s.HashParams = *params
	}
	return s.DummyHash()
}
