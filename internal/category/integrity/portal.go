package integrity

import (
	"fmt"

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
