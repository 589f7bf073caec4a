package requestlog

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// hidden stands for a secret; what tells its kind stays before it: "fdm_•••".
const hidden = "•••"

// secretWords make a name that of a secret, wherever they stand in it. So does "key" at its end.
var secretWords = []string{"token", "secret", "passwd", "password", "authorization", "cookie", "credential"}

var (
	// secretName is what a value is called that nobody else may know. The prefix is a "&" in JSON's own escape.
	secretName = regexp.MustCompile(`(?i)^(?:u0026)?(?:(?:[\w-]*(?:mail|api|access|private)[_-]?)?key|` +
		`[\w-]*(?:` + strings.Join(secretWords, "|") + `)[\w-]*)$`)
	secretKind = regexp.MustCompile(`^(?:(?:Bearer|Basic) )?(?:[a-z]{2,8}_)?`)
	// random is what is behind the kind in a credential: perhaps an id, and letters that nobody guesses.
	random = regexp.MustCompile(`^(?:[0-9a-z]+_)?[0-9A-Za-z]{24,}`)
)

// isSecret tells whether a name is a secretName. Most have none of its words, which is seen at once.
func isSecret(name string) bool {
	folded := strings.ToLower(strings.ToUpper(name)) // which makes an "s" of "ſ", as the pattern does
	has := func(word string) bool { return strings.Contains(folded, word) }
	return (strings.HasSuffix(folded, "key") || slices.ContainsFunc(secretWords, has)) && secretName.MatchString(name)
}

func hide(secret string) string { return secretKind.FindString(secret) + hidden }

// mask hides what is secret in a text: the values of JSON whose names say so, what follows such a name in an address or
// a form, and what looks like a credential. A text that was cut in two may be given. One that has the sign of a secret
// already loses it: whoever repeats the request puts a secret there, which the sender must not choose the place of.
func mask(text string) string {
	text = strings.ReplaceAll(text, hidden, "…")
	if begins := strings.TrimSpace(text); strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "[") {
		text = maskJSON(text)
	}
	return maskText(text)
}

// maskJSON reads words, not structure: most of what is cut off, or is not JSON after all, is masked too.
func maskJSON(text string) string {
	secret := false // the values that come belong to a name that says so
	var masked strings.Builder
	for {
		ahead := `"`
		if secret {
			ahead = `"-0123456789`
		}
		begin := strings.IndexAny(text, ahead)
		if begin < 0 {
			return masked.String() + text
		}
		end := tokenEnd(text, begin)
		token := text[begin:end]
		masked.WriteString(text[:begin])
		text = text[end:]
		switch {
		case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), ":"):
			name := strings.Trim(token, `"`)
			if strings.Contains(name, `\`) {
				json.Unmarshal([]byte(token), &name) // else it is no name in JSON either
			}
			secret = isSecret(name)
		case secret && token != `""`:
			token = `"` + hide(strings.TrimPrefix(token, `"`)) + `"`
		}
		masked.WriteString(token)
	}
}

// tokenEnd is where the string or the number ends that begins there.
func tokenEnd(text string, begin int) int {
	if text[begin] != '"' {
		return begin + len(text[begin:]) - len(strings.TrimLeft(text[begin:], "+-.0123456789Ee"))
	}
	for end := begin + 1; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case '"':
			return end + 1
		}
	}
	return len(text)
}

// maskText looks at each "_", which may be in a credential, and at each "=" and ":", which may be behind a name.
func maskText(text string) string {
	var masked strings.Builder
	from := 0 // of what is not yet written
	for at := 0; ; at++ {
		next := strings.IndexAny(text[at:], "_=:")
		if next < 0 {
			return masked.String() + text[from:]
		}
		at += next
		before, value := text[from:at], text[at+1:]
		if text[at] == '_' {
			kind := before[len(strings.TrimRight(before, "abcdefghijklmnopqrstuvwxyz")):]
			value = random.FindString(value)
			if len(kind) < 2 || len(kind) > 8 || value == "" {
				continue
			}
			masked.WriteString(before + "_" + hidden)
			at += len(value)
			from = at + 1
			continue
		}
		name := strings.TrimRight(strings.TrimRight(before, " \t\r\n"), `"'`)
		name = name[len(strings.TrimRightFunc(name, isOfName)):]
		skipped := len(value) - len(strings.TrimLeft(value, " \t\r\n\"'"))
		value = value[skipped:]
		if end := strings.IndexAny(value, " \t\r\n\"'&<>#;,}\\"); end >= 0 {
			value = value[:end]
		}
		if value == "" || value[0] == '[' || value[0] == '{' || !isSecret(name) {
			continue
		}
		at += skipped
		masked.WriteString(text[from:at+1] + hide(value))
		at += len(value)
		from = at + 1
	}
}

func isOfName(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// maskHeader is a header with one value for each name, in lower case.
func maskHeader(h http.Header) map[string]string {
	masked := map[string]string{}
	for name, values := range h {
		value := strings.Join(values, ", ")
		name = strings.ToLower(name)
		if isSecret(name) {
			value = hide(value)
		} else {
			value = mask(value)
		}
		masked[name] = value
	}
	return masked
}
