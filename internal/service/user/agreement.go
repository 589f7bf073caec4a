package user

// This file is for operators: no endpoint calls it.

import (
	"context"
	"fmt"
	"strings"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// lacks names what every user has.
func (u User) lacks() string {
	if OwnerKey(u.Email) == (table.Key{}) {
		return "valid e-mail address"
	}
	return ""
}

// ownsAddress: a user owns its e-mail address, and both have the same generation.
func ownsAddress(_ table.Key, u User) []table.Pair {
	return []table.Pair{{
		Other: OwnerKey(u.Email), Agree: inGeneration(u.Generation),
		Make: func(ctx context.Context, t table.Table) (string, error) {
			return (&Service{Table: t}).restoreOwnership(ctx, u.ID)
		},
		Do: fmt.Sprintf("decide whose the address is, and give the other one another: "+
			"frontdesk user set-email %d", u.ID),
	}}
}

// ownedBy: the owner of an e-mail address is a user who has this address and the same generation. A deletion deletes
// both in one transaction. So an address without its user proves a loss.
func ownedBy(k table.Key, o Owner) []table.Pair {
	email := strings.TrimPrefix(k.PK, table.Emails)
	return []table.Pair{{
		Other: table.User(o.User), Agree: inGeneration(o.Generation),
		Lost: fmt.Sprintf("%s. Or delete what is left of the user: frontdesk person forget %s --user",
			table.WasLost(table.User(o.User)), email),
	}}
}

func inGeneration(n int64) string { return fmt.Sprintf("generation %d", n) }

// notDeleted: a user who has an e-mail address was not deleted, even if the record is lost. Of a damaged owner this one
// attribute is enough.
func notDeleted(s table.Stored) []table.Key {
	var owner struct {
		User id.ID `dynamo:"user"`
	}
	if table.Decode(s.Raw, &owner) != nil {
		return nil
	}
	return []table.Key{table.User(owner.User)}
}

// foreignKind counts the users whose password hash is from another program, by the kind of the hash.
func foreignKind(_ table.Key, o Owner) string {
	h, found, err := Foreign(o.Password)
	switch {
	case err != nil:
		return "e-mail owner with a foreign hash that cannot be read"
	case found:
		return "e-mail owner with a foreign hash of " + h.Kind
	}
	return ""
}

// linkedBothWays makes a lost side of a link again. When the link was made is lost.
func linkedBothWays(k table.Key) []table.Pair {
	return table.BothWays(k, table.PermissibleLinks, func(k table.Key) any {
		return PermissibleLink{Key: k, User: k.EndOfSort()}
	})
}

// restoreOwnership gives a user, who has lost it, the ownership of its e-mail address, without a password. If the
// generations of both differ, it gives them a new one, higher than both, so that no old token becomes good again.
func (s *Service) restoreOwnership(ctx context.Context, user id.ID) (did string, err error) {
	u, err := s.get(ctx, user)
	if err != nil {
		return "", missing(user, err)
	}
	k := OwnerKey(u.Email)
	items, err := s.Table.Read(ctx, k)
	if err != nil {
		return "", err
	}
	var o Owner
	owned, err := items.Get(k, &o)
	if err != nil {
		return "", err
	}
	tx := s.Table.Tx()
	if !owned {
		tx.Check(s.Table.CheckItem(table.User(user)).If(u.asRead()), table.Final(table.ErrChanged))
		owner := Owner{Key: k, User: user, Password: s.DummyHash(), Generation: u.Generation}
		tx.Put(s.Table.Put(owner).If("attribute_not_exists(PK)"), table.ErrChanged)
		return "gave it the address, without a password: it signs in by a login link", tx.Run(ctx)
	}
	next := max(o.Generation, u.Generation) + 1
	tx.Update(s.Table.UpdateItem(table.User(user)).Set("generation", next).
		If(u.asRead()), table.Final(table.ErrChanged))
	tx.Update(s.Table.UpdateItem(k).Set("generation", next).
		If("'user' = ? AND generation = ?", user, o.Generation), table.ErrChanged)
	return "gave both a new generation, which ends the user's tokens", tx.Run(ctx)
}
