package integrity

import (
	"fmt"

	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// checkUser: a user owns its e-mail address.
func checkUser(i *check.Item, u user.Record) {
	k, owner := i.Key, user.OwnerKey(u.Email)
	if !i.Agree(owner, u.Generation) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, owner}, func(items table.Items) *check.Fault {
		var now user.Record
		found, err := items.Get(k, &now)
		if !found || err != nil || user.OwnerKey(now.Email) != owner || owns(items, u.ID, owner) {
			return nil // deleted or moved to another address meanwhile
		}
		fault := &check.Fault{What: fmt.Sprintf("user %d does not own its e-mail address", u.ID)}
		// Somebody else owns the address, or no owner can exist for it. Nobody knows who is right.
		if _, owned := items[owner]; owned || owner == (table.Key{}) {
			return fault
		}
		fault.Writes = check.Writes{owner: user.Owner{
			Key: owner, User: u.ID, Password: new(user.Service).DummyHash(), Generation: now.Generation,
		}}
		fault.Did = "gave it the address, without a password: it signs in by a login link"
		return fault
	}))
}

// owns reports whether the owner of an address is this user.
func owns(items table.Items, of id.ID, owner table.Key) bool {
	var o user.Owner
	found, err := items.Get(owner, &o)
	return found && err == nil && o.User == of
}

// offerUser: a user who has an e-mail address was not deleted, even if the record is lost. Of a damaged owner, the
// check needs only this one attribute.
func offerUser(i *check.Item) {
	var owner struct {
		User id.ID `dynamo:"user"`
	}
	if i.Key.Kind() == "e-mail owner" && i.Decode(&owner) == nil {
		i.Offers(table.User(owner.User))
	}
}

// checkOwner: the owner of an e-mail address is a user who has this address and the same generation.
func checkOwner(i *check.Item, o user.Owner) {
	k, of := i.Key, table.User(o.User)
	if i.Agree(of, o.Generation) {
		i.Suspect(check.Recheck([]table.Key{k, of}, judgeOwner(k, o.User)))
		i.Suspect(check.Recheck([]table.Key{k, of}, judgeGeneration(k, o.User)))
	}
}

// countForeign counts the users whose password hash is from another program, by the kind of the hash.
func countForeign(i *check.Item, o user.Owner) {
	h, found, err := user.Foreign(o.Password)
	switch {
	case err != nil:
		i.Tally("e-mail owner with a foreign hash that cannot be read")
	case found:
		i.Tally("e-mail owner with a foreign hash of " + h.Kind)
	}
}

// judgeOwner reports an owner whose user does not exist, or has another address. Neither can be repaired without
// a guess.
func judgeOwner(k table.Key, userID id.ID) func(table.Items) *check.Fault {
	of := table.User(userID)
	return func(items table.Items) *check.Fault {
		var u user.Record
		found, err := items.Get(of, &u)
		switch {
		case !owns(items, userID, k) || found && err == nil && user.OwnerKey(u.Email) == k:
			return nil
		case !found:
			return &check.Fault{
				What: fmt.Sprintf("%s: user %d is lost: it has an e-mail address and no record", k, userID),
			}
		}
		return &check.Fault{
			What: fmt.Sprintf("%s is owned by user %d, who does not have it", k, userID),
		}
	}
}

// judgeGeneration compares the generations of a user and its address's owner. When they differ, no password signs in:
// the sign-in makes its token of the owner's generation. The repair gives both a new one, so that no old token becomes
// good again.
func judgeGeneration(k table.Key, userID id.ID) func(table.Items) *check.Fault {
	of := table.User(userID)
	return func(items table.Items) *check.Fault {
		var o user.Owner
		var u user.Record
		_, err := items.Get(k, &o)
		found, userErr := items.Get(of, &u)
		if err != nil || userErr != nil || !found || o.User != userID || o.Generation == u.Generation {
			return nil
		}
		// Higher than both, so that tokens of either generation end.
		next := max(o.Generation, u.Generation) + 1
		return &check.Fault{
			What: fmt.Sprintf("user %d and its e-mail address differ in generation: no password signs in", userID),
			Writes: check.Writes{
				of: check.Set{"generation": next},
				k:  check.Set{"generation": next},
			},
			Did: "gave both a new one, which ends the user's tokens",
		}
	}
}
