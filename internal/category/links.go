package category

import (
	"context"

	"frontdesk/internal/category/changeset"
	"frontdesk/internal/table"
)

// firstPage is how many items of a query are read beside the authentication, before it is known whether the caller may
// see any: a hundred, and one more to know that there are no others. (Where a limit is met exactly, DynamoDB says that
// there may be others.)
const firstPage = 101

// readLinks reads the first of the links that lead to a category: none, where its record counts none.
func (s *Service) readLinks(
	ctx context.Context, p table.Portal, to changeset.Record,
) (links table.Page[changeset.Ref], err error) {
	if to.Incoming == 0 {
		return links, nil
	}
	return table.Query[changeset.Ref](ctx, s.Table, p.Categories(), table.RefsTo(to.ID), firstPage)
}

// incomingOf are the categories that the links to one lead from.
func incomingOf(links []changeset.Ref) (in incoming) {
	for _, r := range links {
		in.add(r.Kind, r.Source)
	}
	return in
}
