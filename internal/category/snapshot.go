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
	links  table.Page[changeset.Ref] // the first that lead to the category
}

// errNotFound: the path names a category that does not exist.
var errNotFound = api.Errorf(api.NotFound, "There is no such category")

// readSnapshot reads the category that a path names and more, in one round trip: who calls, the category, and beside
// them the first links that lead to it. The other links may be read once it is known that the caller may see them.
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

	group, reading := api.NewGroupContext(ctx)
	group.Go(func() (err error) {
		snap.portal, snap.items, err = s.authorize(reading, c, append(more, c.Portal.Category(category))...)
		return err
	})
	group.Go(func() (err error) {
		partition, prefix := c.Portal.Categories(), table.RefsTo(category)
		snap.links, err = table.Query[changeset.Ref](reading, s.Table, partition, prefix, firstPage)
		return err
	})
	if err := group.Wait(); err != nil {
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
		switch r.Kind {
		case table.Sub:
			in.subs = append(in.subs, r.Source)
		case table.Assoc:
			in.associated = append(in.associated, r.Source)
		}
	}
	return in
}
