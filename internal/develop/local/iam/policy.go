// Package iam decides what the policies in the project's template allow, as IAM does: what no statement allows is
// denied. It knows what the template says: statements that allow actions by their names, on resources whose ARN may end
// in *, if all partition keys or attributes of the request match. Everything else in a policy is an error with its
// line: statements that deny, managed policies, policy variables, other wildcards, operators and keys. Ignoring them
// could allow too much.
package iam

import (
	"slices"
	"strings"
)

// Policy is what a role may do: the statements of its identity-based policies. The zero Policy allows nothing.
type Policy struct{ statements []statement }

// statement allows actions on resources. It applies only if all of its conditions hold.
type statement struct {
	actions    []string
	resources  []string // ARNs, which may end in *
	conditions []condition
}

// condition is that all values that a request has for a key match any of the values.
// See "Single-valued vs. multivalued context keys" in IAM's user guide.
type condition struct {
	key     string
	matches func(pattern, value string) bool
	values  []string
}

// Condition keys that requests can have here.
const (
	LeadingKeys = "dynamodb:LeadingKeys"
	Attributes  = "dynamodb:Attributes"
)

// Permission is one thing that IAM checks before a call is served. A call may need several permissions.
type Permission struct {
	Action    string   // dynamodb:GetItem
	Resources []string // of which any one suffices
	// Keys are the condition keys of the request. If a key is not in Keys, a condition on it holds. If the values of
	// a key are Unknown, none does.
	Keys map[string][]string
}

// Unknown are the values of a condition key that the request has, but that could not be determined.
var Unknown = []string{}

// Allows reports whether a statement of the policy allows what a call needs.
func (p Policy) Allows(needed Permission) bool {
	return slices.ContainsFunc(p.statements, func(s statement) bool {
		onResource := func(resource string) bool {
			return slices.ContainsFunc(s.resources, func(pattern string) bool { return isLike(pattern, resource) })
		}
		return slices.Contains(s.actions, needed.Action) && slices.ContainsFunc(needed.Resources, onResource) &&
			!slices.ContainsFunc(s.conditions, func(c condition) bool { return !c.holds(needed.Keys) })
	})
}

// holds evaluates the condition.
func (c condition) holds(keys map[string][]string) bool {
	values, present := keys[c.key]
	if present && len(values) == 0 {
		// They are Unknown.
		return false
	}
	for _, value := range values {
		if !slices.ContainsFunc(c.values, func(pattern string) bool { return c.matches(pattern, value) }) {
			return false
		}
	}
	return true
}

// equals compares with case and without wildcards.
func equals(text, value string) bool { return text == value }

// isLike compares with a pattern. A * at its end stands for any characters.
func isLike(pattern, value string) bool {
	if begin, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(value, begin)
	}
	return pattern == value
}
