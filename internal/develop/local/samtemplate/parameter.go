package samtemplate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// loadParameters gives every parameter its value: that of Values.Parameters, or else its Default, or else that of
// Values.Defaults. A value of Values.Parameters for a parameter that the template lacks is an error.
func (s *scope) loadParameters() {
	section := document.Lookup(s.Root, "Parameters")
	for key, definition := range document.Pairs(section) {
		s.parameters[key.Value] = s.parameterValue(key, definition)
	}
	// A misspelt name must not be ignored: the default would be used instead.
	for name := range s.values.Parameters {
		if document.Lookup(section, name) == nil {
			panic(failure{fmt.Errorf("%s: the template has no parameter %s", s.Path, name)})
		}
	}
}

// parameterValue returns the value of a parameter, which has to be one that its definition allows.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
func (s *scope) parameterValue(key, definition *yaml.Node) string {
	s.checkKeys(definition, "the parameter "+key.Value, "Type", "Default", "AllowedValues", "AllowedPattern",
		"MinValue", "NoEcho", "Description")
	value, given := s.values.Parameters[key.Value]
	fallback := document.Lookup(definition, "Default")
	if !given && fallback != nil {
		value, given = must(s.Text(fallback)), true
	}
	if !given {
		value, given = s.values.Defaults[key.Value]
	}
	if !given {
		panic(s.fail(key, "the parameter %s has neither a value nor a Default", key.Value))
	}
	s.checkType(key, definition, value)
	if allowed := document.Lookup(definition, "AllowedValues"); allowed != nil {
		if values := must(s.Texts(allowed)); !slices.Contains(values, value) {
			all := strings.Join(values, ", ")
			panic(s.fail(allowed, "the parameter %s must be one of %s, not %q", key.Value, all, value))
		}
	}
	if pattern := document.Lookup(definition, "AllowedPattern"); pattern != nil {
		// As in CloudFormation, the pattern has to match the whole value.
		whole, err := regexp.Compile("^(?:" + pattern.Value + ")$")
		if err != nil {
			panic(s.fail(pattern, "the pattern of the parameter %s: %w", key.Value, err))
		}
		if !whole.MatchString(value) {
			panic(s.fail(pattern, "the parameter %s must match %s, unlike %q", key.Value, pattern.Value, value))
		}
	}
	return value
}

// checkType refuses a value that has not the Type, or is below the MinValue.
func (s *scope) checkType(key, definition *yaml.Node, value string) {
	kind, least := document.Lookup(definition, "Type"), document.Lookup(definition, "MinValue")
	if kind == nil {
		panic(s.fail(key, "the parameter %s has no Type", key.Value))
	}
	switch kind.Value {
	case "String":
	case "Number":
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic(s.fail(key, "the parameter %s must be a number, not %q", key.Value, value))
		}
		if least != nil && number < float64(must(s.Number(least, 0, math.MaxInt32))) {
			panic(s.fail(least, "the parameter %s must be at least %s, not %s", key.Value, least.Value, value))
		}
	default:
		panic(s.fail(kind, "the type %s of the parameter %s is not known", kind.Value, key.Value))
	}
}
