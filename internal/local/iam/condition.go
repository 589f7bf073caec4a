package iam

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/local/document"

	"gopkg.in/yaml.v3"
)

// condition is one key of one operator in a statement's Condition. A statement applies only if all of its
// conditions hold.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
type condition struct {
	quantifier quantifier
	operator   operator
	key        string
	values     []string
}

// quantifier says how a key with several values is compared. See "Single-valued vs. multivalued context keys" in IAM's
// user guide.
type quantifier string

const (
	single   quantifier = ""
	everyOne quantifier = "ForAllValues:"
	anyOne   quantifier = "ForAnyValue:"
)

// operator compares a value of the policy with a value of the request.
type operator struct {
	match   func(pattern, value string) bool
	negated bool
	null    bool // compares nothing, but asks whether the key is absent
}

var operators = map[string]operator{
	"Bool":                      {match: strings.EqualFold},
	"Null":                      {null: true},
	"StringEquals":              {match: equalText},
	"StringEqualsIgnoreCase":    {match: strings.EqualFold},
	"StringLike":                {match: matchWildcards},
	"StringNotEquals":           {match: equalText, negated: true},
	"StringNotEqualsIgnoreCase": {match: strings.EqualFold, negated: true},
	"StringNotLike":             {match: matchWildcards, negated: true},
}

// equalText compares with case and without wildcards.
func equalText(a, b string) bool { return a == b }

// Condition keys that requests can have here.
const (
	LeadingKeys        = "dynamodb:LeadingKeys"
	Attributes         = "dynamodb:Attributes"
	EnclosingOperation = "dynamodb:EnclosingOperation"
	FromAddress        = "ses:FromAddress"
	Recipients         = "ses:Recipients"
	requestedRegion    = "aws:RequestedRegion"
	secureTransport    = "aws:SecureTransport"
)

// conditionKeys are the keys that a policy may use, and whether a request has several values for them. IAM ignores the
// case of keys, so these are in lower case.
var conditionKeys = map[string]struct {
	name    string
	several bool
}{
	strings.ToLower(LeadingKeys):        {LeadingKeys, true},
	strings.ToLower(Attributes):         {Attributes, true},
	strings.ToLower(EnclosingOperation): {EnclosingOperation, false},
	strings.ToLower(FromAddress):        {FromAddress, false},
	strings.ToLower(Recipients):         {Recipients, true},
	strings.ToLower(requestedRegion):    {requestedRegion, false},
	strings.ToLower(secureTransport):    {secureTransport, false},
}

// holds evaluates the condition. If the values of the key are unknown, the result is the one that refuses the request.
func (c condition) holds(keys map[string][]string, deny bool) bool {
	values, present := keys[c.key]
	// The key is there, but its values are unknown.
	if present && len(values) == 0 {
		return deny
	}
	if c.operator.null {
		return slices.Contains(c.values, "true") != present
	}
	switch c.quantifier {
	case everyOne: // holds also if there is no value
		return !slices.ContainsFunc(values, func(v string) bool { return !c.accepts(v) })
	case anyOne:
		return slices.ContainsFunc(values, c.accepts)
	}
	if !present {
		return c.operator.negated
	}
	return c.accepts(values[0])
}

// accepts compares one value of the request with the policy's values. It must equal any of them or, if the operator is
// negated, none.
func (c condition) accepts(value string) bool {
	found := slices.ContainsFunc(c.values, func(pattern string) bool { return c.operator.match(pattern, value) })
	return found != c.operator.negated
}

// conditions reads a statement's Condition: a mapping of operators to mappings of keys to one or several values.
func (d source) conditions(n *yaml.Node) ([]condition, error) {
	if _, err := d.Mapping(n); err != nil {
		return nil, err
	}
	var all []condition
	for operator, block := range document.Pairs(n) {
		if _, err := d.Mapping(block); err != nil {
			return nil, err
		}
		for key, values := range document.Pairs(block) {
			c, err := d.condition(operator, key, values)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// condition reads one key of an operator, with its values.
func (d source) condition(name, key, values *yaml.Node) (condition, error) {
	var c condition
	bare := name.Value
	for _, q := range []quantifier{everyOne, anyOne} {
		if rest, ok := strings.CutPrefix(bare, string(q)); ok {
			c.quantifier, bare = q, rest
		}
	}
	var known bool
	c.operator, known = operators[bare]
	if !known {
		return c, d.Errorf(name, "the condition operator %s is not known", name.Value)
	}
	k, known := conditionKeys[strings.ToLower(key.Value)]
	if !known {
		return c, d.Errorf(key, "the condition key %s is not known", key.Value)
	}
	c.key = k.name
	switch {
	case c.operator.null && c.quantifier != single:
		return c, d.Errorf(name, "Null takes no %s", strings.TrimSuffix(string(c.quantifier), ":"))
	case !c.operator.null && k.several && c.quantifier == single:
		return c, d.Errorf(name, "%s has several values: %s needs ForAllValues or ForAnyValue", c.key, bare)
	}
	valid := func(string) error { return nil }
	if bare == "Null" || bare == "Bool" {
		valid = validBool
	}
	var err error
	c.values, err = d.policyTexts(values, valid)
	return c, err
}

// validBool accepts true and false, which a policy may write as strings.
func validBool(value string) error {
	if value != "true" && value != "false" {
		return fmt.Errorf("true or false is wanted here, not %q", value)
	}
	return nil
}
