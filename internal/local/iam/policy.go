// Package iam decides as IAM does what a policy allows.
package iam

import (
	"slices"
	"strings"
)

// Policy is what one role may do: the statements of its identity-based policies. The zero Policy allows nothing.
type Policy struct {
	statements []statement
}

// Allows evaluates the policy as IAM does: everything is denied that no statement allows, and a statement that denies
// wins over all that allow.
//
// Keys are the condition keys of the request. A key that is absent is absent in IAM's sense (ForAllValues holds, Null
// is true). A key that is present without values is one whose values could not be found out: then no Allow that is
// conditioned on it holds, and every Deny.
//
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
func (p Policy) Allows(action, resource string, keys map[string][]string) bool {
	return p.evaluate(action, resource, keys) == Allow
}

// Decision is how IAM answers; it tells the two ways of refusing apart.
type Decision int

const (
	ImplicitDeny Decision = iota // no statement allows it
	ExplicitDeny                 // a statement denies it
	Allow
)

func (p Policy) evaluate(action, resource string, keys map[string][]string) Decision {
	v := ImplicitDeny
	for _, s := range p.statements {
		switch {
		case !s.applies(action, resource, keys):
		case s.deny:
			return ExplicitDeny
		default:
			v = Allow
		}
	}
	return v
}

// statement is one Allow or Deny.
type statement struct {
	deny       bool
	actions    patterns
	resources  patterns
	conditions []condition
}

// patterns are what an Action or a Resource lists; with except, as in NotAction, they are what it leaves out.
type patterns struct {
	list   []string
	except bool
}

func (s statement) applies(action, resource string, keys map[string][]string) bool {
	return s.actions.match(action, matchAction) &&
		s.resources.match(resource, matchResource) &&
		!slices.ContainsFunc(s.conditions, func(c condition) bool { return !c.holds(keys, s.deny) })
}

func (p patterns) match(value string, match func(pattern, value string) bool) bool {
	found := slices.ContainsFunc(p.list, func(pattern string) bool { return match(pattern, value) })
	return found != p.except
}

// matchAction knows no case: dynamodb:getitem is dynamodb:GetItem.
func matchAction(pattern, action string) bool {
	return matchWildcards(strings.ToLower(pattern), strings.ToLower(action))
}

// matchResource compares two ARNs part by part, so that no wildcard reaches over a colon into the next part.
func matchResource(pattern, resource string) bool {
	if pattern == "*" {
		return true
	}
	patterns, parts := strings.SplitN(pattern, ":", arnParts), strings.SplitN(resource, ":", arnParts)
	return slices.EqualFunc(patterns, parts, matchWildcards)
}

// arnParts: arn, partition, service, region, account, resource. The resource may have colons of its own.
const arnParts = 6

// matchWildcards matches the whole of s, * being any run of characters and ? any one of them.
func matchWildcards(pattern, s string) bool {
	p, text := []rune(pattern), []rune(s)
	i, j := 0, 0
	star, mark := -1, 0 // the last *, and where the text after its run begins
	for j < len(text) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == text[j]):
			i++
			j++
		case star >= 0: // let the last * take one more
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
