package samtemplate

import (
	"strings"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// check walks through everything below n, whether the local stack uses it or not. It refuses unknown intrinsics, and
// references to what the template does not contain.
func (s *scope) check(n *yaml.Node) {
	if in, ok := asIntrinsic(n); ok {
		if s.evaluator(in.label) == nil {
			panic(s.fail(n, "%s is not known", in.label))
		}
		s.checkReferences(in)
		n = in.arg // the arguments may contain intrinsics themselves
	}
	for key, value := range document.Pairs(n) {
		if key.Value == "Ref" || strings.HasPrefix(key.Value, "Fn::") {
			panic(s.fail(key, "%s is not known: write !%s", key.Value, strings.TrimPrefix(key.Value, "Fn::")))
		}
		s.check(value)
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			s.check(item)
		}
	}
}

// checkReferences checks the names in one intrinsic, without those in nested ones.
func (s *scope) checkReferences(in intrinsic) {
	switch in.label {
	case "!Ref":
		s.checkName(in.arg, must(s.Text(in.arg)))
	case "!Condition":
		s.checkCondition(in.arg)
	// Only the name of the condition is a reference here; the branches are checked as children.
	case "!If":
		s.checkCondition(s.arguments(in, 3, 3)[0])
	case "!GetAtt":
		id, _ := s.attributePath(in)
		s.checkResource(in.arg, id)
	case "!Sub":
		s.substitute(in, func(variable intrinsic) string {
			if name := variable.arg.Value; isAttribute(name) {
				id, _, _ := strings.Cut(name, ".")
				s.checkResource(in.arg, id)
			} else {
				s.checkName(in.arg, name)
			}
			return ""
		})
	}
}

// checkName refuses a name that !Ref could not resolve.
func (s *scope) checkName(at *yaml.Node, name string) {
	_, isPseudo := s.pseudoParameter(name)
	_, isParameter := s.parameters[name]
	if isPseudo || isParameter || name == "AWS::NoValue" {
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
