package local

import (
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// document is a YAML file, or a part of one, of which every error can name the line.
type document struct {
	path string
	root *yaml.Node
}

func readDocument(path string) (document, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return document{}, fmt.Errorf("read template: %w", err)
	}
	d := document{path: path}
	var file yaml.Node
	if err := yaml.Unmarshal(source, &file); err != nil {
		return d, d.syntaxError(err)
	}
	if len(file.Content) == 0 {
		return d, fmt.Errorf("%s: the file is empty", path)
	}
	d.root = file.Content[0]
	return d, d.lint(d.root)
}

// part is the part of d that n is.
func (d document) part(n *yaml.Node) document { return document{path: d.path, root: n} }

// lint refuses the YAML that CloudFormation refuses: aliases, merge keys, null values and keys given twice.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
func (d document) lint(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return d.errorf(n, "CloudFormation knows no aliases (*%s)", n.Value)
	case n.Tag == "!!null":
		return d.errorf(n, "CloudFormation knows no null values")
	case n.Kind == yaml.MappingNode:
		seen := make(map[string]bool)
		for key := range pairs(n) {
			switch {
			case key.Kind != yaml.ScalarNode:
				return d.errorf(key, "a key must be a string")
			case key.Tag == "!!merge":
				return d.errorf(key, "CloudFormation knows no merge keys (<<)")
			case seen[key.Value]:
				return d.errorf(key, "%s is given twice", key.Value)
			}
			seen[key.Value] = true
		}
	}
	for _, child := range n.Content {
		if err := d.lint(child); err != nil {
			return err
		}
	}
	return nil
}

// errorf is an error at the line of n.
func (d document) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", d.path, n.Line, fmt.Errorf(format, args...))
}

// syntaxError turns the parser's "yaml: line 7: …" into "template.yaml:7: …".
func (d document) syntaxError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if place, ok := strings.CutPrefix(message, "line "); ok {
		return fmt.Errorf("%s:%s", d.path, place)
	}
	return fmt.Errorf("%s: %s", d.path, message)
}

// text is the value of a scalar, as written.
func (d document) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", d.errorf(n, "a string is wanted here")
	}
	return n.Value, nil
}

// texts are the values of a list of scalars; one scalar stands for a list of one, as in an IAM policy.
func (d document) texts(n *yaml.Node) ([]string, error) {
	items := listed(n)
	values := make([]string, 0, len(items))
	for _, item := range items {
		value, err := d.text(item)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// listed are the elements of a sequence; anything else stands for a list of itself.
func listed(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// number is an integer from low to high, both included.
func (d document) number(n *yaml.Node, low, high int) (int, error) {
	value, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || value < low || value > high {
		return 0, d.errorf(n, "a number from %d to %d is wanted here", low, high)
	}
	return value, nil
}

// mapping is n if it is a mapping.
func (d document) mapping(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, d.errorf(n, "a mapping is wanted here")
	}
	return n, nil
}

// lookup follows keys down through mappings. It is nil where one of them is absent.
func lookup(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		var found *yaml.Node
		for k, value := range pairs(n) {
			if k.Value == key {
				found = value
			}
		}
		n = found
	}
	return n
}

// pairs are the keys and values of a mapping, in their order; none for anything else.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// scalar is a string that stands where at stands.
func scalar(at *yaml.Node, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: at.Line, Column: at.Column}
}
