package user

// This file is for operators: no endpoint calls it.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/base/table"

	"github.com/alexedwards/argon2id"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// endingOfUser decides about a restored user. A deletion deletes a user's record and the owner of the address together,
// then the user's other records. A change of the password, or an end of the user's tokens, raises the generation.
func endingOfUser(ctx context.Context, _ table.Key, u User, at *User, from table.Later) (table.Ending, error) {
	name := fmt.Sprintf("user %d (%s)", u.ID, u.Email)
	if at == nil {
		return endingOfMissing(ctx, from, u, name)
	}
	moved, ended := OwnerKey(at.Email) != OwnerKey(u.Email), at.Generation > u.Generation
	if !moved && !ended {
		return table.Ending{}, nil
	}
	after := *at
	later, owned, err := ownerOf(ctx, from, after)
	stays := moved && !owned // the later address is lost, so the user keeps this one
	if err == nil && stays {
		after.Email = u.Email
		later, owned, err = ownerOf(ctx, from, after)
	}
	if err != nil {
		return table.Ending{}, err
	}
	var says []string
	if ended && owned {
		says = append(says, "its tokens, and the password if it was changed")
	} else if ended {
		says = append(says, "its tokens, and the password, as the one of then is lost")
	}
	switch {
	case stays && !ended:
		return table.Ending{Says: name + " has another address since, which is lost or damaged: this one stays, " +
			"unless another user has it since; give it the right one by hand"}, nil
	case stays:
		says = append(says, "not the address, though it has another one, which is lost or damaged")
	case moved:
		says = append(says, "the address, as it has another one")
	}
	return table.Ending{
		Says: name + ": " + strings.Join(says, "; "),
		End: unlessMoved(func(ctx context.Context, t table.Table) error {
			return takeOver(ctx, t, u, after, later)
		}),
	}, nil
}

// endingOfMissing decides about a user whose record is missing later. If it was lost, other records are left, such as
// the owner of the address. The user may have changed the address since, so links and memberships count as well. If
// nothing is left, the user was deleted.
func endingOfMissing(ctx context.Context, from table.Later, u User, name string) (table.Ending, error) {
	_, lost, err := ownerOf(ctx, from, u)
	for _, k := range []table.Key{table.LinkedApp(u.ID, 0), table.Portal{}.Membership(u.ID)} {
		if err == nil && !lost {
			lost, err = from.Has(ctx, k.PK)
		}
	}
	switch {
	case err != nil:
		return table.Ending{}, err
	case lost:
		return table.Lost("the record of %s", name), nil
	}
	return table.Ending{
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

// listedOwner is an owner as a table or a list has it. A list has a digest of the hash in place of the hash.
type listedOwner struct {
	Owner
	Digest []byte `dynamo:"password_digest,omitempty"`
}

// concealPassword replaces the hash of a password by a digest of it. Nobody can guess the password from the digest,
// because the hash has random salt, provided that the program that made it has used one.
func concealPassword(item dynamo.Item) dynamo.Item {
	if hash, ok := item["password"].(*types.AttributeValueMemberS); ok {
		item["password_digest"] = &types.AttributeValueMemberB{Value: digestOf(hash.Value)}
	}
	delete(item, "password")
	return item
}

func digestOf(hash string) []byte {
	digest := sha256.Sum256([]byte(hash))
	return digest[:]
}

// ownerOf finds the owner of a user's address, if the owner is this user. If the item is damaged, its error is a
// [table.Damage].
func ownerOf(ctx context.Context, in table.Later, u User) (o listedOwner, owned bool, err error) {
	k := OwnerKey(u.Email)
	items, err := in.Read(ctx, k)
	if err != nil {
		return listedOwner{}, false, err
	}
	found, err := items.Get(k, &o)
	if !found || o.User != u.ID {
		return listedOwner{}, false, err
	}
	return o, true, nil
}

// deleteAgain deletes a user's record, and the owner of the address unless another user owns it by now.
func deleteAgain(ctx context.Context, t table.Table, u User) error {
	_, owned, err := ownerOf(ctx, t, u)
	if err != nil {
		return err
	}
	tx := t.Tx()
	tx.Delete(t.DeleteItem(table.User(u.ID)), nil)
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
func takeOver(ctx context.Context, t table.Table, u, after User, later listedOwner) error {
	before, owned, err := ownerOf(ctx, t, u)
	if err != nil {
		return err
	}
	password := later.Password
	if password == "" && bytes.Equal(digestOf(before.Password), later.Digest) {
		password = before.Password
	}
	generation := max(u.Generation, after.Generation)
	from, to := OwnerKey(u.Email), OwnerKey(after.Email)
	tx := t.Tx()
	change := t.UpdateItem(table.User(u.ID)).Set("generation", generation)
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

// unlink ends an app's link to a user, which is stored from both sides.
func unlink(ctx context.Context, t table.Table, link table.Key) error {
	tx := t.Tx()
	tx.Delete(t.DeleteItem(link), nil)
	tx.Delete(t.DeleteItem(link.Mirror()), nil)
	return tx.Run(ctx)
}

// deleteToken ends an agent token, or a login link.
func deleteToken(ctx context.Context, t table.Table, token table.Key) error {
	_, err := t.DeleteAll(ctx, token)
	return err
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
