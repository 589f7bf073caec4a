package template

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// check walks everything under n, whether the local stack needs it or not, and refuses intrinsics that are not known and
// references to what the template does not have.
func (s *scope) check(n *yaml.Node) error {
	in, ok := asIntrinsic(n)
	if !ok {
		return s.checkChildren(n)
	}
	if s.function(in.name) == nil {
		return s.Errorf(n, "%s is not known", in.label)
	}
	if err := s.checkReferences(in); err != nil {
		return err
	}
	return s.checkChildren(in.arg)
}

func (s *scope) checkChildren(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		for key, value := range document.Pairs(n) {
			if strings.HasPrefix(key.Value, "Fn::") {
				return s.Errorf(key, "%s must be the only key of its mapping", key.Value)
			}
			if err := s.check(value); err != nil {
				return err
			}
		}
		return nil
	}
	for _, item := range n.Content {
		if err := s.check(item); err != nil {
			return err
		}
	}
	return nil
}

// checkReferences checks the names in one intrinsic, but not in what is nested in it.
func (s *scope) checkReferences(in intrinsic) error {
	switch in.name {
	case "Ref":
		name, err := s.Text(in.arg)
		if err != nil {
			return err
		}
		return s.checkName(in.arg, name)
	case "Condition":
		return s.checkCondition(in.arg)
	case "Fn::If":
		args, err := s.arguments(in, 3, 3)
		if err != nil {
			return err
		}
		return s.checkCondition(args[0])
	case "Fn::GetAtt":
		id, _, err := s.attributePath(in)
		if err != nil {
			return err
		}
		return s.checkResource(in.arg, id)
	case "Fn::Sub":
		text, own, err := s.subParts(in)
		if err != nil {
			return err
		}
		_, err = s.substitute(text, func(name string) (string, error) {
			if document.Lookup(own, name) != nil {
				return "", nil
			}
			if isAttribute(name) {
				id, _, _ := strings.Cut(name, ".")
				return "", s.checkResource(text, id)
			}
			return "", s.checkName(text, name)
		})
		return err
	}
	return nil
}

// checkName refuses a name that !Ref could not resolve.
func (s *scope) checkName(at *yaml.Node, name string) error {
	if _, ok := s.pseudoParameter(name); ok || name == "AWS::NoValue" {
		return nil
	}
	if strings.HasPrefix(name, "AWS::") {
		return s.Errorf(at, "the pseudo parameter %s is not known", name)
	}
	if s.parameters[name] != nil {
		return nil
	}
	if _, ok := s.resources[name]; !ok {
		return s.Errorf(at, "%s is neither a parameter nor a resource of this template", name)
	}
	return nil
}

func (s *scope) checkResource(at *yaml.Node, id string) error {
	if _, ok := s.resources[id]; !ok {
		return s.Errorf(at, "%s is no resource of this template", id)
	}
	return nil
}

func (s *scope) checkCondition(n *yaml.Node) error {
	name, err := s.Text(n)
	if err != nil {
		return err
	}
	if document.Lookup(s.Root, "Conditions", name) == nil {
		return s.Errorf(n, "the condition %s does not exist", name)
	}
	return nil
}
