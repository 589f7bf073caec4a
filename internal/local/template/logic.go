package template

import (
	"strconv"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// exists is whether the condition of a resource holds.
func (s *scope) exists(r resource) (bool, error) {
	if r.when == nil {
		return true, nil
	}
	return s.holds(r.when)
}

// holds evaluates the condition that n names.
func (s *scope) holds(n *yaml.Node) (bool, error) {
	name, err := s.Text(n)
	if err != nil {
		return false, err
	}
	if verdict, ok := s.verdicts[name]; ok {
		return verdict, nil
	}
	expression := document.Lookup(s.Root, "Conditions", name)
	if expression == nil {
		return false, s.Errorf(n, "the condition %s does not exist", name)
	}
	leave, err := s.enter(n, "condition "+name)
	if err != nil {
		return false, err
	}
	defer leave()
	verdict, err := s.truth(expression)
	if err != nil {
		return false, err
	}
	s.verdicts[name] = verdict
	return verdict, nil
}

// truth resolves what must be a condition.
func (s *scope) truth(n *yaml.Node) (bool, error) {
	text, err := s.resolveText(n)
	if err != nil {
		return false, err
	}
	if text != "true" && text != "false" {
		return false, s.Errorf(n, "a condition is wanted here")
	}
	return text == "true", nil
}

func (s *scope) conditionRef(in intrinsic) (*yaml.Node, error) {
	verdict, err := s.holds(in.arg)
	return document.Scalar(in.arg, strconv.FormatBool(verdict)), err
}

// andOr is Fn::And and Fn::Or: the first operand that decides ends it.
func (s *scope) andOr(in intrinsic) (*yaml.Node, error) {
	args, err := s.arguments(in, 2, 10)
	if err != nil {
		return nil, err
	}
	decisive := in.name == "Fn::Or"
	for _, arg := range args {
		verdict, err := s.truth(arg)
		if err != nil {
			return nil, err
		}
		if verdict == decisive {
			return document.Scalar(in.arg, strconv.FormatBool(decisive)), nil
		}
	}
	return document.Scalar(in.arg, strconv.FormatBool(!decisive)), nil
}

func (s *scope) not(in intrinsic) (*yaml.Node, error) {
	args, err := s.arguments(in, 1, 1)
	if err != nil {
		return nil, err
	}
	verdict, err := s.truth(args[0])
	return document.Scalar(in.arg, strconv.FormatBool(!verdict)), err
}

func (s *scope) equals(in intrinsic) (*yaml.Node, error) {
	texts, err := s.argumentTexts(in, 2)
	if err != nil {
		return nil, err
	}
	return document.Scalar(in.arg, strconv.FormatBool(texts[0] == texts[1])), nil
}

func (s *scope) ifElse(in intrinsic) (*yaml.Node, error) {
	args, err := s.arguments(in, 3, 3)
	if err != nil {
		return nil, err
	}
	verdict, err := s.holds(args[0])
	if err != nil {
		return nil, err
	}
	if verdict {
		return s.resolve(args[1])
	}
	return s.resolve(args[2])
}
