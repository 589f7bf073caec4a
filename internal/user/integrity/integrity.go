// Package integrity says what holds of the records of users and apps and between them, for the check of the whole
// table, and repairs what does not.
package integrity

import (
	"fmt"
	"strings"

	"frontdesk/internal/check"
	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
	"frontdesk/internal/user/attempts"
	"frontdesk/internal/user/platformapp"
)

// Rules are what holds of the records of users, apps and tokens, and between them.
var Rules = []check.Rule{
	check.Kind[platformapp.Record]{
		Name: "platform app", Needed: true,
		Key: func(_ table.Key, a platformapp.Record) table.Key { return table.App(a.ID) },
	}.Rule(),
	check.Kind[user.Record]{
		Name: "user", Needed: true,
		Key: func(_ table.Key, u user.Record) table.Key { return table.User(u.ID) },
	}.Rule(checkUser),
	check.Kind[user.Owner]{
		Name: "e-mail owner", Key: func(k table.Key, _ user.Owner) table.Key { return k },
	}.Rule(checkOwner),
	check.Kind[user.Login]{
		Name: "login token",
		Key: func(k table.Key, l user.Login) table.Key {
			return table.Key{PK: table.LoginToken(l.User, credential.Digest{}).PK, SK: k.SK}
		},
	}.Rule(),
	readable[user.PermissibleLink]("permissible link"), readable[user.Token]("agent token"),
	readable[user.Login]("unanswered login"), readable[attempts.Record]("sign-in attempts"),
	offerUser, checkApp, checkMirror, checkLeft,
}

// readable looks whether the items of a kind can be read.
func readable[T any](kind string) check.Rule {
	return check.Kind[T]{Name: kind, Key: func(k table.Key, _ T) table.Key { return k }}.Rule()
}

// checkUser looks whether a user owns its e-mail address.
func checkUser(i *check.Item, u user.Record) {
	k, owner := i.Key, user.OwnerKey(u.Email)
	if !i.Agree(owner, u.Generation) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, owner}, func(items table.Items) *check.Fault {
		var now user.Record
		found, err := items.Get(k, &now)
		if !found || err != nil || user.OwnerKey(now.Email) != owner || owns(items, u.ID, owner) {
			return nil // it was deleted or has another address by now
		}
		fault := &check.Fault{What: fmt.Sprintf("user %d does not own its e-mail address", u.ID)}
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

func owns(items table.Items, of id.ID, owner table.Key) bool {
	var o user.Owner
	found, err := items.Get(owner, &o)
	return found && err == nil && o.User == of
}

// offerUser: a user who has an e-mail address was not deleted, though the record may be lost. The owner of the address
// may be damaged itself: it tells its user while that one attribute can be read.
func offerUser(i *check.Item) {
	var owner struct {
		User id.ID `dynamo:"user"`
	}
	if i.Key.Kind() == "e-mail owner" && i.Decode(&owner) == nil {
		i.Offers(table.User(owner.User))
	}
}

// checkOwner looks whether the owner of an e-mail address is a user who has that address, and its generation.
func checkOwner(i *check.Item, o user.Owner) {
	k, of := i.Key, table.User(o.User)
	if i.Agree(of, o.Generation) {
		i.Suspect(check.Recheck([]table.Key{k, of}, judgeOwner(k, o.User)))
		i.Suspect(check.Recheck([]table.Key{k, of}, judgeGeneration(k, o.User)))
	}
}

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

// judgeGeneration: without the generation of its e-mail address's owner a user is signed in by no password.
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
		next := max(o.Generation, u.Generation) + 1
		return &check.Fault{
			What: fmt.Sprintf("user %d has not the generation of its e-mail address: no password is good", userID),
			Writes: check.Writes{
				of: check.Set{"generation": next},
				k:  check.Set{"generation": next},
			},
			Did: "ended the user's tokens and gave both the same one",
		}
	}
}

// checkApp looks whether the app of a permissible link exists. Apps are revoked, never deleted: one that is missing is
// lost, and its links stay for the day on which it is back.
func checkApp(i *check.Item) {
	k := i.Key
	if k.Kind() != "permissible link" {
		return
	}
	app := table.Key{PK: table.Apps + strings.TrimPrefix(k.PK, table.PermissibleLinks), SK: table.App(0).SK}
	if !i.Needs(app) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, app}, func(items table.Items) *check.Fault {
		if items[k] == nil || items[app] != nil {
			return nil
		}
		return &check.Fault{What: fmt.Sprintf("%s is of %s, which does not exist", k, app)}
	}))
}

// checkMirror looks whether a link or a membership of a user is found from both sides. The sides are written and
// deleted together, so one that is missing is lost. It is made again from the other, unless the user is gone as well.
func checkMirror(i *check.Item) {
	k, mirror, of := i.Key, i.Key.Mirror(), userOf(i.Key)
	if mirror == (table.Key{}) || !i.Pair(mirror) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, mirror, of}, func(items table.Items) *check.Fault {
		if items[k] == nil || items[mirror] != nil {
			return nil
		}
		fault := &check.Fault{What: fmt.Sprintf("%s lacks its other side, %s", k, mirror)}
		var u user.Record
		if found, err := items.Get(of, &u); !found || err != nil {
			return fault
		}
		fault.Writes, fault.Did = check.Writes{mirror: newSide(mirror, u.ID)}, "wrote the other side"
		return fault
	}))
}

// newSide makes a side of a link or a membership. That of the user says all in its key.
func newSide(k table.Key, of id.ID) any {
	if strings.HasPrefix(k.PK, table.LinkedApps) || strings.HasPrefix(k.PK, table.Memberships) {
		return k
	}
	return struct {
		table.Key
		User id.ID `dynamo:"user"`
	}{k, of}
}

// userOf is the key of the record of the user whom an item is of by its key, the zero Key where it is of none.
func userOf(k table.Key) table.Key {
	switch k.Kind() {
	case "permissible link", "member":
		return table.Key{PK: k.SK, SK: table.User(0).SK}
	case "linked app", "membership", "agent token", "unanswered login", "login token":
		_, digits, _ := strings.Cut(k.PK, "#")
		return table.Key{PK: table.Users + digits, SK: table.User(0).SK}
	}
	return table.Key{}
}

// checkLeft looks whether the user of a token, a link or a membership exists. A deletion deletes the user's record and
// the owner of the e-mail address in one transaction, and all else of the user after that. So where both are missing,
// the item is what an interrupted deletion has left. Where one of the two is there, the other one is lost, and all that
// is of the user stays. A deletion deletes both sides of a link or of a membership in one transaction: a side that is
// alone was not left by one, so it stays, too.
func checkLeft(i *check.Item) {
	k, mirror, of := i.Key, i.Key.Mirror(), userOf(i.Key)
	if k.Kind() == "linked app" || k.Kind() == "membership" || of == (table.Key{}) || !i.Needs(of) {
		return // a linked app and a membership are deleted with their other sides
	}
	i.Suspect(check.Recheck([]table.Key{k, mirror, of}, func(items table.Items) *check.Fault {
		alone := mirror != (table.Key{}) && items[mirror] == nil
		if items[k] == nil || items[of] != nil || alone {
			return nil
		}
		writes := check.Writes{k: nil}
		if items[mirror] != nil {
			writes[mirror] = nil
		}
		return &check.Fault{
			What:   fmt.Sprintf("%s is left of %s, which does not exist", describe(k), of),
			Writes: writes,
			Did:    "deleted it",
		}
	}))
}

// describe names an item: by its key, which of a token has its digest, and so by its kind alone.
func describe(k table.Key) string {
	if k.Mirror() == (table.Key{}) {
		return k.Kind()
	}
	return k.String()
}
