package console

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"regexp"

	"frontdesk/internal/develop/local/httpserver"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlPolicy is the policy for a mail's HTML, which counts as hostile. It allows the mail's own styles and the pictures
// embedded in the page. Nothing is run, fetched or submitted, neither in the frame nor in a tab of its own, and a
// clicked link opens a tab. On demand, pictures of sites are fetched, and still nothing else.
const (
	htmlPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox; img-src data:"
	remotePolicy = htmlPolicy + " http: https:"
)

// maxPictures limits the pictures in a page, in bytes of base64, however often it shows each.
const maxPictures = 64 << 20

// serveHTML serves a mail's HTML for the frame. With ?pictures=remote, pictures of sites are fetched.
func (s screen) serveHTML(w http.ResponseWriter, r *http.Request) {
	raw, ok := s.raw(r.PathValue("id"))
	if !ok {
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	images, policy := ownPictures, htmlPolicy
	if r.URL.Query().Get("pictures") == "remote" {
		images, policy = allPictures, remotePolicy
	}
	page, ok := readHTML(raw, images)
	if !ok {
		httpserver.WriteError(w, http.StatusNotFound, "This mail has no HTML")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8") // takes precedence over the HTML's own meta
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("X-DNS-Prefetch-Control", "off") // no policy covers prefetching
	w.Write(page)
}

// readHTML returns the HTML body of a message as a page that stands alone. It returns false if there is none.
func readHTML(raw []byte, images filter) (page []byte, ok bool) {
	var text string
	pictures := map[string]string{}
	walk(raw, func(p part) error { // after an error, what was read is shown; the message reports the error
		switch {
		case !ok && p.isBody("text/html"):
			body, err := io.ReadAll(p.body)
			text, ok = toUTF8(body, p.contentType), true
			return err
		// Any picture of the message, also one that comes before the HTML: the order of parts is free.
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
	// The filter comes first: the pictures that are embedded afterwards are large, and known to be harmless.
	doc, err := images.apply(text)
	if err != nil {
		why := "This HTML cannot be shown: " + err.Error() + ". The source has it."
		doc = &html.Node{Type: html.TextNode, Data: why}
	}
	f := framed{pictures: pictures, budget: maxPictures}
	f.embed(doc)
	return render(doc), true
}

var (
	// remotePicture matches what shows more once pictures of sites are fetched.
	remotePicture = regexp.MustCompile(`(?i)(?:\b(?:src|srcset|background)\s*=|\burl\()\s*["']?\s*https?://`)
	pictureType   = regexp.MustCompile(`^image/[a-z0-9.+-]+$`)
	// A cid URL is percent-encoded (RFC 2392).
	cidURL = regexp.MustCompile(`(?i)\bcid:([^\s"'<>()\\,]+)`)
)

// framed embeds a message's pictures into its HTML.
type framed struct {
	pictures map[string]string // data URLs by Content-ID
	budget   int               // how many bytes may still be embedded
}

// embed replaces cid URLs everywhere but in links and in text.
func (f *framed) embed(n *html.Node) {
	for i, a := range n.Attr {
		switch a.Key {
		// href is missing on purpose: a link to a cid URL leads nowhere in a browser.
		case "src", "srcset", "background", "style":
			n.Attr[i].Val = f.withPictures(a.Val)
		}
	}
	if n.Type == html.TextNode && n.Parent != nil && n.Parent.DataAtom == atom.Style {
		n.Data = f.withPictures(n.Data)
	}
	for child := range n.ChildNodes() {
		f.embed(child)
	}
}

// namedIn returns the Content-IDs that HTML names in cid URLs.
func namedIn(source string) map[string]bool {
	named := map[string]bool{}
	for _, m := range cidURL.FindAllStringSubmatch(source, -1) {
		named[contentID(m[1])] = true
	}
	return named
}

// contentID returns the Content-ID of a cid URL, without "cid:". A wrong percent encoding stays as it is.
func contentID(encoded string) string {
	if decoded, err := url.PathUnescape(encoded); err == nil {
		return decoded
	}
	return encoded
}

// withPictures replaces cid URLs by the message's pictures.
func (f *framed) withPictures(s string) string {
	return cidURL.ReplaceAllStringFunc(s, func(address string) string {
		picture, ok := f.pictures[contentID(address[len("cid:"):])]
		// A picture without a place stays a cid URL, which the page's policy does not load.
		if !ok || len(picture) > f.budget {
			return address
		}
		f.budget -= len(picture)
		return picture
	})
}
