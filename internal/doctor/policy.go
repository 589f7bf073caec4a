package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// policy is the policy of a topic or a key. It ignores the resources of statements: they can only be the topic or the
// key itself.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
type policy struct {
	Statement list[statement]
}

type statement struct {
	Effect    string
	Principal principal
	Action    list[string]
	Condition map[string]map[string]list[any] // operator -> key -> values
}

// request is what a service asks for. The names of its condition keys are in lower case.
type request struct {
	service, action string
	keys            map[string]string
}

// allows decides as IAM does: one statement that denies outweighs all that allow.
func (p policy) allows(r request) bool {
	allowed := false
	for _, s := range p.Statement {
		if !s.isOf(r) {
			continue
		}
		if s.Effect == "Deny" {
			return false
		}
		allowed = true
	}
	return allowed
}

// isOf reports whether a statement applies to a request. All its conditions have to hold.
func (s statement) isOf(r request) bool {
	if !s.Principal.has(r.service) || !slices.ContainsFunc(s.Action, func(action string) bool {
		return like(strings.ToLower(action), strings.ToLower(r.action))
	}) {
		return false
	}
	for operator, keys := range s.Condition {
		for key, values := range keys {
			value, present := r.keys[strings.ToLower(key)]
			if !holds(operator, values, value, present) {
				return false
			}
		}
	}
	return true
}

// comparisons are the condition operators on texts. With Not in its name an operator means the opposite.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
var comparisons = map[string]func(pattern, value string) bool{
	"ArnEquals":              like,
	"ArnLike":                like,
	"Bool":                   strings.EqualFold,
	"StringEquals":           func(pattern, value string) bool { return pattern == value },
	"StringEqualsIgnoreCase": strings.EqualFold,
	"StringLike":             like,
}

// holds compares a key of a request with the values of a policy. A condition with an unknown operator does not hold.
// If the request lacks the key, only a negated operator or one with IfExists holds, as in IAM.
func holds(operator string, values []any, value string, present bool) bool {
	if operator == "Null" {
		return present != slices.ContainsFunc(values, func(v any) bool { return fmt.Sprint(v) == "true" })
	}
	operator, optional := strings.CutSuffix(operator, "IfExists")
	name := strings.Replace(operator, "Not", "", 1)
	negated := name != operator
	// A key that the request lacks: in IAM only negated operators, and those with IfExists, hold then.
	if !present {
		return optional || negated
	}
	compare, known := comparisons[name]
	return known && negated != slices.ContainsFunc(values, func(v any) bool { return compare(fmt.Sprint(v), value) })
}

// like compares a value with a pattern, in which * stands for any text and ? for one character.
func like(pattern, value string) bool {
	expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("^(?s:" + expression + ")$").MatchString(value)
}

// principal lists whom a statement is for: kind -> names.
type principal map[string]list[string]

// has reports whether a statement is for a service, by name or because it is for everybody.
func (p principal) has(service string) bool {
	return slices.Contains(p["AWS"], "*") || slices.Contains(p["Service"], service)
}

// UnmarshalJSON reads an object, or "*", which stands for everybody.
func (p *principal) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte(`"*"`)) {
		*p = principal{"AWS": {"*"}}
		return nil
	}
	return json.Unmarshal(data, (*map[string]list[string])(p))
}

// list is a JSON array, which may also be written as its only element.
type list[T any] []T

// UnmarshalJSON reads both forms.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*[]T)(l))
	}
	*l = make([]T, 1)
	return json.Unmarshal(data, &(*l)[0])
}

// withStatement returns a policy's document with one more statement. Everything else stays as it was written.
func withStatement(document string, more any) (string, error) {
	added, err := json.Marshal(more)
	if err != nil {
		return "", err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(document), &members); err != nil {
		return "", err
	}
	var statements list[json.RawMessage]
	if err := json.Unmarshal(members["Statement"], &statements); err != nil {
		return "", err
	}
	all, err := json.Marshal(append(statements, added))
	if err != nil {
		return "", err
	}
	members["Statement"] = all
	text, err := json.Marshal(members)
	return string(text), err
}
