// Package iam decides what the policies of a role allow, as IAM does: an explicit deny overrides every allow, and what
// no statement allows is denied. It knows policies that are written out in a template, condition operators for strings
// and booleans, and the condition keys that calls of DynamoDB and SES have here. Everything else is an error: managed
// policies, policy variables, principals, other operators and keys. Ignoring them could allow too much.
package iam

import (
	"slices"
	"strings"
)

// Policy is what a role may do: the statements of its identity-based policies. The zero Policy allows nothing.
type Policy struct {
	statements []statement
}

// Decision is IAM's answer.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
type Decision int

const (
	ImplicitDeny Decision = iota // no statement allows it, and none denies it
	Allow
	ExplicitDeny // a statement denies it, which overrides every Allow
)

// evaluate asks all statements, because a later Deny overrides an earlier Allow.
func (p Policy) evaluate(action, resource string, keys map[string][]string) Decision {
	decision := ImplicitDeny
	for _, s := range p.statements {
		switch {
		case !s.applies(action, resource, keys):
		case s.deny:
			return ExplicitDeny
		default:
			decision = Allow
		}
	}
	return decision
}

// statement is one Allow or Deny.
type statement struct {
	deny       bool
	actions    patterns
	resources  patterns
	conditions []condition
}

// patterns are the list of an Action or a Resource. With except, as in NotAction, they match everything else.
type patterns struct {
	list   []string
	except bool
}

// applies reports whether a statement is about this request. With a condition on an unknown key, a Deny applies and an
// Allow does not.
func (s statement) applies(action, resource string, keys map[string][]string) bool {
	return s.actions.match(action, matchAction) &&
		s.resources.match(resource, matchResource) &&
		!slices.ContainsFunc(s.conditions, func(c condition) bool { return !c.holds(keys, s.deny) })
}

// match reports whether a value matches any pattern or, with except, none of them.
func (p patterns) match(value string, match func(pattern, value string) bool) bool {
	found := slices.ContainsFunc(p.list, func(pattern string) bool { return match(pattern, value) })
	return found != p.except
}

// matchAction ignores case: dynamodb:getitem is the same as dynamodb:GetItem.
func matchAction(pattern, action string) bool {
	return matchWildcards(strings.ToLower(pattern), strings.ToLower(action))
}

// matchResource compares two ARNs part by part. So no wildcard reaches beyond a colon into the next part.
func matchResource(pattern, resource string) bool {
	if pattern == "*" {
		return true
	}
	patterns, parts := strings.SplitN(pattern, ":", arnParts), strings.SplitN(resource, ":", arnParts)
	return slices.EqualFunc(patterns, parts, matchWildcards)
}

// arnParts counts arn, partition, service, region, account and resource. The resource may contain colons itself.
const arnParts = 6

// matchWildcards matches the whole of s. The pattern's * stands for any run of characters, ? for exactly one.
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
		case star >= 0: // let the last * take one character more
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
