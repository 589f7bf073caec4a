package request

import (
	"slices"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"

	"golang.org/x/text/unicode/norm"
)

// MaxBody is the largest body of a request, in bytes. It is twice the size of the longest category that the rules
// allow, with every character escaped.
const MaxBody = 256 << 10

// parse parses a request's body. Authentication errors come before those of the body, so a body is parsed before
// anybody knows who has sent it. The limit keeps that cheap.
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

// DecodeChanges decodes the changes, which are under the key category. The error names the malformed field. It turns
// the slug into Unicode normalization form C (NFC), so that two spellings of one slug are equal.
//
// Without the key, a body with one of the fields at its top is the category itself: the client libraries that are made
// from Chatwoot's own description send it so.
func DecodeChanges(r *api.Request) (Changes, error) {
	body, err := parse(r)
	if err != nil {
		return Changes{}, err
	}
	o := body.Object("category")
	if err := body.Err(); err != nil {
		return Changes{}, err
	}
	at := "category."
	if !body.Has("category") && slices.ContainsFunc(fields, body.Has) {
		o, at = body, ""
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
	c.Warnings, c.at = body.Warnings(nil), at
	return c, nil
}

// fields are the names of all fields of a category.
var fields = []string{
	"name", "slug", "locale", "description", "position", "parent_category_id", "associated_category_id",
	"related_category_ids",
}

// field decodes the field of a name with read, which notes a wrong type as an error of the object.
func field[T any](o *api.Object, name string, read func(string) T) Field[T] {
	return Field[T]{Given: o.Has(name), Null: o.Null(name), Value: read(name)}
}

// distinct returns the numbers as ids, without repeats, in the order of their first appearance.
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
