package contracttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/base/api"

	"github.com/getkin/kin-openapi/openapi3"
)

// checkFields compares the fields of a request that succeeded with the contract, where the answer warns of those that
// nobody reads: it warns of each that the contract lacks, and of none that the contract has. The endpoint may pass over
// an empty one, and warns of the first few.
func checkFields(o *openapi3.Operation, media *openapi3.MediaType, sent, answer any) error {
	if !warns(o) {
		return nil
	}
	warnings := slices.Concat(texts(answer, "warning"), texts(answer, "warnings"))
	many := slices.Contains(warnings, "further unknown fields are ignored")
	var faults []error
	eachField(media.Schema.Value, "", sent, func(path string, value any, known bool) {
		warning := "unknown field " + api.Brief(path) + " is ignored"
		warned := slices.ContainsFunc(warnings, func(w string) bool { return strings.HasPrefix(w, warning) })
		switch {
		case known && warned:
			faults = append(faults, fmt.Errorf("the endpoint does not read the contract's %s", path))
		case !known && !warned && !many && !empty(value):
			faults = append(faults, fmt.Errorf("the endpoint reads %s, which the contract lacks", path))
		}
	})
	return errors.Join(faults...)
}

// warns reports whether the answers of an operation have warnings.
func warns(o *openapi3.Operation) bool {
	for _, declared := range o.Responses.Map() {
		media := declared.Value.Content.Get("application/json")
		if media == nil {
			continue
		}
		for _, answer := range append(media.Schema.Value.OneOf, media.Schema) {
			if answer.Value.Properties["warning"] != nil || answer.Value.Properties["warnings"] != nil {
				return true
			}
		}
	}
	return false
}

// texts returns a list of texts of an object, nil if there is none.
func texts(value any, name string) (list []string) {
	object, _ := value.(map[string]any)
	values, _ := object[name].([]any)
	for _, v := range values {
		text, _ := v.(string)
		list = append(list, text)
	}
	return list
}

// eachField calls f for each field of a value whose object has fields in the schema, with its path.
func eachField(schema *openapi3.Schema, path string, value any, f func(path string, value any, known bool)) {
	switch v := value.(type) {
	case map[string]any:
		for name, inside := range v {
			if len(schema.Properties) == 0 {
				break // any field may be there
			}
			property, known := schema.Properties[name]
			f(path+name, inside, known)
			if known {
				eachField(property.Value, path+name+".", inside, f)
			}
		}
	case []any:
		for i, inside := range v {
			if schema.Items != nil {
				eachField(schema.Items.Value, fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i), inside, f)
			}
		}
	}
}

// empty reports whether a value counts as not given.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
