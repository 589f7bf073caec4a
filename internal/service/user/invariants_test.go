package user_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
)

// checkInvariants reads the whole table and looks for half a user: an owner of an e-mail address without a user, a user
// without an owner or without any link, a link without a user or app, a token without a user. It knows nothing of
// package integrity, so it also finds what that one misses.
func (s *stack) checkInvariants(t testing.TB) {
	t.Helper()
	all := map[table.Key]record{}
	for _, item := range s.Items(t) {
		var r record
		decode(t, item, &r)
		all[r.Key] = r
	}
	owned, linked := map[string]int{}, map[string]int{} // by the key of the user
	for k, r := range all {
		there := func(what string, needed table.Key) {
			if _, ok := all[needed]; !ok {
				t.Errorf("%s: there is no %s %s", k, what, needed)
			}
		}
		owner := table.User(r.User).PK
		const digits = "0123456789abcdef"
		switch kind := strings.TrimRight(k.PK, digits) + " " + strings.TrimRight(k.SK, digits); {
		case strings.HasPrefix(k.PK, table.Members), strings.HasPrefix(k.PK, table.Memberships):
			there("other side", k.Mirror())
		case kind == "APP# APP", strings.HasPrefix(k.PK, table.Portals), strings.HasPrefix(k.PK, table.Categories),
			k.SK == "ATTEMPTS" && strings.HasPrefix(k.PK, table.Attempts):
		case kind == "LINK# USER#":
			there("app", table.Key{PK: table.Apps + strings.TrimPrefix(k.PK, table.PermissibleLinks), SK: "APP"})
			there("user", table.Key{PK: k.SK, SK: "USER"})
			there("record by which it is found", k.Mirror())
			linked[k.SK]++
		case kind == "LINKED# APP#":
			there("link", k.Mirror())
		case kind == "USER# USER":
			if want := fmt.Sprintf("USER#%016d", r.ID); k.PK != want {
				t.Errorf("%s has the id %d", k, r.ID)
			}
		case kind == "TOKEN# TOKEN#", kind == "TOKEN# LOGIN#":
			there("user", table.Key{PK: table.Users + strings.TrimPrefix(k.PK, table.AgentTokens), SK: "USER"})
		case k.SK == "EMAIL" && strings.HasPrefix(k.PK, table.Emails):
			there("user", table.Key{PK: owner, SK: "USER"})
			owned[owner]++
		case kind == "LOGIN# LOGIN#":
			there("user", table.Key{PK: owner, SK: "USER"})
		case k.PK == table.Directory && strings.HasPrefix(k.SK, table.Apps):
			there("app", table.Key{PK: k.SK, SK: "APP"})
		case k.PK == table.Directory && strings.HasPrefix(k.SK, table.Portals):
			there("portal", table.Key{PK: k.SK, SK: "PORTAL"})
		// A kind that this test does not know might be a part of a user.
		default:
			t.Errorf("%s is of no known kind", k)
		}
	}
	for k := range all {
		// A user without a link is seen by no app, and could never be deleted by one.
		if k.SK == "USER" && (owned[k.PK] != 1 || linked[k.PK] == 0) {
			t.Errorf("%s has %d e-mail addresses and %d links", k, owned[k.PK], linked[k.PK])
		}
	}
}

// record has the fields that some kind of item refers to another one by.
type record struct {
	table.Key
	ID   int64 `dynamo:"id"`
	User id.ID `dynamo:"user"`
}
