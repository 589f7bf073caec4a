package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/local/document"

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

// parameterValue returns a scalar or, for a parameter whose type is a list, a sequence.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
func (s *scope) parameterValue(key, definition *yaml.Node) *yaml.Node {
	kind := ""
	if n := document.Lookup(definition, "Type"); n != nil {
		kind = n.Value
	}
	text, given := s.values.Parameters[key.Value]
	fallback := document.Lookup(definition, "Default")
	if !given && fallback == nil {
		text, given = s.values.Defaults[key.Value]
	}
	if !given {
		if fallback == nil {
			panic(s.fail(key, "the parameter %s has neither a value nor a Default", key.Value))
		}
		// Its Default is the name of an SSM parameter, not a value.
		if strings.HasPrefix(kind, "AWS::SSM::") {
			panic(s.fail(key, "the parameter %s is kept in SSM: give its value", key.Value))
		}
		text = must(s.Text(fallback))
	}
	if kind != "CommaDelimitedList" && !strings.HasPrefix(kind, "List<") {
		return s.parameterItem(key, definition, kind, text)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: key.Line}
	for item := range strings.SplitSeq(text, ",") {
		list.Content = append(list.Content, s.parameterItem(key, definition, kind, strings.TrimSpace(item)))
	}
	return list
}

// parameterItem checks a single value against AllowedValues and AllowedPattern. As in CloudFormation, the pattern has
// to match the whole value.
func (s *scope) parameterItem(key, definition *yaml.Node, kind, value string) *yaml.Node {
	n := document.Scalar(key, value)
	if kind == "Number" || kind == "List<Number>" {
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			panic(s.fail(key, "the parameter %s must be a number, not %q", key.Value, value))
		}
		n.Tag = "" // without a tag, YAML reads it as a number again
	}
	if allowed := document.Lookup(definition, "AllowedValues"); allowed != nil {
		if values := must(s.Texts(allowed)); !slices.Contains(values, value) {
			all := strings.Join(values, ", ")
			panic(s.fail(allowed, "the parameter %s must be one of %s, not %q", key.Value, all, value))
		}
	}
	if pattern := document.Lookup(definition, "AllowedPattern"); pattern != nil {
		whole, err := regexp.Compile("^(?:" + pattern.Value + ")$")
		if err != nil {
			panic(s.fail(pattern, "the pattern of the parameter %s: %w", key.Value, err))
		}
		if !whole.MatchString(value) {
			panic(s.fail(pattern, "the parameter %s must match %s, unlike %q", key.Value, pattern.Value, value))
		}
	}
	return n
}
