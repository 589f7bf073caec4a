package integrity

import (
	"fmt"
	"strings"

	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// checkApp looks whether the app of a permissible link or a grant exists. Apps are revoked, never deleted: one that is
// missing is lost, and what it has stays for the day on which it is back.
func checkApp(i *check.Item) {
	k := i.Key
	if k.Kind() != "permissible link" && k.Kind() != "grant" {
		return
	}
	_, digits, _ := strings.Cut(k.PK, "#")
	app := table.Key{PK: table.Apps + digits, SK: table.App(0).SK}
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
