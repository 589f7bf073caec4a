package changeset

import (
	"context"
	"slices"

	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxAncestors is how many categories may be above one that moves. It bounds the reads and the conditions of a move. A
// new category may be deeper, because creating it needs neither.
const MaxAncestors = 50

// move is a new parent of a category, with the parents that were read of the categories above both. The record of the
// moved category itself has been read before.
type move struct {
	category, parent id.ID
	parents          map[id.ID]id.ID // the parent of each category that was read; 0 means none
}

// line returns a category and those above it, the nearest first, as far as they were read. The parent of the last one
// may be unknown. Reads at different moments may seem to show a circle; the line ends where it would close.
func (m move) line(c id.ID) (line []id.ID) {
	for c != 0 && len(line) <= MaxAncestors && !slices.Contains(line, c) {
		line = append(line, c)
		c = m.parents[c]
	}
	return line
}

// next returns the categories to read now, or none when all is known. It reads both lines side by side: that of the
// new parent up to its root, that of the category until the two meet. When the new parent is a root, its own line
// is enough.
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

// held returns the categories whose parents must stay as they were read until the move is written, at most
// [MaxAncestors]. The moved category is not among them, because the version of its record holds it.
func (m move) held() []id.ID {
	above, own := m.line(m.parent), m.line(m.category)
	if i, j := meet(above, own); i >= 0 && i+j-1 <= MaxAncestors {
		return slices.Concat(above[:i], own[1:j])
	}
	return above
}

// meet returns where two lines have their first category in common, or -1 when they have none.
func meet(a, b []id.ID) (i, j int) {
	for i, c := range a {
		if j := slices.Index(b, c); j >= 0 {
			return i, j
		}
	}
	return -1, -1
}

// holdAncestors refuses a new parent that is below the category. Otherwise it holds what the move depends on until the
// move is written. items were read with the category; the new parent is among them.
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

// confirm returns why a move is refused, once a second read of the new parent's line shows the same. The first read
// went up one by one while others moved, so the line may never have existed. The second read takes all of it at one
// moment. When they differ, confirm returns [ErrStale].
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

// addParents adds the parents of categories that were read. A missing one was deleted meanwhile.
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
