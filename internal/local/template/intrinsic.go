package template

import (
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// intrinsic is one use of a CloudFormation function, in its short form (!Sub …) or its long one (Fn::Sub: …).
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
type intrinsic struct {
	name  string     // as in the long form: Ref, Condition, Fn::Sub
	label string     // as the template writes it
	arg   *yaml.Node // without the tag
}

// asIntrinsic is the function that n calls, known or not; ok is false for plain values.
func asIntrinsic(n *yaml.Node) (in intrinsic, ok bool) {
	if n.Tag != "" && !strings.HasPrefix(n.Tag, "!!") {
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

// function is the meaning of an intrinsic, nil if it is not known. The meaning of AWS::NoValue is a nil node.
func (s *scope) function(name string) func(intrinsic) (*yaml.Node, error) {
	switch name {
	case "Ref":
		return s.ref
	case "Condition":
		return s.conditionRef
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
		return s.choose
	case "Fn::Split":
		return s.split
	case "Fn::Sub":
		return s.sub
	}
	return nil
}

// resolve is n with every intrinsic in it replaced by its value. It is nil for AWS::NoValue, and what is nil inside a
// mapping or a sequence is left out of it.
func (s *scope) resolve(n *yaml.Node) (*yaml.Node, error) {
	if in, ok := asIntrinsic(n); ok {
		apply := s.function(in.name)
		if apply == nil {
			return nil, s.Errorf(n, "%s is not known", in.label)
		}
		return apply(in)
	}
	if n.Kind == yaml.ScalarNode {
		return n, nil
	}
	resolved := *n
	resolved.Content = nil
	if n.Kind == yaml.MappingNode {
		for key, value := range document.Pairs(n) {
			v, err := s.resolve(value)
			if err != nil {
				return nil, err
			}
			if v != nil {
				resolved.Content = append(resolved.Content, key, v)
			}
		}
		return &resolved, nil
	}
	for _, item := range n.Content {
		v, err := s.resolve(item)
		if err != nil {
			return nil, err
		}
		if v != nil {
			resolved.Content = append(resolved.Content, v)
		}
	}
	return &resolved, nil
}

// resolveText resolves what must be a string.
func (s *scope) resolveText(n *yaml.Node) (string, error) {
	v, err := s.resolve(n)
	if err != nil {
		return "", err
	}
	if v == nil {
		return "", s.Errorf(n, "a string is wanted here, not AWS::NoValue")
	}
	return s.Text(v)
}

// arguments are the elements of an intrinsic's list, between low and high of them.
func (s *scope) arguments(in intrinsic, low, high int) ([]*yaml.Node, error) {
	args := in.arg.Content
	if in.arg.Kind != yaml.SequenceNode || len(args) < low || len(args) > high {
		if low == high {
			return nil, s.Errorf(in.arg, "%s wants a list of %d", in.label, low)
		}
		return nil, s.Errorf(in.arg, "%s wants a list of %d to %d", in.label, low, high)
	}
	return args, nil
}

func (s *scope) ref(in intrinsic) (*yaml.Node, error) {
	name, err := s.Text(in.arg)
	if err != nil {
		return nil, err
	}
	if name == "AWS::NoValue" {
		return nil, nil
	}
	if value, ok := s.pseudoParameter(name); ok {
		return document.Scalar(in.arg, value), nil
	}
	if value, ok := s.parameters[name]; ok {
		here := *value
		here.Line = in.arg.Line
		return &here, nil
	}
	value, err := s.physicalName(in.arg, name) // check has seen to it that there is such a resource
	return document.Scalar(in.arg, value), err
}

func (s *scope) findInMap(in intrinsic) (*yaml.Node, error) {
	path, err := s.argumentTexts(in, 3)
	if err != nil {
		return nil, err
	}
	value := document.Lookup(s.Root, append([]string{"Mappings"}, path...)...)
	if value == nil {
		return nil, s.Errorf(in.arg, "the mapping %s does not exist", strings.Join(path, "."))
	}
	return value, nil
}

func (s *scope) getAtt(in intrinsic) (*yaml.Node, error) {
	id, attribute, err := s.attributePath(in)
	if err != nil {
		return nil, err
	}
	name, err := s.resolveText(attribute)
	if err != nil {
		return nil, err
	}
	value, err := s.attribute(in.arg, id, name)
	return document.Scalar(in.arg, value), err
}

// attributePath splits "Table.Arn" and [Table, Arn]; the attribute of the second form may be a Ref.
func (s *scope) attributePath(in intrinsic) (id string, attribute *yaml.Node, err error) {
	if in.arg.Kind == yaml.ScalarNode {
		id, name, ok := strings.Cut(in.arg.Value, ".")
		if !ok {
			return "", nil, s.Errorf(in.arg, "%s wants a resource and its attribute", in.label)
		}
		return id, document.Scalar(in.arg, name), nil
	}
	args, err := s.arguments(in, 2, 2)
	if err != nil {
		return "", nil, err
	}
	id, err = s.Text(args[0])
	return id, args[1], err
}

func (s *scope) join(in intrinsic) (*yaml.Node, error) {
	args, err := s.arguments(in, 2, 2)
	if err != nil {
		return nil, err
	}
	delimiter, err := s.resolveText(args[0])
	if err != nil {
		return nil, err
	}
	list, err := s.resolveList(in, args[1])
	if err != nil {
		return nil, err
	}
	items, err := s.Texts(list)
	if err != nil {
		return nil, err
	}
	return document.Scalar(in.arg, strings.Join(items, delimiter)), nil
}

func (s *scope) split(in intrinsic) (*yaml.Node, error) {
	texts, err := s.argumentTexts(in, 2)
	if err != nil {
		return nil, err
	}
	if texts[0] == "" {
		return nil, s.Errorf(in.arg, "%s wants a delimiter that is not empty", in.label)
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: in.arg.Line}
	for item := range strings.SplitSeq(texts[1], texts[0]) {
		list.Content = append(list.Content, document.Scalar(in.arg, item))
	}
	return list, nil
}

// choose is Fn::Select.
func (s *scope) choose(in intrinsic) (*yaml.Node, error) {
	args, err := s.arguments(in, 2, 2)
	if err != nil {
		return nil, err
	}
	position, err := s.resolveText(args[0])
	if err != nil {
		return nil, err
	}
	list, err := s.resolveList(in, args[1])
	if err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(position)
	if err != nil || i < 0 || i >= len(list.Content) {
		return nil, s.Errorf(in.arg, "%s has no element %s", in.label, position)
	}
	return list.Content[i], nil
}

// resolveList resolves an argument that must be a list.
func (s *scope) resolveList(in intrinsic, n *yaml.Node) (*yaml.Node, error) {
	list, err := s.resolve(n)
	if err != nil {
		return nil, err
	}
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, s.Errorf(n, "%s wants a list here", in.label)
	}
	return list, nil
}

// argumentTexts are exactly count arguments, all strings.
func (s *scope) argumentTexts(in intrinsic, count int) ([]string, error) {
	args, err := s.arguments(in, count, count)
	if err != nil {
		return nil, err
	}
	texts := slices.Grow([]string(nil), count)
	for _, arg := range args {
		text, err := s.resolveText(arg)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}
