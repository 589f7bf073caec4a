package template

import (
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// check walks through everything below n, whether the local stack uses it or not. It refuses unknown intrinsics, and
// references to what the template does not contain.
func (s *scope) check(n *yaml.Node) {
	in, ok := asIntrinsic(n)
	if !ok {
		s.checkChildren(n)
		return
	}
	if s.meaning(in.name) == nil {
		panic(s.fail(n, "%s is not known", in.label))
	}
	s.checkReferences(in)
	// The arguments may contain intrinsics themselves.
	s.checkChildren(in.arg)
}

// checkChildren checks what is below a node. An intrinsic must be the only key of its mapping.
func (s *scope) checkChildren(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for key, value := range document.Pairs(n) {
			if strings.HasPrefix(key.Value, "Fn::") {
				panic(s.fail(key, "%s must be the only key of its mapping", key.Value))
			}
			s.check(value)
		}
		return
	}
	for _, item := range n.Content {
		s.check(item)
	}
}

// checkReferences checks the names in one intrinsic, without those in nested ones.
func (s *scope) checkReferences(in intrinsic) {
	switch in.name {
	case "Ref":
		s.checkName(in.arg, must(s.Text(in.arg)))
	case "Condition":
		s.checkCondition(in.arg)
	// Only the name of the condition is a reference here; the branches are checked as children.
	case "Fn::If":
		s.checkCondition(s.arguments(in, 3, 3)[0])
	case "Fn::GetAtt":
		id, _ := s.attributePath(in)
		s.checkResource(in.arg, id)
	case "Fn::Sub":
		text, variables := s.subParts(in)
		s.substitute(text, func(name string) string {
			switch {
			// A variable of the Fn::Sub itself needs no other meaning.
			case document.Lookup(variables, name) != nil:
			case isAttribute(name):
				id, _, _ := strings.Cut(name, ".")
				s.checkResource(text, id)
			default:
				s.checkName(text, name)
			}
			return ""
		})
	}
}

// checkName refuses a name that !Ref could not resolve.
func (s *scope) checkName(at *yaml.Node, name string) {
	if _, ok := s.pseudoParameter(name); ok || name == "AWS::NoValue" || s.parameters[name] != nil {
		return
	}
	if strings.HasPrefix(name, "AWS::") {
		panic(s.fail(at, "the pseudo parameter %s is not known", name))
	}
	if _, ok := s.resources[name]; !ok {
		panic(s.fail(at, "%s is neither a parameter nor a resource of this template", name))
	}
}

// checkResource refuses an id that is no resource, even if a condition could remove the reference.
func (s *scope) checkResource(at *yaml.Node, id string) {
	if _, ok := s.resources[id]; !ok {
		panic(s.fail(at, "%s is no resource of this template", id))
	}
}

// checkCondition refuses the name of a condition that does not exist.
func (s *scope) checkCondition(n *yaml.Node) {
	name := must(s.Text(n))
	if document.Lookup(s.Root, "Conditions", name) == nil {
		panic(s.fail(n, "the condition %s does not exist", name))
	}
}
