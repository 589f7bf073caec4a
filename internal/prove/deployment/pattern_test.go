package deployment_test

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// comparison matches one comparison in a filter pattern: a selector, an operator and a value.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
var comparison = regexp.MustCompile(
	`\$((?:\.[\w-]+)+)\s*(IS NULL|IS TRUE|NOT EXISTS|[!<>]?=|[<>])\s*("[^"]*"|[^\s(){}&|"]*)`)

// matches evaluates a filter pattern for JSON as AWS documents it, without lists. The documentation does not say what
// != means for a missing property: a pattern that depends on it fails the test.
func matches(t testing.TB, pattern string, line map[string]any) bool {
	t.Helper()
	evaluate := func(open bool) bool {
		inner, begun := strings.CutPrefix(pattern, "{")
		inner, ended := strings.CutSuffix(inner, "}")
		expression := comparison.ReplaceAllStringFunc(inner, func(part string) string {
			c := comparison.FindStringSubmatch(part)
			v, found := property(line, c[1])
			if !found && c[2] == "!=" {
				return strconv.FormatBool(open)
			}
			return strconv.FormatBool(compare(v, found, c[2], c[3]))
		})
		// What is left consists of true, false, &&, || and parentheses: a constant expression of Go, in which the
		// operators have the same precedence as in a pattern.
		verdict, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
		if err != nil || !begun || !ended {
			t.Fatalf("the pattern %s is not understood: %v", pattern, err)
		}
		return constant.BoolVal(verdict.Value)
	}
	matched := evaluate(false)
	if evaluate(true) != matched {
		t.Errorf("the pattern %s has != for what is not in %v", pattern, line)
	}
	return matched
}

// compare compares a property with a number if the pattern has one without quotes, and otherwise with a string. A *
// at the beginning or the end of the string stands for any text. A value of another type does not match.
func compare(v any, found bool, op, literal string) bool {
	switch op {
	case "NOT EXISTS":
		return !found
	case "IS NULL":
		return found && v == nil
	case "IS TRUE":
		return v == true
	}
	if want, err := strconv.ParseFloat(literal, 64); err == nil {
		number, ok := v.(float64)
		orders := map[string][]int{"=": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}
		return ok && slices.Contains(orders[op], cmp.Compare(number, want))
	}
	inner, before := strings.CutPrefix(strings.Trim(literal, `"`), "*")
	inner, after := strings.CutSuffix(inner, "*")
	text, ok := v.(string)
	like := text == inner || before && strings.HasSuffix(text, inner) || after && strings.HasPrefix(text, inner) ||
		before && after && strings.Contains(text, inner)
	return ok && like == (op == "=")
}

// property returns the value that a selector such as $.user.id points to.
func property(line map[string]any, selector string) (v any, found bool) {
	v = line
	for name := range strings.SplitSeq(strings.TrimLeft(selector, "$."), ".") {
		object, _ := v.(map[string]any)
		if v, found = object[name]; !found {
			return nil, false
		}
	}
	return v, true
}

// TestPatterns checks the evaluation against examples like those of the documentation.
func TestPatterns(t *testing.T) {
	line := map[string]any{
		"eventType": "UpdateTrail", "latency": 500.5, "code": "429", "someObject": nil,
		"arrayKey": []any{"value"}, "flag": true, "user": map[string]any{"id": 1.0},
	}
	for pattern, want := range map[string]bool{
		`{ $.eventType = "UpdateTrail" && $.eventType = *Trail }`:      true,
		`{ $.eventType = "*dateTr*" && $.eventType != 123.123.* }`:     true,
		`{ $.eventType = "Update" || $.eventType = "Up*Trail" }`:       false,
		`{ $.arrayKey = "value" || $.arrayKey != "value" }`:            false,
		`{ $.someObject IS NULL && $.other NOT EXISTS }`:               true,
		`{ $.flag IS TRUE && $.flag != "true" }`:                       false,
		`{ $.code IS TRUE || $.other IS TRUE }`:                        false,
		`{ $.flag IS TRUE }`:                                           true,
		`{ $.latency > +500.5 || $.latency != 500.5 || $.code = 429 }`: false,
		`{ $.user.id = 1 || $.latency < 1 && $.latency > 1e3 }`:        true,
		`{ ($.code = "429" || $.latency < 1) && $.latency > 1e3 }`:     false,
	} {
		if got := matches(t, pattern, line); got != want {
			t.Errorf("%s: %t", pattern, got)
		}
	}
}
