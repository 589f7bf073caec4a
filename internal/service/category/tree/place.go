package tree

import (
	"cmp"
	"encoding/json"

	"frontdesk/internal/base/id"
)

// Place is where a category stands in a list. A cursor is the place, as JSON, of the last category of the page before.
// It does not depend on what was deleted or added in front of it.
type Place struct {
	Position *int64
	ID       id.ID
}

// Place returns where the category stands.
func (c Category) Place() Place { return Place{c.Position, c.ID} }

// Text encodes the place as JSON.
func (p Place) Text() string {
	text, _ := json.Marshal(p) // two integers can be encoded
	return string(text)
}

// ParsePlace reads the JSON of a cursor. Clients can make up cursors, so it also checks the range of the id.
func ParsePlace(text string) (p *Place, ok bool) {
	p = new(Place)
	err := json.Unmarshal([]byte(text), p)
	return p, err == nil && p.ID >= 0 && p.ID <= id.Max
}

// Compare orders by position, then by id. A category without a position comes after all that have one.
func (p Place) Compare(q Place) int {
	switch {
	case p.Position == nil && q.Position != nil:
		return 1
	case p.Position != nil && q.Position == nil:
		return -1
	case p.Position != nil && *p.Position != *q.Position:
		return cmp.Compare(*p.Position, *q.Position)
	}
	return cmp.Compare(p.ID, q.ID)
}
