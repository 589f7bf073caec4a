package template

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// sub evaluates Fn::Sub: a text, or a list of a text and a mapping with variables of its own, which take precedence.
func (s *scope) sub(in intrinsic) *yaml.Node {
	text, variables := s.subParts(in)
	return document.Scalar(in.arg, s.substitute(text, func(name string) string {
		if value := document.Lookup(variables, name); value != nil {
			return s.resolveText(value)
		}
		// A name with a dot is an attribute, any other a reference.
		evaluate := s.ref
		if isAttribute(name) {
			evaluate = s.getAtt
		}
		value := evaluate(intrinsic{name: "Ref", label: in.label, arg: document.Scalar(in.arg, name)})
		if value == nil {
			panic(s.fail(text, "%s cannot insert AWS::NoValue", in.label))
		}
		return must(s.Text(value))
	}))
}

// subParts returns the text of an Fn::Sub, and its own variables or nil.
func (s *scope) subParts(in intrinsic) (text, variables *yaml.Node) {
	if in.arg.Kind == yaml.ScalarNode {
		return in.arg, nil
	}
	args := s.arguments(in, 2, 2)
	// The text must not be an intrinsic: CloudFormation reads it before it evaluates anything.
	must(s.Text(args[0]))
	return args[0], must(s.Mapping(args[1]))
}

// substitute replaces every ${Name} in the text by a value, and ${!Name} by the literal ${Name}. It does not search the
// values again.
func (s *scope) substitute(text *yaml.Node, value func(name string) string) string {
	var out strings.Builder
	rest := text.Value
	for {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed {
			panic(s.fail(text, "${%s is not closed", name))
		}
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			out.WriteString("${" + literal + "}")
		} else {
			out.WriteString(value(name))
		}
		rest = after
	}
}

// isAttribute reports whether a variable of Fn::Sub means Fn::GetAtt rather than Ref.
func isAttribute(name string) bool { return strings.Contains(name, ".") }
