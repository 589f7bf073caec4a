package template

import (
	"strconv"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// exists reports whether the condition of a resource holds. A resource without one always exists.
func (s *scope) exists(r resource) bool { return r.when == nil || s.holds(r.when) }

// holds evaluates the condition named by n, once.
func (s *scope) holds(n *yaml.Node) bool {
	name := must(s.Text(n))
	holds, known := s.conditions[name]
	if !known {
		s.checkCondition(n)
		// Until this function returns, a reference back to the condition is a circle.
		defer s.visit(n, "condition "+name)()
		holds = s.truth(document.Lookup(s.Root, "Conditions", name))
		s.conditions[name] = holds
	}
	return holds
}

// truth resolves a node that must be a condition.
func (s *scope) truth(n *yaml.Node) bool {
	text := s.resolveText(n)
	if text != "true" && text != "false" {
		panic(s.fail(n, "a condition is wanted here"))
	}
	return text == "true"
}

// boolean returns a condition's value as CloudFormation writes it: the text true or false.
func (in intrinsic) boolean(value bool) *yaml.Node {
	return document.Scalar(in.arg, strconv.FormatBool(value))
}

// condition evaluates Condition, which names another condition.
func (s *scope) condition(in intrinsic) *yaml.Node { return in.boolean(s.holds(in.arg)) }

// andOr evaluates Fn::And and Fn::Or. It stops at the first operand that decides.
func (s *scope) andOr(in intrinsic) *yaml.Node {
	decisive := in.name == "Fn::Or"
	for _, arg := range s.arguments(in, 2, 10) {
		if s.truth(arg) == decisive {
			return in.boolean(decisive)
		}
	}
	return in.boolean(!decisive)
}

// not evaluates Fn::Not.
func (s *scope) not(in intrinsic) *yaml.Node { return in.boolean(!s.truth(s.arguments(in, 1, 1)[0])) }

// equals evaluates Fn::Equals, which compares texts: 1 and "1" are equal.
func (s *scope) equals(in intrinsic) *yaml.Node {
	texts := s.argumentTexts(in, 2)
	return in.boolean(texts[0] == texts[1])
}

// ifElse evaluates Fn::If. It resolves only the chosen branch, so the other may refer to resources that do not exist.
func (s *scope) ifElse(in intrinsic) *yaml.Node {
	args := s.arguments(in, 3, 3)
	if s.holds(args[0]) {
		return s.resolve(args[1])
	}
	return s.resolve(args[2])
}
