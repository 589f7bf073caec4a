package placeholder

import (
	"bytes"
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ParseHTML is [Parse] for HTML. Placeholders are replaced everywhere in it, also in style sheets. But Left and
// Doubled have no names from style and script elements and from comments, because CSS has braces of its own.
func ParseHTML(text string, known map[string]bool) Template {
	t := Parse(text, known)
	if len(t.Unknown) == 0 && len(t.Doubled) == 0 {
		// The usual case, without a tokenizer.
		return t
	}
	t.Unknown, t.Doubled = nil, map[string]bool{}
	unknown := map[string]bool{}
	for part := range shown(text) {
		t.find(part, known, unknown)
	}
	return t
}

// shown yields the parts of HTML with a brace that a person sees or follows: text, and tags with their attributes, as
// they are in the source. It skips scripts, styles and comments, except the conditional comments that Outlook shows.
func shown(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		tokens := html.NewTokenizer(strings.NewReader(text))
		hidden := false // the next text is a style or a script
		for {
			kind, part := tokens.Next(), ""
			if raw := tokens.Raw(); bytes.IndexByte(raw, '{') >= 0 {
				part = string(raw) // copy it now: TagName changes its bytes to lower case
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
