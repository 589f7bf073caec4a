package request

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/service/category/changeset"
)

// Positions are the positions that a request gives to categories. A nil position means none.
type Positions map[id.ID]*int64

// DecodePositions decodes the positions, which are under the key positions_hash. The error names what is malformed. It
// is of kind [api.Invalid] when there are no positions, or more than one transaction can write.
func DecodePositions(r *api.Request) (Positions, error) {
	o, err := parse(r)
	if err != nil {
		return nil, err
	}
	hash := o.RawObject("positions_hash")
	switch err := o.Err(); {
	case err != nil:
		return nil, err
	case hash == nil:
		return nil, api.Errorf(api.Malformed, "positions_hash is missing")
	}
	positions, err := decodePositions(hash)
	if err != nil {
		return nil, err
	}
	var f api.Faults
	switch n := len(positions); {
	case n == 0:
		f.Add("positions_hash", "Positions can't be blank")
	case n > changeset.MaxReorder:
		f.Add("positions_hash", "Positions are too many: %d (maximum is %d)", n, changeset.MaxReorder)
	}
	return positions, f.Err()
}

// decodePositions decodes an object of valid JSON. It reads name after name, because a map of encoding/json would
// silently keep the last of several equal names.
func decodePositions(object json.RawMessage) (Positions, error) {
	positions := Positions{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil { // the opening brace
		return nil, err
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		category, ok := id.Parse(name)
		if !ok {
			return nil, api.Errorf(api.Malformed,
				"positions_hash has %.100q, which is no category's id: digits, the first of them no 0", name)
		}
		// An escape such as \u0031 can hide that two names are equal. The decoder has removed it.
		if _, repeated := positions[category]; repeated {
			return nil, api.Errorf(api.Malformed, "positions_hash.%d is given more than once", category)
		}
		var position json.RawMessage
		if err := decoder.Decode(&position); err != nil {
			return nil, err
		}
		if string(position) == "null" { // removes the category's position
			positions[category] = nil
			continue
		}
		n, err := api.ParseInteger(position)
		if err != nil {
			return nil, api.Errorf(api.Malformed, "positions_hash.%d %s", category, err)
		}
		positions[category] = &n
	}
	return positions, nil
}

// Categories returns the ids of the categories, sorted. A fixed order makes errors and transactions repeatable.
func (p Positions) Categories() []id.ID { return slices.Sorted(maps.Keys(p)) }

// Check refuses positions of categories that do not exist in the portal. It names all of them.
func (p Positions) Check(exists func(id.ID) bool) error {
	var f api.Faults
	for _, c := range p.Categories() {
		if !exists(c) {
			f.Add("positions_hash."+c.String(), "Category %d must exist", c)
		}
	}
	return f.Err()
}
