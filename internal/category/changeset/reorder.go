package changeset

import (
	"frontdesk/internal/id"
	"frontdesk/internal/table"
)

// MaxReorder is how many categories get other positions in one transaction.
const MaxReorder = table.MaxWrites / 2

// Reorder adds the change of categories that were read, at most [MaxReorder], to other positions. A category that has
// the position already is held as it is, so that all have theirs at one moment. None may have left a place: see
// [ChangeSet.Tidy]. It gives the records as they are once the change is made.
//
// Another position takes three operations: the record has it, there is a new place, and the old place goes. The last of
// them can wait: where it does not go into the transaction, of which each category has two operations for itself, the
// record says which place it has left. So a reader can tell it from the new one, and nothing is wrong with the table.
func (cs *ChangeSet) Reorder(read []Record, positions map[id.ID]*int64) (after []Record) {
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

// Tidy adds the removal of the places that categories have left, at most [MaxReorder]. It does nothing else to them:
// whoever changes one at the same time removes that place, too, and may have it return there.
func (cs *ChangeSet) Tidy(read []Record) {
	for _, r := range read {
		u := cs.table.UpdateItem(r.Key).If("left_place = ?", r.Left)
		cs.removeLeft(r, u, Order{})
		cs.tx.Update(u, ErrStale)
	}
}
