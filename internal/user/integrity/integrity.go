// Package integrity says what holds of the records of users and apps and between them, for the check of the whole
// table, and repairs what does not.
package integrity

import (
	"fmt"
	"strings"

	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
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
		Name: "login token", Key: func(k table.Key, _ user.Login) table.Key { return k },
	}.Rule(checkLogin),
	checkLink, checkMirror, checkToken,
}

// checkUser looks whether a user owns its e-mail address.
func checkUser(i *check.Item, u user.Record) {
	k, owner := i.Key, user.OwnerKey(u.Email)
	if !i.Agree(owner, u.Generation) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, owner}, func(items table.Items) *check.Fault {
		if _, there := items[k]; !there || owns(items, u.ID, owner) {
			return nil
		}
		fault := &check.Fault{What: fmt.Sprintf("user %d does not own its e-mail address", u.ID)}
		if _, owned := items[owner]; !owned && owner != (table.Key{}) {
			fault.Repair = func(tx *table.Tx) string {
				t := tx.Table()
				tx.Check(t.CheckItem(k).If("generation = ?", u.Generation), check.ErrChanged)
				item := user.Owner{
					Key: owner, User: u.ID, Password: new(user.Service).DummyHash(), Generation: u.Generation,
				}
				tx.Put(t.Put(item).If("attribute_not_exists(PK)"), check.ErrChanged)
				return "gave it the address, without a password: it signs in by a login link"
			}
		}
		return fault
	}))
}

func owns(items table.Items, of id.ID, owner table.Key) bool {
	var o user.Owner
	found, err := items.Get(owner, &o)
	return found && err == nil && o.User == of
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
		if !owns(items, userID, k) || found && err == nil && user.OwnerKey(u.Email) == k {
			return nil
		}
		fault := &check.Fault{
			What: fmt.Sprintf("an e-mail address is owned by user %d, who does not have it", userID),
		}
		if _, there := items[of]; !there {
			fault.Repair = func(tx *table.Tx) string {
				t := tx.Table()
				tx.Check(t.CheckItem(of).IfNotExists(), check.ErrChanged)
				tx.Delete(t.DeleteItem(k).If("'user' = ?", userID), check.ErrChanged)
				return "set the address free"
			}
		}
		return fault
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
		return &check.Fault{
			What: fmt.Sprintf("user %d has not the generation of its e-mail address: no password is good", userID),
			Repair: func(tx *table.Tx) string {
				t, next := tx.Table(), max(o.Generation, u.Generation)+1
				tx.Update(t.UpdateItem(of).Set("generation", next).If("generation = ?", u.Generation),
					check.ErrChanged)
				tx.Update(t.UpdateItem(k).Set("generation", next).
					If("generation = ? AND 'user' = ?", o.Generation, userID), check.ErrChanged)
				return "ended the user's tokens and gave both the same one"
			},
		}
	}
}

// checkLink looks whether the app and the user of a permissible link exist.
func checkLink(i *check.Item) {
	if k := i.Key; k.Kind() == "permissible link" {
		needs(i, "a permissible link", table.Key{PK: k.SK, SK: table.User(0).SK})
		app := table.Apps + strings.TrimPrefix(k.PK, table.PermissibleLinks)
		needs(i, "a permissible link", table.Key{PK: app, SK: table.App(0).SK})
	}
}

// checkMirror looks whether a link or a membership of a user is found from the other side, too.
func checkMirror(i *check.Item) {
	k, mirror := i.Key, i.Key.Mirror()
	if mirror == (table.Key{}) || !i.Pair(mirror) {
		return
	}
	of := table.Key{PK: k.SK, SK: table.User(0).SK}
	found := k.Kind() == "linked app" || k.Kind() == "membership" // by it, and of no use alone
	if found {
		of.PK = mirror.SK
	}
	i.Suspect(check.Recheck([]table.Key{k, mirror, of}, func(items table.Items) *check.Fault {
		if items[k] == nil || items[mirror] != nil || items[of] == nil && !found { // without the user it is dangling
			return nil
		}
		return &check.Fault{
			What: fmt.Sprintf("%s lacks its other side, %s", k, mirror),
			Repair: func(tx *table.Tx) string {
				t := tx.Table()
				if found {
					tx.Check(t.CheckItem(mirror).IfNotExists(), check.ErrChanged)
					tx.Delete(t.DeleteItem(k).If("attribute_exists(PK)"), check.ErrChanged)
					return "deleted it"
				}
				tx.Check(t.CheckItem(k).IfExists(), check.ErrChanged)
				tx.Check(t.CheckItem(of).IfExists(), check.ErrChanged)
				tx.Put(t.Put(mirror), nil)
				return "wrote the other side"
			},
		}
	}))
}

// checkToken looks whether the user of an agent token, or of an unanswered login, exists.
func checkToken(i *check.Item) {
	k := i.Key
	if kind := k.Kind(); kind == "agent token" || kind == "unanswered login" {
		of := table.Users + strings.TrimPrefix(k.PK, table.AgentTokens)
		needs(i, "an "+kind, table.Key{PK: of, SK: table.User(0).SK})
	}
}

// checkLogin looks whether the user of a login token exists.
func checkLogin(i *check.Item, l user.Login) { needs(i, "a login token", table.User(l.User)) }

// needs looks whether what a record refers to exists. Deleting the record mends it.
func needs(i *check.Item, what string, other table.Key) {
	if !i.Needs(other) {
		return
	}
	k := i.Key
	i.Suspect(check.Recheck([]table.Key{k, other}, func(items table.Items) *check.Fault {
		if items[k] == nil || items[other] != nil {
			return nil
		}
		return &check.Fault{
			What: fmt.Sprintf("%s is of %s, which does not exist", what, other),
			Repair: func(tx *table.Tx) string {
				t := tx.Table()
				tx.Check(t.CheckItem(other).IfNotExists(), check.ErrChanged)
				tx.Delete(t.DeleteItem(k).If("attribute_exists(PK)"), check.ErrChanged)
				return "deleted it"
			},
		}
	}))
}
