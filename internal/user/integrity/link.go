package integrity

import (
	"fmt"
	"strings"

	"frontdesk/internal/check"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// checkApp: the app of a permissible link or a grant exists. Apps are revoked, never deleted. So a missing one was
// lost, and its links and grants stay for the day when it is restored.
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

// checkMirror: a link or a membership of a user is stored from both sides. Both sides are written and deleted together,
// so a missing one was lost. The repair makes it again from the other side, unless the user is gone as well.
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

// newSide makes a side of a link or a membership. The user's side says everything in its key.
func newSide(k table.Key, of id.ID) any {
	if strings.HasPrefix(k.PK, table.LinkedApps) || strings.HasPrefix(k.PK, table.Memberships) {
		return k
	}
	return struct {
		table.Key
		User id.ID `dynamo:"user"`
	}{k, of}
}
