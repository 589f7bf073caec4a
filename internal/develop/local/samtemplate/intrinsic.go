package samtemplate

import (
	"strconv"
	"strings"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// intrinsic is one call of an intrinsic function, in its short form: !Sub ….
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
type intrinsic struct {
	label string     // !Sub
	arg   *yaml.Node // without the tag
}

// asIntrinsic returns the function that n calls, known or not. It returns false for plain values.
func asIntrinsic(n *yaml.Node) (in intrinsic, ok bool) {
	// YAML's own tags begin with two exclamation marks.
	if n.Tag == "" || strings.HasPrefix(n.Tag, "!!") {
		return intrinsic{}, false
	}
	// A copy without the tag, because the node may be evaluated again in another place.
	arg := *n
	arg.Tag = ""
	return intrinsic{label: n.Tag, arg: &arg}, true
}

// evaluator returns the evaluation of an intrinsic, or nil if it is unknown. AWS::NoValue evaluates to a nil node.
func (s *scope) evaluator(label string) func(intrinsic) *yaml.Node {
	switch label {
	case "!And":
		return s.and
	case "!Condition":
		return s.condition
	case "!Equals":
		return s.equals
	case "!GetAtt":
		return s.getAtt
	case "!If":
		return s.ifElse
	case "!Not":
		return s.not
	case "!Ref":
		return s.ref
	case "!Split":
		return s.split
	case "!Sub":
		return s.sub
	}
	return nil
}

// resolve returns n with the value of every intrinsic in its place. It returns nil for AWS::NoValue, and leaves such
// values out of mappings and sequences.
func (s *scope) resolve(n *yaml.Node) *yaml.Node {
	if in, ok := asIntrinsic(n); ok {
		// Check has refused the unknown ones.
		return s.evaluator(in.label)(in)
	}
	if n.Kind == yaml.ScalarNode {
		return n
	}
	// A copy: the template's own nodes stay, for other evaluations of the same property.
	resolved := *n
	resolved.Content = nil
	if n.Kind == yaml.MappingNode {
		for key, value := range document.Pairs(n) {
			if v := s.resolve(value); v != nil {
				resolved.Content = append(resolved.Content, key, v)
			}
		}
		return &resolved
	}
	for _, item := range n.Content {
		if v := s.resolve(item); v != nil {
			resolved.Content = append(resolved.Content, v)
		}
	}
	return &resolved
}

// resolveText resolves a node that must be a string.
func (s *scope) resolveText(n *yaml.Node) string {
	v := s.resolve(n)
	if v == nil {
		panic(s.fail(n, "a string is wanted here, not AWS::NoValue"))
	}
	return must(s.Text(v))
}

// arguments returns the elements of an intrinsic's list, of which there must be from low to high.
func (s *scope) arguments(in intrinsic, low, high int) []*yaml.Node {
	args := in.arg.Content
	if in.arg.Kind == yaml.SequenceNode && len(args) >= low && len(args) <= high {
		return args
	}
	if low == high {
		panic(s.fail(in.arg, "%s wants a list of %d", in.label, low))
	}
	panic(s.fail(in.arg, "%s wants a list of %d to %d", in.label, low, high))
}

// twoTexts returns exactly two arguments, which must be strings.
func (s *scope) twoTexts(in intrinsic) (a, b string) {
	args := s.arguments(in, 2, 2)
	return s.resolveText(args[0]), s.resolveText(args[1])
}

// ref evaluates Ref: AWS::NoValue, a pseudo parameter, a parameter or a resource, in this order.
func (s *scope) ref(in intrinsic) *yaml.Node {
	name := must(s.Text(in.arg))
	if name == "AWS::NoValue" {
		return nil
	}
	if value, ok := s.pseudoParameter(name); ok {
		return document.Scalar(in.arg, value)
	}
	if value, ok := s.parameters[name]; ok {
		return document.Scalar(in.arg, value)
	}
	// Check has made sure that the resource exists.
	return document.Scalar(in.arg, s.physicalName(in.arg, name))
}

// getAtt evaluates GetAtt.
func (s *scope) getAtt(in intrinsic) *yaml.Node {
	id, attribute := s.attributePath(in)
	return document.Scalar(in.arg, s.attribute(in.arg, id, attribute))
}

// attributePath splits "Table.Arn".
func (s *scope) attributePath(in intrinsic) (id, attribute string) {
	id, attribute, ok := strings.Cut(must(s.Text(in.arg)), ".")
	if !ok {
		panic(s.fail(in.arg, "%s wants a resource and its attribute", in.label))
	}
	return id, attribute
}

// split evaluates Split, whose result is a list.
func (s *scope) split(in intrinsic) *yaml.Node {
	delimiter, text := s.twoTexts(in)
	if delimiter == "" {
		panic(s.fail(in.arg, "%s wants a delimiter that is not empty", in.label))
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: in.arg.Line}
	for item := range strings.SplitSeq(text, delimiter) {
		list.Content = append(list.Content, document.Scalar(in.arg, item))
	}
	return list
}

// sub evaluates Sub of a text.
func (s *scope) sub(in intrinsic) *yaml.Node {
	return document.Scalar(in.arg, s.substitute(in, func(variable intrinsic) string {
		// A name with a dot is an attribute, any other a reference.
		evaluate := s.ref
		if isAttribute(variable.arg.Value) {
			evaluate = s.getAtt
		}
		value := evaluate(variable)
		if value == nil {
			panic(s.fail(in.arg, "%s cannot insert AWS::NoValue", in.label))
		}
		return value.Value
	}))
}

// substitute replaces every ${Name} in the text of a Sub by a value, and ${!Name} by the literal ${Name}. It does not
// search the values again.
func (s *scope) substitute(in intrinsic, value func(variable intrinsic) string) string {
	var out strings.Builder
	rest := must(s.Text(in.arg))
	for {
		before, after, found := strings.Cut(rest, "${")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed {
			panic(s.fail(in.arg, "${%s is not closed", name))
		}
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			out.WriteString("${" + literal + "}")
		} else {
			out.WriteString(value(intrinsic{label: in.label, arg: document.Scalar(in.arg, name)}))
		}
		rest = after
	}
}

// isAttribute reports whether a variable of Sub means GetAtt rather than Ref.
func isAttribute(name string) bool { return strings.Contains(name, ".") }

// exists reports whether the condition of a resource holds. A resource without one always exists.
func (s *scope) exists(r resource) bool { return r.when == nil || s.holds(r.when) }

// holds evaluates the condition named by n, once.
func (s *scope) holds(n *yaml.Node) bool {
	name := must(s.Text(n))
	holds, known := s.conditions[name]
	if !known {
		s.checkCondition(n)
		// Until this function returns, a reference back to the condition is a circle.
		defer s.enter(n, "condition "+name)()
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

// and evaluates And. It stops at the first operand that is false.
func (s *scope) and(in intrinsic) *yaml.Node {
	for _, arg := range s.arguments(in, 2, 10) {
		if !s.truth(arg) {
			return in.boolean(false)
		}
	}
	return in.boolean(true)
}

// not evaluates Not.
func (s *scope) not(in intrinsic) *yaml.Node { return in.boolean(!s.truth(s.arguments(in, 1, 1)[0])) }

// equals evaluates Equals, which compares texts: 1 and "1" are equal.
func (s *scope) equals(in intrinsic) *yaml.Node {
	a, b := s.twoTexts(in)
	return in.boolean(a == b)
}

// ifElse evaluates If. It resolves only the chosen branch, so the other may refer to resources that do not exist.
func (s *scope) ifElse(in intrinsic) *yaml.Node {
	args := s.arguments(in, 3, 3)
	if s.holds(args[0]) {
		return s.resolve(args[1])
	}
	return s.resolve(args[2])
}
