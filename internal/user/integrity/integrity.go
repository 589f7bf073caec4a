// Package integrity has the rules for the records of users and apps, for the check of the whole table, and repairs what
// breaks them.
package integrity

import (
	"strings"

	"frontdesk/internal/check"
	"frontdesk/internal/credential"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
	"frontdesk/internal/user/attempts"
	"frontdesk/internal/user/platformapp"
)

// Rules are the rules for the records of users, apps and tokens, and between them.
var Rules = []check.Rule{
	check.Kind[platformapp.Record]{
		Name: "platform app", Needed: true,
		Key: func(_ table.Key, a platformapp.Record) table.Key { return table.App(a.ID) },
	}.Rule(),
	check.Kind[platformapp.Grant]{
		Name: "grant", Key: func(_ table.Key, g platformapp.Grant) table.Key { return table.Grant(g.App, g.Account) },
	}.Rule(),
	check.Kind[user.Record]{
		Name: "user", Needed: true,
		Key: func(_ table.Key, u user.Record) table.Key { return table.User(u.ID) },
	}.Rule(checkUser),
	check.Kind[user.Owner]{
		Name: "e-mail owner", Key: func(k table.Key, _ user.Owner) table.Key { return k },
	}.Rule(checkOwner, countForeign),
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

// readable makes a rule that only checks whether the items of a kind can be read.
func readable[T any](kind string) check.Rule {
	return check.Kind[T]{Name: kind, Key: func(k table.Key, _ T) table.Key { return k }}.Rule()
}

// userOf returns the key of the user whom an item belongs to, as its key says, or the zero Key for an item of no user.
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
