package category

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/base/table"
	"frontdesk/internal/service/category/portal"
)

// PortalWarning says of a public portal that readers cannot get its list, or will soon not get it, and what to do.
type PortalWarning struct{ Says, Mend string }

// WarnOfPortals reads all public portals of a table, and warns of those that take at least half of [MaxPublic], and of
// damaged ones. The warnings are sorted by account and slug. It is for operators: reading 1,000 categories takes some
// 124 units.
func WarnOfPortals(ctx context.Context, t table.Table) (warnings []PortalWarning, err error) {
	portals, err := portal.Store{Table: t}.List(ctx)
	if err != nil {
		return nil, err
	}
	service := &Service{Table: t}
	const divide = "make several portals of it: internal/docs/categories.md"
	for _, p := range portals {
		if !p.Public || p.Deleting {
			continue
		}
		_, bytes, err := service.readLists(ctx, p)
		damage, damaged := errors.AsType[table.Damage](err)
		switch {
		case damaged:
			says := fmt.Sprintf("%s has no list for readers: %v", p.Key(), damage)
			warnings = append(warnings, PortalWarning{says, "see which one it is: frontdesk check"})
		case errors.Is(err, errTooLargeForReaders):
			says := fmt.Sprintf("%s has more categories than readers can get: more than %d MiB", p.Key(), MaxPublic>>20)
			warnings = append(warnings, PortalWarning{says, divide})
		case err != nil:
			return nil, fmt.Errorf("%s: %w", p.Key(), err)
		case bytes >= MaxPublic/2:
			says := fmt.Sprintf("%s has %d of the %d MiB of categories that readers can get",
				p.Key(), bytes>>20, MaxPublic>>20)
			warnings = append(warnings, PortalWarning{says, divide})
		}
	}
	return warnings, nil
}
