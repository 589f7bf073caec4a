package category

import (
	"context"
	"errors"
	"strconv"

	"frontdesk/internal/api"
	"frontdesk/internal/category/changeset"
	"frontdesk/internal/category/portal"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// snapshot is a category and what has to be known to change it, as they were read. A change is written on condition
// that they are still so.
type snapshot struct {
	portal portal.Portal
	items  table.Items // all that was read by key
	record changeset.Record
}

// errNotFound: the path names a category that does not exist.
var errNotFound = api.Errorf(api.NotFound, "There is no such category")

// readSnapshot reads the category that a path names and more, in one round trip: who calls, and the category. What
// takes a query is read once it is known that the caller may see it: see [Service.readLinks].
//
// Malformed is what is wrong with the body: it is told after what is wrong with the caller, and before that there is no
// such category.
func (s *Service) readSnapshot(
	ctx context.Context, c portal.Caller, path string, malformed error, more ...table.Key,
) (snap snapshot, err error) {
	category, isID, isInteger := parsePath(path)
	if !c.NamesPortal() || !isID {
		if _, _, err := s.authorize(ctx, c); err != nil {
			return snapshot{}, err
		}
		if !isInteger {
			return snapshot{}, api.Errorf(api.Malformed, "category_id must be an integer")
		}
		if malformed != nil {
			return snapshot{}, malformed
		}
		return snapshot{}, errNotFound
	}

	snap.portal, snap.items, err = s.authorize(ctx, c, append(more, c.Portal.Category(category))...)
	if err != nil {
		return snapshot{}, err
	}
	if malformed != nil {
		return snapshot{}, malformed
	}
	found, err := snap.items.Get(c.Portal.Category(category), &snap.record)
	if err != nil {
		return snapshot{}, err
	}
	if !found {
		return snapshot{}, errNotFound
	}
	return snap, nil
}

// readLinks reads the first of the links that lead to a category: none, where its record counts none.
func (s *Service) readLinks(
	ctx context.Context, p table.Portal, to changeset.Record,
) (links table.Page[changeset.Ref], err error) {
	if to.Incoming == 0 {
		return links, nil
	}
	return table.Query[changeset.Ref](ctx, s.Table, p.Categories(), table.RefsTo(to.ID), firstPage)
}

// parsePath reads a category's id from a path. An integer that is no id names no category.
func parsePath(s string) (category id.ID, isID, isInteger bool) {
	category, isID = id.Parse(s)
	if isID {
		return category, true, true
	}
	_, err := strconv.ParseInt(s, 10, 64)
	return 0, false, err == nil || errors.Is(err, strconv.ErrRange)
}

// incomingOf are the categories that the links to one lead from.
func incomingOf(links []changeset.Ref) (in incoming) {
	for _, r := range links {
		in.add(r.Kind, r.Source)
	}
	return in
}
