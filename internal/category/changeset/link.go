package changeset

import (
	"slices"

	"frontdesk/internal/id"
	"frontdesk/internal/table"

	"github.com/guregu/dynamo/v2"
)

// Link leads from a category to another one of its portal.
type Link struct {
	Kind   table.RefKind
	Target id.ID
}

// Links are the links that go out from the category.
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

// without are the links that are not among others.
func without(links, others []Link) []Link {
	return slices.DeleteFunc(slices.Clone(links), func(l Link) bool { return slices.Contains(others, l) })
}

// RemoveFrom takes the link out of its source's record, on condition that the record has it.
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

// Ref is the record of one link, beside the category that it leads to.
type Ref struct {
	table.Key
	Target id.ID         `dynamo:"target"`
	Kind   table.RefKind `dynamo:"kind"`
	Source id.ID         `dynamo:"source"`
}

// NewRef is the record of a link from source.
func NewRef(p table.Portal, source id.ID, l Link) Ref {
	return Ref{Key: p.Ref(l.Target, l.Kind, source), Target: l.Target, Kind: l.Kind, Source: source}
}

// Link is the link that the record is of.
func (r Ref) Link() Link { return Link{r.Kind, r.Target} }

// neighbour is a category at the other end of links, and what happens to its record.
type neighbour struct {
	id       id.ID
	incoming int64  // by how much its count of incoming links rises
	missing  error  // of [ChangeSet.Run] when the category does not exist; nil is [ErrStale]
	unlinked []Link // links of its own that end
	held     *id.ID // what its parent has to be, 0 for none; nil if that does not matter
	closed   bool   // there may be no new links to it any more
}

// neighbour gives the one place where all that happens to a category is gathered.
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

// addLink adds a link's record, and counts it at its target, which must exist and not be about to be deleted.
//
// So all that link to one category at the same time meet at its record, and wait for each other. A count of the records
// of links would need no write there, but a condition on the record as well, so that it is not deleted meanwhile; and a
// condition meets other transactions just as a write does. A count that is an item of its own would save the units of
// writing a long description again, and cost every category an item more. Most descriptions fit into one unit.
func (cs *ChangeSet) addLink(source id.ID, l Link) {
	cs.tx.Put(cs.table.Put(NewRef(cs.portal, source, l)), nil)
	n := cs.neighbour(l.Target)
	n.incoming++
	if n.missing == nil {
		n.missing = errMissing(l)
	}
}

// removeLink removes a link's record, and no longer counts it at its target.
func (cs *ChangeSet) removeLink(source id.ID, l Link) {
	cs.removeRef(source, l)
	cs.neighbour(l.Target).incoming--
}

// removeRef removes a link's record alone, where the target is deleted in the same transaction.
func (cs *ChangeSet) removeRef(source id.ID, l Link) {
	k := cs.portal.Ref(l.Target, l.Kind, source)
	cs.tx.Delete(cs.table.DeleteItem(k).If("attribute_exists(PK)"), ErrStale)
}

// unlink takes a link out of its source's record.
func (cs *ChangeSet) unlink(r Ref) {
	n := cs.neighbour(r.Source)
	n.unlinked = append(n.unlinked, r.Link())
}

// writeNeighbour writes what happens to a neighbour, and what has to hold of it.
func (cs *ChangeSet) writeNeighbour(n *neighbour) {
	k, condition, args := cs.portal.Category(n.id), "attribute_exists(PK)", []any(nil)
	if n.missing == nil {
		n.missing = ErrStale
	}
	if n.held != nil {
		n.missing = ErrStale // what is wrong is known when it is read again
		if *n.held == 0 {
			condition += " AND attribute_not_exists(parent)"
		} else {
			condition, args = "parent = ?", []any{*n.held}
		}
	}
	if n.incoming == 0 && len(n.unlinked) == 0 { // as many links to it came as went
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
	if len(n.unlinked) > 0 {
		u.Add("version", 1).Set("updated_at", cs.Time)
	}
	for _, l := range n.unlinked {
		l.RemoveFrom(u)
	}
	cs.tx.Update(u, n.missing)
}
