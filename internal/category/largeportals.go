package category

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/table"
)

// LargePortal is a public portal that takes at least half of what readers can get of one.
type LargePortal struct {
	table.Portal
	Bytes int // of JSON, in all locales; more than [MaxPublic] where readers get an error
}

// String says how large the portal is.
func (l LargePortal) String() string {
	if l.Bytes > MaxPublic {
		return fmt.Sprintf("%s has more categories than readers can get: more than %d MiB", l.Portal, MaxPublic>>20)
	}
	return fmt.Sprintf("%s has %d of the %d MiB of categories that readers can get",
		l.Portal, l.Bytes>>20, MaxPublic>>20)
}

// FindLargePortals reads all public portals of a table, and returns the large ones, sorted by account and slug. It is
// for operators: reading 1,000 categories takes some 124 units.
func FindLargePortals(ctx context.Context, t table.Table) (large []LargePortal, err error) {
	portals, err := portal.Store{Table: t}.List(ctx)
	if err != nil {
		return nil, err
	}
	service := &Service{Table: t}
	for _, p := range portals {
		if !p.Public || p.Deleting {
			continue
		}
		_, bytes, err := service.readLists(ctx, p)
		switch {
		case errors.Is(err, errTooLargeForReaders):
			bytes = MaxPublic + 1
		case err != nil:
			return nil, fmt.Errorf("%s: %w", p.Key(), err)
		}
		if bytes >= MaxPublic/2 {
			large = append(large, LargePortal{p.Key(), bytes})
		}
	}
	return large, nil
}
