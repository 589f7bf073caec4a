package eventbridge

import (
	"slices"
	"strings"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// pattern is an event pattern, or a part of one: of an object its fields, of any other value the texts that it may be.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
type pattern struct {
	fields map[string]pattern
	texts  []string
}

// compile compiles an event pattern. What is neither an object of patterns nor a list of texts is an error at its line.
func compile(source document.Fragment) (pattern, error) {
	if source.Root.Kind == yaml.MappingNode {
		p := pattern{fields: map[string]pattern{}}
		for key, value := range document.Pairs(source.Root) {
			field, err := compile(source.Part(value))
			if strings.HasPrefix(key.Value, "$") {
				err = source.Errorf(key, "%s is not known in an event pattern", key.Value)
			}
			if err != nil {
				return pattern{}, err
			}
			p.fields[key.Value] = field
		}
		return p, nil
	}
	if source.Root.Kind != yaml.SequenceNode {
		return pattern{}, source.Errorf(source.Root, "an event pattern has lists of texts, and objects of them")
	}
	var p pattern
	for _, item := range source.Root.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			return pattern{}, source.Errorf(item, "a text is wanted here: operators and other values are not known")
		}
		p.texts = append(p.texts, item.Value)
	}
	return p, nil
}

// matches reports whether a value in an event, as JSON decodes it, matches the pattern. Of a list, an element has to.
func (p pattern) matches(value any) bool {
	if list, ok := value.([]any); ok {
		return slices.ContainsFunc(list, p.matches)
	}
	if p.fields == nil {
		text, ok := value.(string)
		return ok && slices.Contains(p.texts, text)
	}
	object, ok := value.(map[string]any)
	for name, field := range p.fields {
		if !ok || !field.matches(object[name]) {
			return false
		}
	}
	return ok
}
