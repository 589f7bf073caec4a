package plaintext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fromTokens returns the plain text of HTML that exceeds the bounds. It reads token by token, without a tree, in
// linear time. So it shows text that style hides, and writes the cells of data below each other.
func fromTokens(source string, e *effort) (string, error) {
	w, target := newWriter(e), ""
	z := html.NewTokenizer(strings.NewReader(source))
	for skip := false; !w.stop(); {
		kind := z.Next()
		switch kind {
		case html.ErrorToken: // the end of the HTML
			return w.finish()
		case html.TextToken:
			if !skip {
				w.text(string(z.Text()), false, false)
			}
			skip = false
			continue
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		default:
			continue
		}
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		// The tokenizer returns the source of a script and the like as one text, which is skipped.
		skip = kind == html.StartTagToken && unseen[tag]
		switch {
		case tag == atom.Br:
			w.lineBreak()
		case feedsAround[tag] > 0:
			w.feed(feedsAround[tag])
		case tag == atom.Base && w.base == nil:
			w.base = baseURL(attributeOf(z, "href"))
		case struckOut[tag] && kind == html.StartTagToken:
			w.openStruck()
		case struckOut[tag]:
			w.closeStruck()
		case scriptOf(tag, style{}) != 0 && kind == html.StartTagToken:
			w.openScript(scriptOf(tag, style{}))
		case scriptOf(tag, style{}) != 0:
			w.closeScript()
		case tag == atom.A && kind == html.StartTagToken:
			target = w.openLink(attributeOf(z, "href"))
		case tag == atom.A:
			w.closeLink(target)
			target = ""
		case tag == atom.Img:
			w.apart()
			w.text(attributeOf(z, "alt"), false, false)
			w.apart()
		}
	}
	return w.finish()
}

func attributeOf(z *html.Tokenizer, name string) string {
	for {
		key, value, more := z.TagAttr()
		if string(key) == name {
			return string(value)
		}
		if !more {
			return ""
		}
	}
}

// withoutData removes the content of data: URIs in attributes and style sheets, up to a quote, a bracket or a space.
// It never becomes text, and embedded images should not count as HTML.
func withoutData(source string) string {
	var kept strings.Builder
	for {
		i := strings.Index(source, "data:")
		if i < 1 {
			break
		}
		i += len("data:")
		kept.WriteString(source[:i])
		before := source[i-len("data:")-1]
		source = source[i:]
		if strings.IndexByte("\"'=(", before) >= 0 {
			end := strings.IndexAny(source, "\"'<>() \t\r\n")
			if end < 0 {
				end = len(source)
			}
			source = source[end:]
		}
	}
	kept.WriteString(source)
	return kept.String()
}
