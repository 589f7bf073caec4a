package plaintext

import (
	"net/mail"
	"net/url"
	"strings"
	"unicode"
)

// openLink begins a link, and returns its target for [writer.closeLink]. If the link just before has no text and the
// same target, it is removed: an icon and its label often have a link each.
func (w *writer) openLink(href string) (target string) {
	target = w.leadsTo(href)
	if w.bare.href != "" && w.bare.href == target && w.bare.end == len(w.buf) && w.bare.flushes == w.flushes {
		w.buf, w.position, w.mark = w.buf[:w.bare.start], w.bare.position, w.bare.mark
		w.feeds = max(w.feeds, w.bare.feeds)
		w.flushes++ // makes the offsets of cells that ended since invalid
		// Bold and struck-out text that began with the removed link begins with the next word instead.
		if w.boldStart >= w.bare.start {
			w.boldStart = waiting
		}
		if w.struck.start >= w.bare.start {
			w.struck.start = waiting
		}
	}
	w.bare.href = ""
	w.link = waiting
	if w.linkEnd == len(w.buf) { // the links of a menu often have only a margin between them
		w.apart()
	}
	return target
}

// closeLink writes the target of a link, and notes where the link ends so that the next one stays apart from it.
func (w *writer) closeLink(target string) {
	w.writeHref(target)
	w.linkEnd = len(w.buf)
}

// writeHref writes the target of a link after its text, before everything that waits. It writes none if the text
// already is the target, and writes those of a heading later, below it.
func (w *writer) writeHref(href string) {
	start := w.link
	w.link = none
	if href == "" {
		return
	}
	w.settle(0)
	if start >= 0 && start < len(w.buf) && sameLink(string(w.buf[start:]), href) {
		return
	}
	href = strings.TrimPrefix(href, "mailto:")
	switch {
	case w.heading:
		w.hrefs = append(w.hrefs, href)
		return
	case start >= 0 && start < len(w.buf):
		w.buf = append(append(append(w.buf, " ( "...), href...), " )"...)
		w.bound(w.inTree + len(w.buf))
	default:
		w.apart()
		w.bare = bareLink{position: w.position, href: href, start: len(w.buf), feeds: w.feeds, mark: w.mark}
		w.word("( "+href+" )", '(')
		w.bare.end = len(w.buf)
		if w.bare.flushes != w.flushes {
			w.bare.href = "" // a quotation began here, so the link stays
		}
	}
	w.apart()
}

// bareLink is a link without text: its target, its place in buf, and what waited before it.
type bareLink struct {
	position
	href       string
	start, end int
	feeds      int
	mark       string
}

// leadsTo returns the target of a link outside of the mail, or "" if there is none. The target of a link that opens a
// new mail is its address, without subject and body. If such a link leaves the address to the reader, it has no
// target (RFC 6068).
func (w *writer) leadsTo(href string) string {
	href = withoutBreaks(strings.TrimSpace(href))
	scheme, rest, _ := strings.Cut(href, ":")
	switch strings.ToLower(scheme) {
	case "javascript", "vbscript", "data", "about":
		return ""
	case "mailto":
		escaped, _, _ := strings.Cut(rest, "?")
		address := addressOf(escaped)
		if address == "" {
			return ""
		}
		return "mailto:" + address
	}
	switch strings.ToLower(href) {
	case "", "tel:", "http://", "https://", "//":
		return ""
	}
	if href[0] == '#' {
		return ""
	}
	return w.absolute(escapeSpace(href))
}

// withoutBreaks drops line breaks and tabs in a URL, as browsers do.
// https://url.spec.whatwg.org/#concept-basic-url-parser
func withoutBreaks(href string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c == '\r' {
			return none // drops it
		}
		return c
	}, href)
}

// escapeSpace escapes the white space in a link, as browsers do: readers make a link of a text up to its first space.
func escapeSpace(href string) string {
	if strings.IndexFunc(href, unicode.IsSpace) < 0 {
		return href
	}
	var escaped strings.Builder
	for _, c := range href {
		if unicode.IsSpace(c) {
			escaped.WriteString(url.PathEscape(string(c)))
		} else {
			escaped.WriteRune(c)
		}
	}
	return escaped.String()
}

// addressOf returns the address or addresses of a mailto link as a person types them. If the unescaped text is not an
// address list, the escapes stay, so that the text cannot pretend to be text around the link.
func addressOf(escaped string) string {
	escaped = strings.TrimSpace(escaped)
	address, err := url.PathUnescape(escaped)
	if err != nil || address == escaped {
		return escaped
	}
	address = strings.TrimSpace(address)
	if strings.ContainsFunc(address, setsApart) {
		return escaped
	}
	if _, err := mail.ParseAddressList(address); err != nil {
		return escaped
	}
	return address
}

// setsApart reports whether a character cannot be part of a bare address: a control character, a space, or a sign
// around a name or a comment.
func setsApart(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(" ()<>", r) }

// longestBase bounds the URL of a base element in bytes, because each link copies it.
const longestBase = 2048

// absolute returns the target of a link, resolved against the base element. All such targets together may have the
// bytes of one text, also those that are not written in the end. Without a base, a link that leaves the scheme to its
// page gets https.
func (w *writer) absolute(href string) string {
	if w.base == nil {
		if strings.HasPrefix(href, "//") {
			return "https:" + href
		}
		return href
	}
	link, err := url.Parse(href)
	if err != nil || link.IsAbs() {
		return href
	}
	target := w.base.ResolveReference(link).String()
	w.resolved += len(target)
	w.bound(w.resolved)
	return target
}

// baseURL returns the URL of a base element, or nil if it is not an address on the web, or too long.
func baseURL(href string) *url.URL {
	href = strings.TrimSpace(href)
	if len(href) > longestBase {
		return nil
	}
	base, err := url.Parse(href)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil
	}
	return base
}

// sameLink reports whether the text of a link already is its target. Telephone numbers are compared by their digits.
func sameLink(text, href string) bool {
	if number, ok := strings.CutPrefix(href, "tel:"); ok {
		return digits(text) == digits(strings.ReplaceAll(number, "%20", ""))
	}
	if addresses, ok := strings.CutPrefix(href, "mailto:"); ok {
		return names(text, addresses)
	}
	return strings.EqualFold(withoutScheme(text), withoutScheme(href))
}

// names reports whether each of the addresses of a mailto link is a word of its text.
func names(text, addresses string) bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), betweenAddresses) {
		words[strings.Trim(word, aroundAddress)] = true
	}
	for address := range strings.SplitSeq(strings.ToLower(addresses), ",") {
		if !words[strings.Trim(address, aroundAddress)] {
			return false
		}
	}
	return true
}

// aroundAddress are the signs that may stand around an address: those of quotations, bold and struck-out text, and the
// end of a sentence.
const aroundAddress = " \"'*~."

// betweenAddresses reports whether a character separates an address from other words.
func betweenAddresses(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>()[],;:", r) }

// withoutScheme removes what does not distinguish two addresses: marks around them, http or https, and a final slash.
func withoutScheme(link string) string {
	link = strings.Trim(link, " *~\u00a0")
	if scheme, after, ok := strings.Cut(link, "://"); ok && (scheme == "https" || scheme == "http") {
		link = after
	}
	return strings.TrimSuffix(link, "/")
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			// This drops the character.
			return none
		}
		return r
	}, s)
}
