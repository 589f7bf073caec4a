// Package category is the help center's categories: a tree with cross links inside each portal, for agents
// who are the portal's members.
//
// A category's own record holds the links that go out from it; each has a record of its own as well, beside
// the category that it leads to, and is counted there. The three change together or not at all: edit.go sees
// to that, and create, update and delete say only what changes.
package category

import (
	"context"
	"log/slog"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// Service keeps the categories of all portals.
type Service struct{ Table table.Table }

// FromEnvironment builds the service of a function: TABLE_NAME.
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return &Service{Table: t}, nil
}

// firstPage is how many items of a query are read beside the authentication, before it is known whether the
// caller may see any: a hundred, and one to know whether there are more. (Where the limit is met exactly,
// DynamoDB says that there may be.)
const firstPage = 101

// authorize reads what tells whether a caller may act on its portal, in one round trip with whatever else the
// request needs, and gives the portal to its member.
func (s *Service) authorize(ctx context.Context, c portal.Caller, more ...table.Key) (portal.Portal, table.Items, error) {
	items, err := s.Table.Read(ctx, append(c.Keys(), more...)...)
	if err != nil {
		return portal.Portal{}, nil, err
	}
	p, err := c.Authorize(items)
	return p, items, err
}

// categoryKeys are the keys of categories that may exist: a number that is no id names none.
func categoryKeys(p table.Portal, ids []id.ID) []table.Key {
	var keys []table.Key
	for _, c := range ids {
		if c >= 1 && c <= id.Max && !slices.Contains(keys, p.Category(c)) {
			keys = append(keys, p.Category(c))
		}
	}
	return keys
}

// recordsIn decodes the categories among items.
func recordsIn(items table.Items, p table.Portal, ids []id.ID) (map[id.ID]changeset.Record, error) {
	found := map[id.ID]changeset.Record{}
	for _, c := range ids {
		var r changeset.Record
		ok, err := items.Get(p.Category(c), &r)
		if err != nil {
			return nil, err
		}
		if ok {
			found[c] = r
		}
	}
	return found, nil
}

// logCategory adds to a request's log line which category it was about.
func logCategory(r *api.Request, category id.ID) { r.Log(slog.Int64("category", int64(category))) }
