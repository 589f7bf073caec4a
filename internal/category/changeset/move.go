package changeset

import (
	"context"
	"slices"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxAncestors is how many categories may be above one that moves; one that is created may be deeper.
const MaxAncestors = 50

// move is a new parent of a category, and what was read of those above the two. The category itself has been read.
type move struct {
	category, parent id.ID
	parents          map[id.ID]id.ID // of each category that was read its parent, 0 for none
}

// line is a category and those above it, the nearest first, as far as they were read: the parent of the last one may be
// unknown. What was read at different moments may make a circle; then the line ends where it closes.
func (m move) line(c id.ID) (line []id.ID) {
	for c != 0 && len(line) <= MaxAncestors && !slices.Contains(line, c) {
		line = append(line, c)
		c = m.parents[c]
	}
	return line
}

// next are the categories to be read now, none where all is known. Both lines are read at the same time: that of the
// new parent to its end, that of the category until they meet. Where the new parent is a root, its line is enough.
func (m move) next() (unread []id.ID, err error) {
	above, own := m.line(m.parent), m.line(m.category)
	if slices.Contains(above, m.category) {
		return nil, errOwnAncestor
	}
	if len(above) > MaxAncestors {
		return nil, errTooDeep
	}
	top, ownTop := above[len(above)-1], own[len(own)-1]
	if _, read := m.parents[top]; !read {
		unread = append(unread, top)
	}
	_, read := m.parents[ownTop]
	if i, _ := meet(above, own); !read && i < 0 && len(above) > 1 && len(own) <= MaxAncestors {
		unread = append(unread, ownTop)
	}
	return unread, nil
}

// held are the categories whose parents have to stay as they were read until the move is written, besides that of the
// category itself: at most [MaxAncestors].
func (m move) held() []id.ID {
	above, own := m.line(m.parent), m.line(m.category)
	if i, j := meet(above, own); i >= 0 && i+j-1 <= MaxAncestors {
		return slices.Concat(above[:i], own[1:j])
	}
	return above
}

// meet is where two lines have their first category in common, -1 where they have none.
func meet(a, b []id.ID) (i, j int) {
	for i, c := range a {
		if j := slices.Index(b, c); j >= 0 {
			return i, j
		}
	}
	return -1, -1
}

// holdAncestors refuses a new parent that the category itself is above, and holds what the move depends on until it is
// written. Items are what was read with the category, the new parent among them.
func (cs *ChangeSet) holdAncestors(ctx context.Context, m move, items table.Items) error {
	for unread := []id.ID{m.parent}; len(unread) > 0; {
		err := cs.addParents(m.parents, items, unread)
		if err != nil {
			return err
		}
		var refused error
		unread, refused = m.next()
		if refused != nil {
			return cs.confirm(ctx, m, refused)
		}
		items, err = cs.table.Read(ctx, cs.keys(unread)...)
		if err != nil {
			return err
		}
	}
	for _, c := range m.held() {
		parent := m.parents[c]
		cs.neighbour(c).held = &parent
	}
	return nil
}

// confirm is why a move is refused, if the line of the new parent is read a second time as it was. It was read one by
// one, while others moved, and may never have been so.
func (cs *ChangeSet) confirm(ctx context.Context, m move, refused error) error {
	line := m.line(m.parent)
	items, err := cs.table.Read(ctx, cs.keys(line)...)
	if err != nil {
		return err
	}
	again := map[id.ID]id.ID{}
	if err := cs.addParents(again, items, line); err != nil {
		return err
	}
	for c, parent := range again {
		if before, read := m.parents[c]; read && before != parent {
			return ErrStale
		}
	}
	return refused
}

// addParents adds the parents of categories that were read. Where one is missing it was deleted meanwhile.
func (cs *ChangeSet) addParents(parents map[id.ID]id.ID, items table.Items, categories []id.ID) error {
	for _, c := range categories {
		var r Record
		found, err := items.Get(cs.portal.Category(c), &r)
		if err != nil {
			return err
		}
		if !found {
			return ErrStale
		}
		parents[c] = r.Parent
	}
	return nil
}

func (cs *ChangeSet) keys(categories []id.ID) (keys []table.Key) {
	for _, c := range categories {
		keys = append(keys, cs.portal.Category(c))
	}
	return keys
}
