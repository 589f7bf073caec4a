package template

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// sub is Fn::Sub: a text, or a list of a text and a mapping with variables of its own.
func (s *scope) sub(in intrinsic) (*yaml.Node, error) {
	text, own, err := s.subParts(in)
	if err != nil {
		return nil, err
	}
	value, err := s.substitute(text, func(name string) (string, error) {
		if value := document.Lookup(own, name); value != nil {
			return s.resolveText(value)
		}
		call := intrinsic{name: "Ref", label: in.label, arg: document.Scalar(in.arg, name)}
		apply := s.ref
		if isAttribute(name) {
			apply = s.getAtt
		}
		value, err := apply(call)
		if err != nil {
			return "", err
		}
		if value == nil {
			return "", s.Errorf(text, "%s cannot insert AWS::NoValue", in.label)
		}
		return s.Text(value)
	})
	return document.Scalar(in.arg, value), err
}

// subParts are the text of an Fn::Sub and its own variables, nil if it has none.
func (s *scope) subParts(in intrinsic) (text, variables *yaml.Node, err error) {
	if in.arg.Kind == yaml.ScalarNode {
		return in.arg, nil, nil
	}
	args, err := s.arguments(in, 2, 2)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.Text(args[0]); err != nil {
		return nil, nil, err
	}
	variables, err = s.Mapping(args[1])
	return args[0], variables, err
}

// substitute replaces every ${Name} of text, and ${!Name} by the literal ${Name}.
func (s *scope) substitute(text *yaml.Node, value func(name string) (string, error)) (string, error) {
	var out strings.Builder
	rest := text.Value
	for {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", s.Errorf(text, "${%s is not closed", name)
		}
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			out.WriteString("${" + literal + "}")
		} else {
			v, err := value(name)
			if err != nil {
				return "", err
			}
			out.WriteString(v)
		}
		rest = after
	}
}

// isAttribute is whether a variable of Fn::Sub means Fn::GetAtt rather than Ref.
func isAttribute(name string) bool { return strings.Contains(name, ".") }
