package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
)

// OpenAPI30 returns the contract in OpenAPI 3.0, for generators that do not read 3.1. It says less than the contract:
// 3.0 cannot describe the names that an object may have, and allows one example for each schema.
// https://spec.openapis.org/oas/v3.0.3.html
func OpenAPI30() ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(Contract))
	decoder.UseNumber() // a float64 would round the largest id
	var document object
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	document["openapi"] = "3.0.3"
	info := document["info"].(object)
	delete(info, "summary")
	delete(info["license"].(object), "identifier")
	components := document["components"].(object)
	all := components["schemas"].(object)
	schemas := earlierSchemas{nullable: map[string]bool{}}
	for _, s := range all {
		schemas.convert(s.(object))
	}
	for _, part := range []any{
		document["paths"], components["parameters"], components["headers"], components["responses"],
	} {
		schemas.convertIn(part)
	}
	for name := range schemas.nullable {
		s := maps.Clone(all[name].(object))
		s["nullable"] = true
		all[nullable+name] = s
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("write the contract: %w", err)
	}
	return out.Bytes(), nil
}

type object = map[string]any

// earlierSchemas converts schemas of OpenAPI 3.1 to 3.0, in place.
type earlierSchemas struct {
	nullable map[string]bool // names of the components that also need a version that may be null
}

// nullable begins the name of such a version. In 3.0 null can stand only beside a type, and nothing can stand beside
// a reference.
const nullable = "Nullable"

// convertIn converts all schemas within a part of the document that is no schema itself. It leaves examples alone:
// they are data, whatever their names are.
func (e earlierSchemas) convertIn(part any) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			e.convertIn(p)
		}
	case object:
		for name, p := range part {
			switch name {
			case "schema":
				e.convert(p.(object))
			case "example", "examples":
			default:
				e.convertIn(p)
			}
		}
	}
}

// convert turns one schema, and all schemas within it, into those of 3.0. The contract uses null in two forms only:
// beside one other type, and as the second of two in an anyOf.
func (e earlierSchemas) convert(s object) {
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		of, _ := s[name].([]any)
		for _, sub := range of {
			e.convert(sub.(object))
		}
	}
	properties, _ := s["properties"].(object)
	for _, p := range properties {
		e.convert(p.(object))
	}
	for _, name := range []string{"items", "additionalProperties", "not"} {
		if sub, ok := s[name].(object); ok {
			e.convert(sub)
		}
	}
	if types, ok := s["type"].([]any); ok { // one of the two is null
		s["nullable"] = true
		s["type"] = types[1-slices.Index(types, any("null"))]
	}
	// A reference that may be null becomes a reference to the nullable copy of its component.
	if of, ok := s["anyOf"].([]any); ok && of[1].(object)["type"] == "null" {
		folder, name := path.Split(of[0].(object)["$ref"].(string))
		e.nullable[name] = true
		clear(s)
		s["$ref"] = folder + nullable + name
	}
	if value, ok := s["const"]; ok {
		s["enum"] = []any{value}
	}
	if examples, ok := s["examples"].([]any); ok {
		s["example"] = examples[0]
	}
	if s["contentEncoding"] == "base64" {
		s["format"] = "byte"
	}
	// Keywords of 3.1 that 3.0 does not have.
	for _, later := range []string{"const", "examples", "contentEncoding", "propertyNames"} {
		delete(s, later)
	}
}
