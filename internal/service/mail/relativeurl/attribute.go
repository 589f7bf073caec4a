package relativeurl

import (
	"iter"
	"strings"
)

// space is the white space of HTML.
const space = " \t\n\f\r"

// attribute is the name of an attribute, and where its value is in its tag.
type attribute struct {
	name       string
	start, end int // without quotes
}

// attributes yields the attributes of a start tag that have a value (HTML 13.2.5.32 to 13.2.5.39). The tokenizer of
// package html yields decoded values, and not where they are.
func attributes(tag string) iter.Seq[attribute] {
	return func(yield func(attribute) bool) {
		at := strings.IndexAny(tag, space+"/>") // the end of the tag's name
		skip := func(chars string) { at = len(tag) - len(strings.TrimLeft(tag[at:], chars)) }
		until := func(chars string) (start int) {
			start = at
			if end := strings.IndexAny(tag[at:], chars); end >= 0 {
				at += end
			} else {
				at = len(tag)
			}
			return start
		}
		for at >= 0 && at < len(tag) {
			skip(space + "/")
			if at == len(tag) || tag[at] == '>' {
				return
			}
			start := at
			at++ // the first character is of the name, even if it is =
			until(space + "/>=")
			a := attribute{name: tag[start:at]}
			skip(space)
			if at == len(tag) || tag[at] != '=' {
				continue
			}
			at++
			skip(space)
			switch {
			case at == len(tag):
				return
			case tag[at] == '"', tag[at] == '\'':
				quote := tag[at : at+1]
				at++
				a.start = until(quote)
				a.end = at
				at = min(at+1, len(tag))
			default:
				a.start = until(space + ">")
				a.end = at
			}
			if !yield(a) {
				return
			}
		}
	}
}
