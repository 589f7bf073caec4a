package iam

import (
	"fmt"
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// source is the document from which a policy is compiled.
type source struct{ document.Fragment }

// Compile compiles the Policies of a function: one policy document, or a list of them. Without a root there are none.
// SAM also accepts the name of a managed policy, and its own policy templates. Those are errors here, because what they
// allow is not in the template. Errors name the path and the line.
func Compile(d document.Fragment) (Policy, error) {
	var p Policy
	if d.Root == nil {
		return p, nil
	}
	for _, entry := range document.Listed(d.Root) {
		statements, err := source{d}.policyDocument(entry)
		if err != nil {
			return Policy{}, err
		}
		p.statements = append(p.statements, statements...)
	}
	return p, nil
}

// policyDocument reads one policy document. A mapping without a Statement is a policy template of SAM.
func (d source) policyDocument(n *yaml.Node) ([]statement, error) {
	if n.Kind == yaml.ScalarNode {
		return nil, d.Errorf(n, "the managed policy %s is not known here: write its statements out", n.Value)
	}
	list := document.Lookup(n, "Statement")
	for key, value := range document.Pairs(n) {
		switch {
		case key.Value == "Statement", key.Value == "Id":
		case key.Value == "Version" && (value.Value == "2012-10-17" || value.Value == "2008-10-17"):
		case key.Value == "Version":
			return nil, d.Errorf(value, "the policy version %s is not known", value.Value)
		// Without a Statement it is one of SAM's policy templates, whose name is the only key.
		case list == nil:
			return nil, d.Errorf(key, "the policy template %s is not known here: write its statements out", key.Value)
		default:
			return nil, d.Errorf(key, "%s is not known in a policy", key.Value)
		}
	}
	if list == nil {
		return nil, d.Errorf(n, "a policy needs a Statement")
	}
	var statements []statement
	for _, entry := range document.Listed(list) {
		s, err := d.statement(entry)
		if err != nil {
			return nil, err
		}
		statements = append(statements, s)
	}
	return statements, nil
}

// statement reads one statement. Everything unknown in it is an error, because ignoring it could allow too much.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
func (d source) statement(n *yaml.Node) (statement, error) {
	var s statement
	if _, err := d.Mapping(n); err != nil {
		return s, err
	}
	seen := make(map[string]bool)
	for key, value := range document.Pairs(n) {
		var err error
		element := key.Value
		switch element {
		case "Sid":
		case "Effect":
			s.deny, err = d.effect(value)
		case "Action", "NotAction":
			s.actions.except = element == "NotAction"
			s.actions.list, err = d.policyTexts(value, validAction)
			// Both names set the same element, so a statement with both is found below.
			element = "Action"
		case "Resource", "NotResource":
			s.resources.except = element == "NotResource"
			s.resources.list, err = d.policyTexts(value, validResource)
			element = "Resource"
		case "Condition":
			s.conditions, err = d.conditions(value)
		default:
			err = d.Errorf(key, "%s is not known in a policy's statement", element)
		}
		if err != nil {
			return s, err
		}
		if seen[element] {
			return s, d.Errorf(key, "a statement has one of %s and Not%s", element, element)
		}
		seen[element] = true
	}
	for _, element := range []string{"Effect", "Action", "Resource"} {
		if !seen[element] {
			return s, d.Errorf(n, "a statement needs %s", element)
		}
	}
	return s, nil
}

// effect reads an Effect, whose case matters.
func (d source) effect(n *yaml.Node) (deny bool, err error) {
	switch n.Value {
	case "Allow":
		return false, nil
	case "Deny":
		return true, nil
	}
	return false, d.Errorf(n, "an Effect is Allow or Deny")
}

// policyTexts returns the strings of a policy's list, each of which must be valid. It refuses policy variables, for
// which IAM inserts values of the request.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
func (d source) policyTexts(n *yaml.Node, valid func(string) error) ([]string, error) {
	texts, err := d.Texts(n)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, d.Errorf(n, "a policy's list must not be empty")
	}
	for i, item := range document.Listed(n) {
		if strings.Contains(texts[i], "${") {
			return nil, d.Errorf(item, "the policy variable in %s is not known", texts[i])
		}
		if err := valid(texts[i]); err != nil {
			return nil, d.Errorf(item, "%w", err)
		}
	}
	return texts, nil
}

// validAction wants service:Name, with wildcards only in the name, or a single *.
func validAction(action string) error {
	service, name, _ := strings.Cut(action, ":")
	if action != "*" && (service == "" || name == "" || strings.ContainsAny(service, "*?")) {
		return fmt.Errorf("%q is no action of a service", action)
	}
	return nil
}

// validResource wants an ARN of six parts, or a single *.
func validResource(resource string) error {
	if resource != "*" && len(strings.SplitN(resource, ":", arnParts)) < arnParts {
		return fmt.Errorf("%q is no ARN", resource)
	}
	return nil
}
