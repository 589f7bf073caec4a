package integrity

import (
	"context"
	"fmt"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/check"
	"frontdesk/internal/table"
)

// checkDeletion: no deletion of a portal is unfinished.
func checkDeletion(i *check.Item, r portal.Record) {
	if !r.Deleting {
		return
	}
	k, p := i.Key, portalOf(i.Key)
	i.Suspect(check.Recheck([]table.Key{k}, func(items table.Items) *check.Fault {
		if now, ok := get[portal.Record](items, k); !ok || !now.Deleting {
			return nil
		}
		return &check.Fault{What: fmt.Sprintf("%s is being deleted: frontdesk portal delete goes on with it", p)}
	}))
}

// suspect is [check.Item.Suspect] for the items of a portal. It ignores portals that are being deleted: their items
// disappear one after the other, and [checkDeletion] reports the portal.
func suspect(i *check.Item, c check.Candidate) {
	p := portalOf(i.Key)
	i.Suspect(func(ctx context.Context, t table.Table) (*check.Fault, error) {
		fault, err := c(ctx, t)
		if fault == nil || err != nil {
			return nil, err
		}
		items, err := t.Read(ctx, p.Key())
		if err != nil {
			return nil, err
		}
		if r, ok := get[portal.Record](items, p.Key()); ok && r.Deleting {
			return nil, nil
		}
		return fault, nil
	})
}

// checkPortal: the portal of an item exists.
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
