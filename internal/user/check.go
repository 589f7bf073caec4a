package user

import (
	"fmt"
	"strings"

	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Rules are what holds of the records of users, apps and tokens, and between them.
var Rules = []check.Rule{
	appItems.Rule, userItems.Rule, ownerItems.Rule, loginItems.Rule,
	checkUsers, checkOwners, checkGenerations, checkLinks, checkTokens,
}

var (
	appItems = check.Kind[appItem]{
		Name: "platform app", Key: func(_ table.Key, a appItem) table.Key { return table.App(a.ID) },
	}
	userItems = check.Kind[userItem]{
		Name: "user", Key: func(_ table.Key, u userItem) table.Key { return table.User(u.ID) },
	}
	ownerItems = check.Kind[ownerItem]{Name: "e-mail owner", Key: func(k table.Key, _ ownerItem) table.Key { return k }}
	loginItems = check.Kind[loginItem]{Name: "login token", Key: func(k table.Key, _ loginItem) table.Key { return k }}
)

// ownerKey is the key of the record that says which user has a stored e-mail address.
func ownerKey(email string) table.Key {
	e, _ := ParseEmail(email) // the zero Email, and so the zero key, for a malformed address
	return e.key()
}

// checkUsers looks whether each user owns its e-mail address.
func checkUsers(items table.Items) (suspects []check.Candidate) {
	userItems.Each(items, func(k table.Key, u userItem) {
		owner := ownerKey(u.Email)
		if owns(items, u.ID, owner) {
			return
		}
		suspects = append(suspects, check.Recheck([]table.Key{k, owner}, func(items table.Items) *check.Fault {
			if _, there := items[k]; !there || owns(items, u.ID, owner) {
				return nil
			}
			fault := &check.Fault{What: fmt.Sprintf("user %d does not own its e-mail address", u.ID)}
			if _, owned := items[owner]; !owned && owner != (table.Key{}) {
				fault.Repair = func(tx *table.Tx) string {
					t := tx.Table()
					tx.Check(condition(t, k).If("generation = ?", u.Generation), check.ErrChanged)
					item := ownerItem{owner, u.ID, new(Service).dummyHash(), u.Generation}
					tx.Put(t.Put(item).If("attribute_not_exists(PK)"), check.ErrChanged)
					return "gave it the address, without a password: it signs in by a login link"
				}
			}
			return fault
		}))
	})
	return suspects
}

func owns(items table.Items, user id.ID, owner table.Key) bool {
	var o ownerItem
	found, err := items.Get(owner, &o)
	return found && err == nil && o.User == user
}

// checkOwners looks whether the owner of each e-mail address is a user who has that address.
func checkOwners(items table.Items) (suspects []check.Candidate) {
	ownerItems.Each(items, func(k table.Key, o ownerItem) {
		user := table.User(o.User)
		has := func(items table.Items) bool {
			var u userItem
			found, err := items.Get(user, &u)
			return found && err == nil && ownerKey(u.Email) == k
		}
		if has(items) {
			return
		}
		suspects = append(suspects, check.Recheck([]table.Key{k, user}, func(items table.Items) *check.Fault {
			if !owns(items, o.User, k) || has(items) {
				return nil
			}
			fault := &check.Fault{
				What: fmt.Sprintf("an e-mail address is owned by user %d, who does not have it", o.User),
			}
			if _, there := items[user]; !there {
				fault.Repair = func(tx *table.Tx) string {
					t := tx.Table()
					tx.Check(condition(t, user).IfNotExists(), check.ErrChanged)
					tx.Delete(t.Delete("PK", k.PK).Range("SK", k.SK).If("'user' = ?", o.User), check.ErrChanged)
					return "set the address free"
				}
			}
			return fault
		}))
	})
	return suspects
}

// checkGenerations looks whether each user has the generation of the owner of its e-mail address: without it the
// password signs nobody in.
func checkGenerations(items table.Items) (suspects []check.Candidate) {
	ownerItems.Each(items, func(k table.Key, _ ownerItem) {
		var o ownerItem
		var u userItem
		differ := func(items table.Items) bool {
			owned, err := items.Get(k, &o)
			if !owned || err != nil {
				return false
			}
			found, err := items.Get(table.User(o.User), &u)
			return found && err == nil && o.Generation != u.Generation
		}
		if !differ(items) {
			return
		}
		user := table.User(o.User)
		suspects = append(suspects, check.Recheck([]table.Key{k, user}, func(items table.Items) *check.Fault {
			if !differ(items) {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("user %d has not the generation of its e-mail address: no password is good", o.User),
				Repair: func(tx *table.Tx) string {
					t, next := tx.Table(), max(o.Generation, u.Generation)+1
					tx.Update(t.UpdateItem(user).Set("generation", next).If("generation = ?", u.Generation),
						check.ErrChanged)
					tx.Update(t.UpdateItem(k).Set("generation", next).
						If("generation = ? AND 'user' = ?", o.Generation, o.User), check.ErrChanged)
					return "ended the user's tokens and gave both the same one"
				},
			}
		}))
	})
	return suspects
}

// checkLinks looks whether the app and the user of each permissible link exist.
func checkLinks(items table.Items) (suspects []check.Candidate) {
	for k := range items {
		if k.Kind() != "permissible link" {
			continue
		}
		user := table.Key{PK: k.SK, SK: table.User(0).SK}
		app := table.Key{PK: table.Apps + strings.TrimPrefix(k.PK, table.PermissibleLinks), SK: table.App(0).SK}
		suspects = append(suspects, dangling(items, k, "a permissible link", user, app)...)
	}
	return suspects
}

// checkTokens looks whether the user of each agent token and login token exists.
func checkTokens(items table.Items) (suspects []check.Candidate) {
	for k := range items {
		if kind := k.Kind(); kind == "agent token" || kind == "unanswered login" {
			user := table.Key{PK: table.Users + strings.TrimPrefix(k.PK, table.AgentTokens), SK: table.User(0).SK}
			suspects = append(suspects, dangling(items, k, "an "+kind, user)...)
		}
	}
	loginItems.Each(items, func(k table.Key, l loginItem) {
		suspects = append(suspects, dangling(items, k, "a login token", table.User(l.User))...)
	})
	return suspects
}

// dangling finds a record that refers to others, of which one does not exist. Deleting the record mends it.
func dangling(items table.Items, k table.Key, what string, others ...table.Key) (suspects []check.Candidate) {
	for _, other := range others {
		if _, there := items[other]; there {
			continue
		}
		suspects = append(suspects, check.Recheck([]table.Key{k, other}, func(items table.Items) *check.Fault {
			if items[k] == nil || items[other] != nil {
				return nil
			}
			return &check.Fault{
				What: fmt.Sprintf("%s is of %s, which does not exist", what, other),
				Repair: func(tx *table.Tx) string {
					t := tx.Table()
					tx.Check(condition(t, other).IfNotExists(), check.ErrChanged)
					tx.Delete(t.Delete("PK", k.PK).Range("SK", k.SK).If("attribute_exists(PK)"), check.ErrChanged)
					return "deleted it"
				},
			}
		}))
	}
	return suspects
}

func condition(t table.Table, k table.Key) *dynamo.ConditionCheck {
	return t.Check("PK", k.PK).Range("SK", k.SK)
}
