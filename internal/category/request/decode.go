package request

import (
	"frontdesk/internal/api"
	"frontdesk/internal/id"

	"golang.org/x/text/unicode/norm"
)

// MaxBody is the size of a request's body in bytes: twice what the longest category takes that the rules allow, with
// every character of it escaped.
const MaxBody = 256 << 10

// parse parses a request's body. What is wrong with a body is told after the authentication, so before that it may not
// cost much.
func parse(r *api.Request) (*api.Object, error) {
	body, err := r.Bytes()
	if err != nil {
		return nil, err
	}
	if len(body) > MaxBody {
		return nil, api.Errorf(api.Malformed, "body is too large (maximum is %d bytes)", MaxBody).
			WithCode(api.Code(api.TooLarge))
	}
	return r.ParseObject(body)
}

// DecodeChanges decodes the changes, which are under the key category. Its error names what is malformed. A slug
// becomes what it is in Unicode's normalization form C, so that two spellings of one are one.
func DecodeChanges(r *api.Request) (Changes, error) {
	outer, err := parse(r)
	if err != nil {
		return Changes{}, err
	}
	o := outer.Object("category")
	if err := outer.Err(); err != nil {
		return Changes{}, err
	}
	if o == nil {
		return Changes{}, api.Errorf(api.Malformed, "category is missing")
	}
	c := Changes{
		Name:        field(o, "name", o.String),
		Slug:        field(o, "slug", func(name string) string { return norm.NFC.String(o.String(name)) }),
		Locale:      field(o, "locale", o.String),
		Description: field(o, "description", o.String),
		Position:    field(o, "position", o.Int),
		Parent:      field(o, "parent_category_id", func(name string) id.ID { return id.ID(o.Int(name)) }),
		Root:        field(o, "associated_category_id", func(name string) id.ID { return id.ID(o.Int(name)) }),
		Related:     field(o, "related_category_ids", func(name string) []id.ID { return distinct(o.Ints(name)) }),
	}
	if err := o.Err(); err != nil {
		return Changes{}, err
	}
	c.Warnings = outer.Warnings(nil)
	return c, nil
}

// field decodes the field of a name.
func field[T any](o *api.Object, name string, read func(string) T) Field[T] {
	return Field[T]{Given: o.Has(name), Null: o.Null(name), Value: read(name)}
}

// distinct are the numbers as ids, without repeats.
func distinct(numbers []int64) []id.ID {
	var ids []id.ID
	seen := make(map[int64]bool, len(numbers))
	for _, n := range numbers {
		if !seen[n] {
			seen[n] = true
			ids = append(ids, id.ID(n))
		}
	}
	return ids
}
