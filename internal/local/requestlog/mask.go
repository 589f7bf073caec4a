package requestlog

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// hidden takes the place of a secret. The kind of the secret stays in front of it: "fdm_•••".
const hidden = "•••"

// secretWords are words that make a name the name of a secret, wherever they stand in it. A "key" at its end does, too.
var secretWords = []string{"token", "secret", "passwd", "password", "authorization", "cookie", "credential"}

var (
	// secretName matches the names of secret values. The prefix u0026 is a "&" in JSON's own escape.
	secretName = regexp.MustCompile(`(?i)^(?:u0026)?(?:(?:[\w-]*(?:mail|api|access|private)[_-]?)?key|` +
		`[\w-]*(?:` + strings.Join(secretWords, "|") + `)[\w-]*)$`)
	// secretKind matches what may stay of a secret: the scheme of an Authorization header, and the prefix of
	// a credential.
	secretKind = regexp.MustCompile(`^(?:(?:Bearer|Basic) )?(?:[a-z]{2,8}_)?`)
	// random matches what follows the kind in a credential: an id or none, and characters that nobody can guess.
	random = regexp.MustCompile(`^(?:[0-9a-z]+_)?[0-9A-Za-z]{24,}`)
)

// isSecret reports whether a name is a secretName. Most names contain none of its words, so it looks for these first.
func isSecret(name string) bool {
	folded := strings.ToLower(strings.ToUpper(name)) // turns "ſ" into "s", which (?i) of the pattern matches too
	has := func(word string) bool { return strings.Contains(folded, word) }
	return (strings.HasSuffix(folded, "key") || slices.ContainsFunc(secretWords, has)) && secretName.MatchString(name)
}

// hide returns the kind of a secret, followed by the sign for the rest.
func hide(secret string) string { return secretKind.FindString(secret) + hidden }

// mask hides secrets in a text: values in JSON with the name of a secret, what follows such a name in a URL or a form,
// and what looks like a credential. The text may be cut off anywhere. If it contains the sign of a hidden secret
// already, mask replaces the sign: whoever repeats the request puts a secret in its place, and the sender must not
// choose that place.
func mask(text string) string {
	text = strings.ReplaceAll(text, hidden, "…")
	if begins := strings.TrimSpace(text); strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "[") {
		text = maskJSON(text)
	}
	return maskText(text)
}

// maskJSON reads tokens, not structure. So it also masks most of what is cut off, or is not JSON after all.
func maskJSON(text string) string {
	secret := false // whether the next values belong to the name of a secret
	var masked strings.Builder
	for {
		// Numbers matter only where one may be a secret.
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
		// A token before a colon is a name.
		case strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), ":"):
			name := strings.Trim(token, `"`)
			if strings.Contains(name, `\`) {
				json.Unmarshal([]byte(token), &name) // if it fails, JSON does not take it for a name either
			}
			secret = isSecret(name)
		// The sign also shows that there was a value. An empty one has nothing to hide.
		case secret && token != `""`:
			token = `"` + hide(strings.TrimPrefix(token, `"`)) + `"`
		}
		masked.WriteString(token)
	}
}

// tokenEnd returns the end of the string or the number that starts at begin.
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

// maskText looks at each "_", which may be part of a credential, and at each "=" and ":", which may follow a name.
func maskText(text string) string {
	var masked strings.Builder
	from := 0 // beginning of the text that is not yet written
	for at := 0; ; at++ {
		next := strings.IndexAny(text[at:], "_=:")
		if next < 0 {
			return masked.String() + text[from:]
		}
		at += next
		before, value := text[from:at], text[at+1:]
		if text[at] == '_' {
			// The kind of a credential is 2 to 8 letters.
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
		// What may stand between the name and the value, in JavaScript or YAML for instance.
		skipped := len(value) - len(strings.TrimLeft(value, " \t\r\n\"'"))
		value = value[skipped:]
		if end := strings.IndexAny(value, " \t\r\n\"'&<>#;,}\\"); end >= 0 {
			value = value[:end]
		}
		// A list or an object in JSON: maskJSON has seen its values.
		if value == "" || value[0] == '[' || value[0] == '{' || !isSecret(name) {
			continue
		}
		at += skipped
		masked.WriteString(text[from:at+1] + hide(value))
		at += len(value)
		from = at + 1
	}
}

// isOfName reports whether a character can be part of a name.
func isOfName(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// maskHeader returns a header without secrets: one value for each name, with the names in lower case.
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
