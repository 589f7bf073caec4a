package integrity

import (
	"fmt"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkPortal: an item of a portal is of one that exists.
func checkPortal(i *check.Item) {
	k, p := i.Key, portalOf(i.Key)
	if p == (table.Portal{}) || k == p.Key() || !i.Needs(p.Key()) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, p.Key()}, func(items table.Items) *check.Fault {
		if items[k] == nil || items[p.Key()] != nil {
			return nil
		}
		return &check.Fault{What: fmt.Sprintf("%s is in %s, which does not exist", k, p)}
	}))
}

// checkMember: a member of a portal is a user who exists.
func checkMember(i *check.Item, m portal.Membership) {
	k, p, user := i.Key, portalOf(i.Key), table.User(m.User)
	if !i.Needs(user) {
		return
	}
	i.Suspect(check.Recheck([]table.Key{k, user}, func(items table.Items) *check.Fault {
		if items[k] == nil || items[user] != nil {
			return nil
		}
		return &check.Fault{
			What: fmt.Sprintf("user %d is a member of %s and does not exist", m.User, p),
			Repair: repairOf(p, func(re *repair) string {
				re.expectAbsent(user)
				re.deleteIf(k, "attribute_exists(PK)")
				return "ended the membership"
			}),
		}
	}))
}
