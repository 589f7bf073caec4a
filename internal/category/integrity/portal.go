package integrity

import (
	"fmt"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkPortals: every item of a portal is of a portal that exists.
func checkPortals(items table.Items) (candidates []check.Candidate) {
	for k := range items {
		p := portalOf(k)
		if p == (table.Portal{}) || items[p.Key()] != nil {
			continue
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, p.Key()}, func(items table.Items) *check.Fault {
			if items[k] == nil || items[p.Key()] != nil {
				return nil
			}
			return &check.Fault{What: fmt.Sprintf("%s is in %s, which does not exist", k, p)}
		}))
	}
	return candidates
}

// checkMembers: each member of a portal is a user who exists.
func checkMembers(items table.Items) (candidates []check.Candidate) {
	members.Each(items, func(k table.Key, m portal.Membership) {
		p, user := portalOf(k), table.User(m.User)
		if items[user] != nil {
			return
		}
		candidates = append(candidates, check.Recheck([]table.Key{k, user}, func(items table.Items) *check.Fault {
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
	})
	return candidates
}
