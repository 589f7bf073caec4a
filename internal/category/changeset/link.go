package changeset

import (
	"slices"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Link leads from a category to another category of its portal.
type Link struct {
	Kind   table.RefKind
	Target id.ID
}

// Links returns the outgoing links of the category.
func (c Category) Links() []Link {
	var links []Link
	if c.Parent != 0 {
		links = append(links, Link{table.Sub, c.Parent})
	}
	if c.Root != 0 {
		links = append(links, Link{table.Assoc, c.Root})
	}
	for _, related := range c.Related {
		links = append(links, Link{table.Related, related})
	}
	return links
}

// without returns the links that are not among others.
func without(links, others []Link) []Link {
	return slices.DeleteFunc(slices.Clone(links), func(l Link) bool { return slices.Contains(others, l) })
}

// RemoveFrom adds to an update of its source's record that the link ends, on the condition that the record has it.
// Related links are entries of a map, so one can end without reading the others.
func (l Link) RemoveFrom(u *dynamo.Update) {
	switch l.Kind {
	case table.Sub:
		u.Remove("parent").If("parent = ?", l.Target)
	case table.Assoc:
		u.Remove("root").If("root = ?", l.Target)
	case table.Related:
		u.RemoveExpr("related.$", l.Target.String()).If("attribute_exists(related.$)", l.Target.String())
	}
}

// Ref is the record of one link. It lies beside the category that the link leads to.
type Ref struct {
	table.Key
	Target id.ID         `dynamo:"target"`
	Kind   table.RefKind `dynamo:"kind"`
	Source id.ID         `dynamo:"source"`
}

// NewRef returns the record of a link from source.
func NewRef(p table.Portal, source id.ID, l Link) Ref {
	return Ref{Key: p.Ref(l.Target, l.Kind, source), Target: l.Target, Kind: l.Kind, Source: source}
}

// Link returns the link itself.
func (r Ref) Link() Link { return Link{r.Kind, r.Target} }

// neighbour gathers what a change set does to a category at the other end of links.
type neighbour struct {
	id       id.ID
	incoming int64  // added to its count of incoming links; may be negative
	missing  error  // what [ChangeSet.Run] returns when the category does not exist; nil means [ErrStale]
	unlinked []Link // its own links that end
	held     *id.ID // the parent that it must still have, 0 for none; nil means any
	closed   bool   // it gets no new links any more
}

// neighbour returns the entry of a category, and adds one the first time.
func (cs *ChangeSet) neighbour(category id.ID) *neighbour {
	for _, n := range cs.neighbours {
		if n.id == category {
			return n
		}
	}
	n := &neighbour{id: category}
	cs.neighbours = append(cs.neighbours, n)
	return n
}

// addLink adds a link's record and counts the link at its target. The target must exist and must not be about to
// be deleted.
//
// So all that link to one category at the same time meet at its record, and wait for each other. The alternatives are
// not better. To count the link records when needed, a new link would still need a condition on the target's record, so
// that it is not deleted meanwhile, and a condition meets other transactions just as a write does. To keep the count in
// an item of its own would save writing a long description again, but would cost every category one more item, and most
// descriptions fit into one unit.
func (cs *ChangeSet) addLink(source id.ID, l Link) {
	cs.tx.Put(cs.table.Put(NewRef(cs.portal, source, l)), nil)
	n := cs.neighbour(l.Target)
	n.incoming++
	if n.missing == nil {
		n.missing = errMissing(l)
	}
}

// removeLink deletes a link's record and subtracts it from the count of its target.
func (cs *ChangeSet) removeLink(source id.ID, l Link) {
	cs.removeRef(source, l)
	cs.neighbour(l.Target).incoming--
}

// removeRef deletes a link's record alone: the target is deleted in the same transaction.
func (cs *ChangeSet) removeRef(source id.ID, l Link) {
	k := cs.portal.Ref(l.Target, l.Kind, source)
	cs.tx.Delete(cs.table.DeleteItem(k).If("attribute_exists(PK)"), ErrStale)
}

// unlink removes a link from its source's record.
func (cs *ChangeSet) unlink(r Ref) {
	n := cs.neighbour(r.Source)
	n.unlinked = append(n.unlinked, r.Link())
}

// writeNeighbour turns what was gathered for a neighbour into one operation: an update, or a mere condition when
// nothing about it changes.
func (cs *ChangeSet) writeNeighbour(n *neighbour) {
	k, condition, args := cs.portal.Category(n.id), "attribute_exists(PK)", []any(nil)
	if n.missing == nil {
		n.missing = ErrStale
	}
	if n.held != nil {
		n.missing = ErrStale // reading it again will tell what is wrong
		if *n.held == 0 {
			condition += " AND attribute_not_exists(parent)"
		} else {
			condition, args = "parent = ?", []any{*n.held}
		}
	}
	if n.incoming == 0 && len(n.unlinked) == 0 { // as many links to it begin as end
		if n.held != nil {
			cs.tx.Check(cs.table.CheckItem(k).If(condition, args...), n.missing)
		}
		return
	}
	u := cs.table.UpdateItem(k).If(condition, args...)
	if n.incoming > 0 {
		u.If("attribute_not_exists(deleting)")
	}
	if n.incoming != 0 {
		u.Add("incoming", n.incoming)
	}
	if n.closed {
		u.Set("deleting", true)
	}
	// Its own links change, so it gets a new version. A change of the count alone does not need one.
	if len(n.unlinked) > 0 {
		u.Add("version", 1).Set("updated_at", cs.Time)
	}
	for _, l := range n.unlinked {
		l.RemoveFrom(u)
	}
	cs.tx.Update(u, n.missing)
}
