package iam

import (
	"regexp"

	"frontdesk/internal/develop/local/document"

	"gopkg.in/yaml.v3"
)

// source is the document from which a policy is compiled.
type source struct{ document.Fragment }

// Compile compiles the Policies of a function: one policy document, or a list of them. Without a root there are none.
// Errors name the path and the line.
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

// policyDocument reads one policy document. Text is the name of a managed policy, and a mapping without a Statement one
// of SAM's policy templates: what they allow is not in the template.
func (d source) policyDocument(n *yaml.Node) (statements []statement, err error) {
	list := document.Lookup(n, "Statement")
	if list == nil {
		return nil, d.Errorf(n, "a policy needs a Statement: only what is written out here is known")
	}
	for key, value := range document.Pairs(n) {
		if key.Value != "Statement" && (key.Value != "Version" || value.Value != "2012-10-17") {
			return nil, d.Errorf(key, "%s %s is not known in a policy", key.Value, value.Value)
		}
	}
	for _, entry := range document.Listed(list) {
		s, err := d.statement(entry)
		if err != nil {
			return nil, err
		}
		statements = append(statements, s)
	}
	return statements, nil
}

// statement reads one statement.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
func (d source) statement(n *yaml.Node) (s statement, err error) {
	if _, err := d.Mapping(n); err != nil {
		return s, err
	}
	effect := ""
	for key, value := range document.Pairs(n) {
		switch key.Value {
		case "Effect":
			effect, err = d.Text(value)
			if err == nil && effect != "Allow" {
				err = d.Errorf(value, "the Effect %s is not known: statements allow", effect)
			}
		case "Action":
			s.actions, err = d.texts(value, isAction, "an action of DynamoDB or SES, without wildcards")
		case "Resource":
			s.resources, err = d.texts(value, isResource, "an ARN, in which * may be the last character")
		case "Condition":
			s.conditions, err = d.conditions(value)
		default:
			err = d.Errorf(key, "%s is not known in a policy's statement", key.Value)
		}
		if err != nil {
			return s, err
		}
	}
	if effect == "" || s.actions == nil || s.resources == nil {
		return s, d.Errorf(n, "a statement needs Effect, Action and Resource")
	}
	return s, nil
}

// Forms of what a policy names. What a request is compared with follows from them: no pattern has another wildcard.
var (
	isAction    = regexp.MustCompile(`^(dynamodb|ses):\w+$`)
	isResource  = regexp.MustCompile(`^arn:([^:*?$]*:){4}[^*?$]*\*?$`)
	isPattern   = regexp.MustCompile(`^[^*?$]+\*?$`)
	isAttribute = regexp.MustCompile(`^\w+$`)
)

// conditions reads a statement's Condition: a mapping of operators to mappings of keys to values.
func (d source) conditions(n *yaml.Node) (all []condition, err error) {
	if _, err := d.Mapping(n); err != nil {
		return nil, err
	}
	for operator, block := range document.Pairs(n) {
		if _, err := d.Mapping(block); err != nil {
			return nil, err
		}
		for key, values := range document.Pairs(block) {
			c := condition{key: key.Value}
			switch operator.Value + " " + key.Value {
			case "ForAllValues:StringLike " + LeadingKeys:
				c.matches = isLike
				c.values, err = d.texts(values, isPattern, "a key, in which * may be the last character")
			case "ForAllValues:StringEquals " + Attributes:
				c.matches = equals
				c.values, err = d.texts(values, isAttribute, "an attribute's name")
			default:
				err = d.Errorf(key, "the condition %s of %s is not known", operator.Value, key.Value)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// texts returns the strings of a policy's list, each of which must have the form that wanted describes.
func (d source) texts(n *yaml.Node, form *regexp.Regexp, wanted string) ([]string, error) {
	texts, err := d.Texts(n)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, d.Errorf(n, "a policy's list must not be empty")
	}
	for i, item := range document.Listed(n) {
		if !form.MatchString(texts[i]) {
			return nil, d.Errorf(item, "%q is not known in a policy: %s is wanted here", texts[i], wanted)
		}
	}
	return texts, nil
}
