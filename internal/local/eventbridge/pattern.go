package eventbridge

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// matcher reports whether one of the values at a place in an event matches the pattern. An absent place has no values.
type matcher func(values []any) bool

// compile compiles an event pattern, or a part of one. An unknown operator is an error at its line.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
func compile(pattern document.Fragment) (matcher, error) {
	switch n := pattern.Root; n.Kind {
	case yaml.MappingNode:
		return compileFields(pattern)
	case yaml.SequenceNode:
		var alternatives []matcher
		for _, item := range n.Content {
			m, err := compileAlternative(pattern.Part(item))
			if err != nil {
				return nil, err
			}
			alternatives = append(alternatives, m)
		}
		return func(values []any) bool {
			for _, matches := range alternatives {
				if matches(values) {
					return true
				}
			}
			return false
		}, nil
	}
	return nil, pattern.Errorf(pattern.Root, "an event pattern has lists of values, and objects of them")
}

// compileFields compiles an object. All of its fields have to match.
func compileFields(pattern document.Fragment) (matcher, error) {
	fields := map[string]matcher{}
	for key, value := range document.Pairs(pattern.Root) {
		m, err := compile(pattern.Part(value))
		if strings.HasPrefix(key.Value, "$") {
			err = pattern.Errorf(key, "%s is not known in an event pattern", key.Value)
		}
		if err != nil {
			return nil, err
		}
		fields[key.Value] = m
	}
	return anyOf(func(value any) bool {
		object, ok := value.(map[string]any)
		for name, matches := range fields {
			if !ok || !matches(valuesOf(object, name)) {
				return false
			}
		}
		return ok
	}), nil
}

// compileAlternative compiles an element of a list: a value, {exists: …}, {prefix: …} or {suffix: …}.
func compileAlternative(pattern document.Fragment) (matcher, error) {
	n := pattern.Root
	if n.Kind == yaml.ScalarNode {
		var want any
		if err := n.Decode(&want); err != nil {
			return nil, pattern.Errorf(n, "%w", err)
		}
		// YAML distinguishes integers from other numbers, JSON does not.
		if number, ok := want.(int); ok {
			want = float64(number) // as JSON decodes it
		}
		return anyOf(func(value any) bool { return value == want }), nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return nil, pattern.Errorf(n, "one value, or one operator, is wanted here")
	}
	operator, operand := n.Content[0].Value, n.Content[1].Value
	text := func(holds func(s, operand string) bool) (matcher, error) {
		return anyOf(func(value any) bool { s, ok := value.(string); return ok && holds(s, operand) }), nil
	}
	switch operator {
	case "exists":
		// An empty list has no elements, so it counts as absent.
		return func(values []any) bool { return (len(values) > 0) == (operand == "true") }, nil
	case "prefix":
		return text(strings.HasPrefix)
	case "suffix":
		return text(strings.HasSuffix)
	}
	return nil, pattern.Errorf(n, "the operator %s is not known here", operator)
}

// valuesOf returns the values of a field. For an array these are its elements, one of which has to match.
func valuesOf(object map[string]any, name string) []any {
	value, ok := object[name]
	if list, isList := value.([]any); isList {
		return list
	}
	if !ok {
		return nil
	}
	return []any{value}
}

// anyOf returns a matcher that is satisfied by a single value.
func anyOf(holds func(any) bool) matcher {
	return func(values []any) bool {
		for _, value := range values {
			if holds(value) {
				return true
			}
		}
		return false
	}
}
