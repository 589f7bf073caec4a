package console

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"frontdesk/internal/local/httpbody"

	"golang.org/x/net/html"
)

// htmlPolicy is that of a mail's HTML, which is hostile: styles of its own, pictures that are in the page itself, and
// nothing else. It runs nothing, fetches nothing and submits nothing, in a frame or in a tab of its own; a link that is
// clicked opens a tab.
const htmlPolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

// maxPictures is how much of pictures a page gets, in bytes of base64, however often it shows them.
const maxPictures = 64 << 20

func (s screen) serveHTML(w http.ResponseWriter, r *http.Request) {
	raw, ok := s.raw(r.PathValue("id"))
	if !ok {
		httpbody.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	page, ok := readHTML(raw)
	if !ok {
		httpbody.WriteError(w, http.StatusNotFound, "This mail has no HTML")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8") // over the HTML's own meta
	w.Header().Set("Content-Security-Policy", htmlPolicy)
	w.Header().Set("X-DNS-Prefetch-Control", "off") // which no policy covers
	w.Write(page)
}

// readHTML is the HTML body of a message as a page that stands alone; false if it has none.
func readHTML(raw []byte) (page []byte, ok bool) {
	var text string
	pictures := map[string]string{}
	walk(raw, func(p part) error { // after an error, what was read is shown: the message tells the error
		switch {
		case !ok && p.isBody("text/html"):
			body, err := io.ReadAll(p.body)
			text, ok = toUTF8(body, p.contentType), true
			return err
		case p.cid != "" && pictureType.MatchString(p.mediaType):
			body, err := io.ReadAll(p.body)
			pictures[p.cid] = "data:" + p.mediaType + ";base64," + base64.StdEncoding.EncodeToString(body)
			return err
		}
		return nil
	})
	if !ok {
		return nil, false
	}
	f := framed{pictures: pictures, left: maxPictures}
	f.write(text)
	return f.page.Bytes(), true
}

var (
	pictureType = regexp.MustCompile(`^image/[a-z0-9.+-]+$`)
	// A cid URL is percent-encoded (RFC 2392).
	cidURL = regexp.MustCompile(`(?i)\bcid:([^\s"'<>()\\,]+)`)
)

// framed is a mail's HTML on its way into a frame. Everything stays as it was sent but what would reach out of the
// frame before any policy sees it, links' targets, and the pictures' addresses.
type framed struct {
	pictures map[string]string // data URLs by Content-ID
	left     int               // bytes of them that may still be put in
	page     bytes.Buffer
	begun    bool // the base has been written
}

// write copies the HTML token by token.
func (f *framed) write(text string) {
	tokens := html.NewTokenizer(strings.NewReader(text))
	inStyle := false
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			f.page.Write(tokens.Raw())
			return
		}
		raw := tokens.Raw() // only until the token is read
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			f.begin()
			raw = bytes.Clone(raw)
			token := tokens.Token()
			inStyle = token.Data == "style"
			if token.Data == "noscript" {
				tokens.NextIsNotRawText() // where no script runs its content is HTML
			}
			f.page.Write(f.startTag(token, raw))
			continue
		case html.TextToken:
			if inStyle {
				f.page.WriteString(f.withPictures(string(raw)))
				continue
			}
			if len(bytes.TrimSpace(raw)) > 0 {
				f.begin()
			}
		}
		f.page.Write(raw)
	}
}

// begin writes the base before the first element, and behind a doctype: links open in a tab.
func (f *framed) begin() {
	if !f.begun {
		f.begun = true
		f.page.WriteString(`<base target="_blank">`)
	}
}

// startTag is a start tag as it goes into the page.
func (f *framed) startTag(t html.Token, raw []byte) []byte {
	changed := false
	switch t.Data {
	case "base", "link": // a link may connect before any policy forbids the fetch
		return nil
	case "iframe", "frame", "fencedframe": // and so may a frame
		return []byte("<" + t.Data + ">")
	case "meta":
		for _, a := range t.Attr {
			if a.Key == "http-equiv" {
				return nil
			}
		}
	case "a", "area":
		for i := range t.Attr {
			if t.Attr[i].Key == "target" {
				t.Attr[i].Val, changed = "_blank", true
			}
		}
		// What a link leads to is no picture.
		if changed {
			return []byte(t.String())
		}
		return raw
	}
	for i, a := range t.Attr {
		if with := f.withPictures(a.Val); with != a.Val {
			t.Attr[i].Val, changed = with, true
		}
	}
	if !changed {
		return raw
	}
	return []byte(t.String())
}

// withPictures puts the message's pictures in the place of their cid URLs.
func (f *framed) withPictures(s string) string {
	return cidURL.ReplaceAllStringFunc(s, func(address string) string {
		cid := address[len("cid:"):]
		if decoded, err := url.PathUnescape(cid); err == nil {
			cid = decoded
		}
		picture, ok := f.pictures[cid]
		if !ok || len(picture) > f.left {
			return address
		}
		f.left -= len(picture)
		return picture
	})
}
