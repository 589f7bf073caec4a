package changeset

import (
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxReorder is how many categories one transaction can give new positions. Each takes at least two operations.
const MaxReorder = table.MaxWrites / 2

// Reorder adds new positions of up to [MaxReorder] categories that were read. A condition holds a category that already
// has its position, so that all positions are true at one moment. No category may still have a place that it has left:
// see [ChangeSet.Tidy]. Reorder returns the records as they will be.
//
// A new position takes three operations: the record gets it, a new place is added, and the old place is removed. The
// removal can wait. When the transaction has no room for it, the record says which place it has left. So readers can
// tell that place from the new one, and the table stays whole.
func (cs *ChangeSet) Reorder(read []Record, positions map[id.ID]*int64) (after []Record) {
	// The operations that remain for old places, after those that every category needs.
	room := table.MaxWrites
	for _, r := range read {
		if equalPointers(r.Position, positions[r.ID]) {
			room--
		} else {
			room -= 2
		}
	}
	for _, r := range read {
		position := positions[r.ID]
		if equalPointers(r.Position, position) {
			cs.tx.Check(cs.table.CheckItem(r.Key).If("version = ?", r.Version), ErrStale)
			after = append(after, r)
			continue
		}
		before := r.Category()
		u := cs.table.UpdateItem(r.Key).If("version = ?", r.Version).Add("version", 1).Set("updated_at", cs.Time)
		r.Position, r.UpdatedAt, r.Version = position, cs.Time, r.Version+1
		setOrRemove(u, "position", position)
		cs.putOrder(r.Category())
		if room > 0 {
			room--
			cs.removeOrder(before)
		} else {
			r.Left = NewOrder(cs.portal, before).SK
			u.Set("left_place", r.Left)
		}
		cs.tx.Update(u, ErrStale)
		after = append(after, r)
	}
	return after
}

// Tidy adds the removal of the places that up to [MaxReorder] categories have left. It writes nothing else. Whoever
// changes one of them at the same time also removes that place, or moves the category back to it.
func (cs *ChangeSet) Tidy(read []Record) {
	for _, r := range read {
		u := cs.table.UpdateItem(r.Key).If("left_place = ?", r.Left)
		cs.removeLeft(r, u, Order{})
		cs.tx.Update(u, ErrStale)
	}
}
