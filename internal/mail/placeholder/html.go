package placeholder

import (
	"bytes"
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ParseHTML is [Parse] for HTML. Placeholders are replaced everywhere in it, but a name in a style or script element or
// in a comment is not one that is left or doubled: CSS has braces of its own.
func ParseHTML(text string, known map[string]bool) Template {
	t := Parse(text, known)
	if len(t.Left) == 0 && len(t.Doubled) == 0 {
		return t // as most are, at no cost
	}
	t.Left, t.Doubled = nil, map[string]bool{}
	left := map[string]bool{}
	for part := range shown(text) {
		t.find(part, known, left)
	}
	return t
}

// shown are the parts of HTML with a brace that a person sees or follows: its text and its tags with their attributes,
// as they stand, but no script, style or comment, save those that Outlook shows.
func shown(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		tokens := html.NewTokenizer(strings.NewReader(text))
		hidden := false // the text that comes next
		for {
			kind, part := tokens.Next(), ""
			if raw := tokens.Raw(); bytes.IndexByte(raw, '{') >= 0 {
				part = string(raw) // as it stands: TagName writes to it
			}
			switch kind {
			case html.ErrorToken: // the end
				return
			case html.TextToken:
				if hidden {
					part = ""
				}
			case html.CommentToken:
				if !strings.HasPrefix(part, "<!--[if ") {
					part = ""
				}
			default:
				name, _ := tokens.TagName()
				tag := atom.Lookup(name)
				hidden = kind != html.EndTagToken && (tag == atom.Style || tag == atom.Script)
			}
			if part != "" && !yield(part) {
				return
			}
		}
	}
}
