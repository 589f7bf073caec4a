package template

import (
	"strconv"
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// intrinsic is one call of an intrinsic function, in its short form (!Sub …) or its long one (Fn::Sub: …).
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
type intrinsic struct {
	name  string     // as in the long form: Ref, Condition, Fn::Sub
	label string     // as the template writes it
	arg   *yaml.Node // without the tag
}

// asIntrinsic returns the function that n calls, known or not. It returns false for plain values.
func asIntrinsic(n *yaml.Node) (in intrinsic, ok bool) {
	// YAML's own tags begin with two exclamation marks.
	if n.Tag != "" && !strings.HasPrefix(n.Tag, "!!") {
		// A copy without the tag, because the node may be evaluated again in another place.
		arg := *n
		arg.Tag = ""
		name := strings.TrimPrefix(n.Tag, "!")
		if name != "Ref" && name != "Condition" {
			name = "Fn::" + name
		}
		return intrinsic{name: name, label: n.Tag, arg: &arg}, true
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return intrinsic{}, false
	}
	key, arg := n.Content[0].Value, n.Content[1]
	switch {
	case strings.HasPrefix(key, "Fn::"),
		key == "Ref",
		key == "Condition" && arg.Kind == yaml.ScalarNode: // a policy's Condition is a mapping
		return intrinsic{name: key, label: key, arg: arg}, true
	}
	return intrinsic{}, false
}

// meaning returns the evaluation of an intrinsic, or nil for an unknown name. AWS::NoValue evaluates to a nil node.
func (s *scope) meaning(name string) func(intrinsic) *yaml.Node {
	switch name {
	case "Ref":
		return s.ref
	case "Condition":
		return s.condition
	case "Fn::And", "Fn::Or":
		return s.andOr
	case "Fn::Equals":
		return s.equals
	case "Fn::FindInMap":
		return s.findInMap
	case "Fn::GetAtt":
		return s.getAtt
	case "Fn::If":
		return s.ifElse
	case "Fn::Join":
		return s.join
	case "Fn::Not":
		return s.not
	case "Fn::Select":
		return s.selectElement
	case "Fn::Split":
		return s.split
	case "Fn::Sub":
		return s.sub
	}
	return nil
}

// resolve returns n with the value of every intrinsic in its place. It returns nil for AWS::NoValue, and leaves such
// values out of mappings and sequences.
func (s *scope) resolve(n *yaml.Node) *yaml.Node {
	if in, ok := asIntrinsic(n); ok {
		evaluate := s.meaning(in.name)
		if evaluate == nil {
			panic(s.fail(n, "%s is not known", in.label))
		}
		return evaluate(in)
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

// resolveList resolves an argument that must be a list.
func (s *scope) resolveList(in intrinsic, n *yaml.Node) *yaml.Node {
	list := s.resolve(n)
	if list == nil || list.Kind != yaml.SequenceNode {
		panic(s.fail(n, "%s wants a list here", in.label))
	}
	return list
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

// argumentTexts returns exactly count arguments, which must all be strings.
func (s *scope) argumentTexts(in intrinsic, count int) []string {
	var texts []string
	for _, arg := range s.arguments(in, count, count) {
		texts = append(texts, s.resolveText(arg))
	}
	return texts
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
		// The value takes the line of the Ref, so an error about it points to where it is used.
		here := *value
		here.Line = in.arg.Line
		return &here
	}
	return document.Scalar(in.arg, s.physicalName(in.arg, name)) // check has made sure that the resource exists
}

// findInMap evaluates Fn::FindInMap. Its keys may be intrinsics themselves.
func (s *scope) findInMap(in intrinsic) *yaml.Node {
	path := s.argumentTexts(in, 3)
	value := document.Lookup(s.Root, append([]string{"Mappings"}, path...)...)
	if value == nil {
		panic(s.fail(in.arg, "the mapping %s does not exist", strings.Join(path, ".")))
	}
	return value
}

// getAtt evaluates Fn::GetAtt. The attribute may be an intrinsic, the resource may not.
func (s *scope) getAtt(in intrinsic) *yaml.Node {
	id, attribute := s.attributePath(in)
	return document.Scalar(in.arg, s.attribute(in.arg, id, s.resolveText(attribute)))
}

// attributePath splits "Table.Arn" and [Table, Arn]. In the second form the attribute may be a Ref.
func (s *scope) attributePath(in intrinsic) (id string, attribute *yaml.Node) {
	if in.arg.Kind == yaml.ScalarNode {
		id, name, ok := strings.Cut(in.arg.Value, ".")
		if !ok {
			panic(s.fail(in.arg, "%s wants a resource and its attribute", in.label))
		}
		return id, document.Scalar(in.arg, name)
	}
	args := s.arguments(in, 2, 2)
	return must(s.Text(args[0])), args[1]
}

// join evaluates Fn::Join.
func (s *scope) join(in intrinsic) *yaml.Node {
	args := s.arguments(in, 2, 2)
	delimiter := s.resolveText(args[0])
	items := must(s.Texts(s.resolveList(in, args[1])))
	return document.Scalar(in.arg, strings.Join(items, delimiter))
}

// split evaluates Fn::Split, whose result is a list.
func (s *scope) split(in intrinsic) *yaml.Node {
	texts := s.argumentTexts(in, 2)
	if texts[0] == "" {
		panic(s.fail(in.arg, "%s wants a delimiter that is not empty", in.label))
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: in.arg.Line}
	for item := range strings.SplitSeq(texts[1], texts[0]) {
		list.Content = append(list.Content, document.Scalar(in.arg, item))
	}
	return list
}

// selectElement evaluates Fn::Select, whose index may be written as a text.
func (s *scope) selectElement(in intrinsic) *yaml.Node {
	args := s.arguments(in, 2, 2)
	position := s.resolveText(args[0])
	list := s.resolveList(in, args[1]).Content
	i, err := strconv.Atoi(position)
	if err != nil || i < 0 || i >= len(list) {
		panic(s.fail(in.arg, "%s has no element %s", in.label, position))
	}
	return list[i]
}
