package dynamodb

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/develop/local/iam"
)

// attributeNames are the names for which #names stand in the expressions of a request.
type attributeNames map[string]string

// resolve returns the name of an attribute for its token in an expression.
func (n attributeNames) resolve(token string) string {
	if name, ok := n[token]; ok {
		return name
	}
	return token
}

// attributes returns the attributes that an update names: those of the key, and those of its expressions, whether it
// writes them or only compares them. They are unknown for an update in the older form, which has no expressions.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
func (r itemRequest) attributes() []string {
	if r.AttributeUpdates != nil || r.Expected != nil {
		return iam.Unknown
	}
	names := slices.Collect(maps.Keys(r.Key))
	for _, expression := range []string{r.UpdateExpression, r.ConditionExpression} {
		names = append(names, r.ExpressionAttributeNames.in(expression)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// name matches the token of an attribute, a function or a keyword.
var name = regexp.MustCompile(`^#?\w+$`)

// words are the keywords of expressions. All of them are reserved: no attribute's name is written like one.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
var words = []string{"ADD", "AND", "BETWEEN", "DELETE", "IN", "NOT", "OR", "REMOVE", "SET"}

// in returns the attributes in an expression. Of a path such as a.b[0] it returns the first name. A name before a
// parenthesis is that of a function, and one with a colon that of a value.
func (n attributeNames) in(expression string) (names []string) {
	before := ""
	parts := tokens.FindAllString(expression, -1)
	for i, token := range parts {
		inPath := before == "." || before == "["
		isFunction := i+1 < len(parts) && parts[i+1] == "("
		if name.MatchString(token) && !inPath && !isFunction && !slices.Contains(words, strings.ToUpper(token)) {
			names = append(names, n.resolve(token))
		}
		before = token
	}
	return names
}
