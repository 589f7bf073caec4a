package console

import (
	"fmt"
	"io"
	"net/mail"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// maxGmail is the size of HTML in bytes beyond which Gmail shows "[Message clipped]" instead of the rest.
const maxGmail = 102 << 10

// troubles returns the problems that a message has for its readers, each as a sentence. It judges a message as far as
// that can be read.
func troubles(raw []byte) []string {
	found := []string{} // never null in JSON
	hasText, hasHTML, hasOther := false, false, false
	header, err := walk(raw, func(p part) error {
		switch {
		case !hasHTML && p.isBody("text/html"):
			hasHTML = true
			body, err := io.ReadAll(io.LimitReader(p.body, maxText))
			// The size counts all of the HTML, although only its first megabyte is searched for pictures.
			rest, _ := io.Copy(io.Discard, p.body)
			found = append(found, htmlTroubles(len(body)+int(rest), toUTF8(body, p.contentType))...)
			return err
		case p.isBody("text/plain"):
			body, err := io.ReadAll(io.LimitReader(p.body, maxText))
			hasText = hasText || strings.TrimSpace(toUTF8(body, p.contentType)) != ""
			return err
		}
		hasOther = true
		return nil
	})
	// Every reader shows a file or an invitation that stands alone.
	if err == nil && !hasText && (hasHTML || !hasOther) {
		found = append(found, "It has no text: readers that show no HTML show nothing of it.")
	}
	if rule := brokenListUnsubscribe(header.Get("List-Unsubscribe"), header.Get("List-Unsubscribe-Post")); rule != "" {
		found = append(found, "List-Unsubscribe is malformed: "+rule+".")
	}
	return found
}

// htmlTroubles judges HTML of a size in bytes. The source may be only its beginning.
func htmlTroubles(size int, source string) (found []string) {
	if size > maxGmail {
		const cut = "Gmail cuts the HTML off: it has %d KB, and Gmail shows 102."
		found = append(found, fmt.Sprintf(cut, (size+1023)>>10))
	}
	switch n := picturesWithoutAlt(source); {
	case n == 1:
		found = append(found, "One picture has no alt: who cannot see it does not learn what it is.")
	case n > 1:
		const many = "%d pictures have no alt: who cannot see them does not learn what they are."
		found = append(found, fmt.Sprintf(many, n))
	}
	return found
}

// picturesWithoutAlt counts pictures without alt. An empty alt is correct for a picture that says nothing.
// https://html.spec.whatwg.org/multipage/images.html#alt
func picturesWithoutAlt(source string) (count int) {
	tokens := html.NewTokenizer(strings.NewReader(source))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := tokens.TagName()
		// Other elements need no alt, so they count as if they had one.
		alt := string(name) != "img"
		for more && !alt {
			var key []byte
			key, _, more = tokens.TagAttr()
			alt = string(key) == "alt"
		}
		if !alt {
			count++
		}
	}
	return count
}

// brokenListUnsubscribe returns the rule that List-Unsubscribe breaks: one of RFC 2369 section 2 for its form, or
// one of RFC 8058 section 3.1 if List-Unsubscribe-Post promises one click. It returns "" if the field breaks none,
// or is absent.
func brokenListUnsubscribe(value, post string) string {
	if value == "" {
		if post != "" {
			return "List-Unsubscribe-Post stands without it"
		}
		return ""
	}
	// The list is parsed by hand, to name the first rule that it breaks.
	secure := false
	for rest := value; ; {
		open := strings.TrimSpace(rest)
		inside, after, closed := strings.Cut(strings.TrimPrefix(open, "<"), ">")
		if !strings.HasPrefix(open, "<") || !closed {
			return "each address stands in <>, and a comma between them"
		}
		address, err := url.Parse(strings.Join(strings.Fields(inside), "")) // white space is ignored
		if err != nil || address.Scheme == "" {
			return fmt.Sprintf("%q is no URL", inside)
		}
		if address.Scheme == "mailto" {
			if to, err := url.PathUnescape(address.Opaque); err != nil || !isAddress(to) {
				return fmt.Sprintf("%q names no mailbox", inside)
			}
		}
		// RFC 8058 asks for at least one https address; mailto addresses may stand beside it.
		secure = secure || address.Scheme == "https" && address.Host != ""
		after = strings.TrimSpace(after)
		if after == "" {
			break
		}
		next, ok := strings.CutPrefix(after, ",")
		if !ok {
			return "each address stands in <>, and a comma between them"
		}
		rest = next
	}
	switch {
	case post == "":
		return ""
	case post != "List-Unsubscribe=One-Click":
		return "List-Unsubscribe-Post is to be List-Unsubscribe=One-Click"
	case !secure:
		return "one click needs an https address"
	}
	return ""
}

// isAddress reports whether a text is one address (RFC 5322 section 3.4).
func isAddress(text string) bool {
	_, err := mail.ParseAddress(text)
	return err == nil
}
