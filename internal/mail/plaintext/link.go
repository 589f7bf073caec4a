package plaintext

import (
	"net/mail"
	"net/url"
	"strings"
	"unicode"
)

// openLink takes back the link just before if it has no text and leads to the same place, as icons beside a label do.
func (w *writer) openLink(href string) {
	if w.bare.href != "" && w.bare.href == w.leadsTo(href) && w.bare.end == len(w.buf) && w.bare.flushes == w.flushes {
		w.buf, w.position, w.mark = w.buf[:w.bare.start], w.bare.position, w.bare.mark
		w.feeds = max(w.feeds, w.bare.feeds)
		w.flushes++ // cells that ended since are there no more
		if w.boldStart >= w.bare.start {
			w.boldStart = waiting
		}
		if w.struck.start >= w.bare.start {
			w.struck.start = waiting
		}
	}
	w.bare.href = ""
	w.link = waiting
	if w.linkEnd == len(w.buf) { // a menu's links often have but a margin between
		w.apart()
	}
}

func (w *writer) closeLink(href string) {
	w.writeHref(href)
	w.linkEnd = len(w.buf)
}

// writeHref writes where a link leads behind its text, before all that waits, unless that is what its text says.
func (w *writer) writeHref(href string) {
	start := w.link
	w.link = none
	href = w.leadsTo(href)
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
	default:
		w.apart()
		w.bare = bareLink{position: w.position, href: href, start: len(w.buf), feeds: w.feeds, mark: w.mark}
		w.word("( "+href+" )", '(')
		w.bare.end = len(w.buf)
		if w.bare.flushes != w.flushes {
			w.bare.href = "" // it stands in a quotation of its own
		}
	}
	w.apart()
}

// bareLink is a link without text: where it leads, where it stands in buf, and what waited before it.
type bareLink struct {
	position
	href       string
	start, end int
	feeds      int
	mark       string
}

// leadsTo is where a link leads outside of the mail; "" if nowhere. A link that opens a mail leads to its address; one
// that leaves it to the reader to whom leads nowhere (RFC 6068).
func (w *writer) leadsTo(href string) string {
	href = strings.TrimSpace(href)
	if strings.ContainsAny(href, "\t\n\r") {
		href = strings.Join(strings.Fields(href), "")
	}
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
	if href == "" || href[0] == '#' || strings.EqualFold(href, "tel:") {
		return ""
	}
	return w.absolute(href)
}

// addressOf is the address, or are the addresses, of a link that opens a mail, as one types them. What is none without
// its escapes keeps them, so that it cannot pass for text around the link.
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

// setsApart says whether a character is none of a bare address: a control, a space, or a sign around a name or comment.
func setsApart(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(" ()<>", r) }

// absolute is where a link leads that may be relative to what a base element says.
func (w *writer) absolute(href string) string {
	if w.base == nil {
		return href
	}
	link, err := url.Parse(href)
	if err != nil || link.IsAbs() {
		return href
	}
	return w.base.ResolveReference(link).String()
}

// baseURL is what a base element says; nil if it is no address in the web.
func baseURL(href string) *url.URL {
	base, err := url.Parse(strings.TrimSpace(href))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil
	}
	return base
}

// sameLink says whether a link's text says already where it leads.
func sameLink(text, href string) bool {
	if number, ok := strings.CutPrefix(href, "tel:"); ok {
		return digits(text) == digits(number)
	}
	if address, ok := strings.CutPrefix(href, "mailto:"); ok {
		href = address
	}
	return strings.EqualFold(withoutScheme(text), withoutScheme(href))
}

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
			return none
		}
		return r
	}, s)
}
