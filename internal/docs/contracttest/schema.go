package contracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are the document's schemas. Each is compiled when it is first used. The library that reads the document
// compiles one at every exchange, which took a third of the tests' time.
type schemas struct {
	components any
	compiled   sync.Map // *jsonschema.Schema by *openapi3.SchemaRef
}

func newSchemas(document *openapi3.T) (*schemas, error) {
	components, err := toJSON(document.Components)
	return &schemas{components: components}, err
}

// toJSON returns a value in the form in which the schema library reads JSON.
func toJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the contract: %w", err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// of compiles a schema, together with the components that it may refer to.
func (s *schemas) of(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	if compiled, ok := s.compiled.Load(ref); ok {
		return compiled.(*jsonschema.Schema), nil
	}
	root, err := toJSON(ref)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	// An endpoint that does not fetch a URL also accepts a text that is no URL, and succeeds.
	compiler.RegisterFormat(&jsonschema.Format{Name: "uri", Validate: func(any) error { return nil }})
	const name = "mem:///contract.json"
	if err := compiler.AddResource(name, map[string]any{"components": s.components, "root": root}); err != nil {
		return nil, fmt.Errorf("read the contract's schemas: %w", err)
	}
	compiled, err := compiler.Compile(name + "#/root")
	if err != nil {
		return nil, fmt.Errorf("compile a schema of the contract: %w", err)
	}
	s.compiled.Store(ref, compiled)
	return compiled, nil
}

// check returns where a value breaks its schema, and how.
func (s *schemas) check(what string, ref *openapi3.SchemaRef, value any) error {
	schema, err := s.of(ref)
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
