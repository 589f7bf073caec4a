// Package document reads YAML as CloudFormation does: without aliases, merge keys, null values and repeated keys. Every
// error names the file and the line.
package document

import (
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"gopkg.in/yaml.v3"
)

// Fragment is a YAML file, or a part of one. It knows its file, so that every error can name the line.
type Fragment struct {
	Path string // of the file
	Root *yaml.Node
}

// Read reads a file. Its nodes may be shared, so they must not be changed.
func Read(path string) (Fragment, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return Fragment{}, fmt.Errorf("read template: %w", err)
	}
	d := Fragment{Path: path}
	// The content is compared, so an edited file is always parsed again.
	if before := latest.Load(); before != nil && before.source == string(source) {
		d.Root = before.root
		return d, nil
	}
	var file yaml.Node
	if err := yaml.Unmarshal(source, &file); err != nil {
		return d, d.syntaxError(err)
	}
	if len(file.Content) == 0 {
		return d, fmt.Errorf("%s: the file is empty", path)
	}
	d.Root = file.Content[0]
	if err := d.lint(d.Root); err != nil {
		return d, err
	}
	latest.Store(&parsed{string(source), d.Root})
	return d, nil
}

// latest caches the file that was read last: the tests of a package start dozens of stacks with the same template.
var latest atomic.Pointer[parsed]

// parsed is a file's text with its nodes.
type parsed struct {
	source string
	root   *yaml.Node
}

// Part returns the part of d with root n.
func (d Fragment) Part(n *yaml.Node) Fragment { return Fragment{Path: d.Path, Root: n} }

// lint refuses the YAML that CloudFormation refuses.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
func (d Fragment) lint(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return d.Errorf(n, "CloudFormation knows no aliases (*%s)", n.Value)
	case n.Tag == "!!null":
		return d.Errorf(n, "CloudFormation knows no null values")
	case n.Kind == yaml.MappingNode:
		seen := make(map[string]bool)
		for key := range Pairs(n) {
			switch {
			case key.Kind != yaml.ScalarNode:
				return d.Errorf(key, "a key must be a string")
			case key.Tag == "!!merge":
				return d.Errorf(key, "CloudFormation knows no merge keys (<<)")
			case seen[key.Value]:
				return d.Errorf(key, "%s is given twice", key.Value)
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

// Errorf returns an error at the line of n.
func (d Fragment) Errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", d.Path, n.Line, fmt.Errorf(format, args...))
}

// syntaxError turns the parser's "yaml: line 7: …" into "template.yaml:7: …".
func (d Fragment) syntaxError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if line, ok := strings.CutPrefix(message, "line "); ok {
		return fmt.Errorf("%s:%s", d.Path, line)
	}
	return fmt.Errorf("%s: %s", d.Path, message)
}

// Text returns the value of a scalar, as it is written.
func (d Fragment) Text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", d.Errorf(n, "a string is wanted here")
	}
	return n.Value, nil
}

// Texts returns the values of a list of scalars. A single scalar stands for a list of one, as in an IAM policy.
func (d Fragment) Texts(n *yaml.Node) ([]string, error) {
	items := Listed(n)
	values := make([]string, 0, len(items))
	for _, item := range items {
		value, err := d.Text(item)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// Listed returns the elements of a sequence. Anything else stands for a list of itself.
func Listed(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// Number returns an integer from low to high, both included.
func (d Fragment) Number(n *yaml.Node, low, high int) (int, error) {
	value, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || value < low || value > high {
		return 0, d.Errorf(n, "a number from %d to %d is wanted here", low, high)
	}
	return value, nil
}

// Mapping returns n if it is a mapping.
func (d Fragment) Mapping(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, d.Errorf(n, "a mapping is wanted here")
	}
	return n, nil
}

// Lookup follows keys down through mappings. It returns nil if one of them is absent.
func Lookup(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		var found *yaml.Node
		for k, value := range Pairs(n) {
			if k.Value == key {
				found = value
			}
		}
		n = found
	}
	return n
}

// Pairs yields the keys and values of a mapping, in order. For anything else it yields nothing.
func Pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
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

// Scalar returns a string at the position of another node, so that errors name its line.
func Scalar(at *yaml.Node, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: at.Line, Column: at.Column}
}
