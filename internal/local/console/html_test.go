package console_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

const base = `<base target="_blank">`

// related is a message with HTML and two pictures, "logo" and "a b%".
func related(html string) string {
	picture := func(cid, content string) string {
		return "Content-Type: image/png\nContent-Id: <" + cid + ">\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte(content))
	}
	return mixed("Content-Type: text/html; charset=utf-8\n\n"+html, picture("logo", "one"), picture("a b%", "two"),
		"Content-Type: text/html\nContent-Id: <page>\n\n<p>no picture")
}

func TestHTMLInItsFrame(t *testing.T) {
	const one, two = "data:image/png;base64,b25l", "data:image/png;base64,dHdv"
	tests := []struct{ name, html, want string }{
		{"a page stays as it is",
			"<p CLASS=x>Gr\u00fc\u00dfe &amp; <b>more", base + "<p CLASS=x>Gr\u00fc\u00dfe &amp; <b>more"},
		{"the doctype stays first", "<!doctype html>\n<html><p>", "<!doctype html>\r\n" + base + "<html><p>"},
		{"a picture", `<img src="cid:logo" alt="x">`, base + `<img src="` + one + `" alt="x">`},
		{"a picture twice",
			`<img src=cid:logo><img src=CID:logo>`, base + `<img src="` + one + `"><img src="` + one + `">`},
		{"a picture whose id is escaped", `<img src="cid:a%20b%25">`, base + `<img src="` + two + `">`},
		{"a picture of a style",
			`<p style="background: url('cid:logo')">`, base + `<p style="background: url(&#39;` + one + `&#39;)">`},
		{"a picture of a style sheet", `<style>p { background: url(cid:logo) }</style>`,
			base + `<style>p { background: url(` + one + `) }</style>`},
		{"pictures of a set",
			`<img srcset="cid:logo 1x, cid:a%20b%25 2x">`, base + `<img srcset="` + one + ` 1x, ` + two + ` 2x">`},
		{"a background", `<td background="cid:logo">`, base + `<td background="` + one + `">`},
		{"a picture that there is not", `<img src="cid:none">`, base + `<img src="cid:none">`},
		{"what is no picture", `<img src="cid:page">`, base + `<img src="cid:page">`},
		{"text about a picture", `<p>cid:logo`, base + `<p>cid:logo`},
		{"a link to a picture", `<a href="cid:logo">`, base + `<a href="cid:logo">`},
		{"a link opens a tab", `<a href="/x" target="_top">`, base + `<a href="/x" target="_blank">`},
		{"no base of its own", `<base href="http://example.com/" target=_self><p>`, base + `<p>`},
		{"no links of the head",
			`<link rel=preconnect href=//example.com><LINK rel="dns-prefetch" href=//example.com><p>`, base + `<p>`},
		{"no meta that acts", `<meta http-equiv=refresh content="0;url=//example.com"><meta name=viewport content=x>`,
			base + `<meta name=viewport content=x>`},
		{"frames are empty", `<iframe src=//example.com srcdoc="<p>"><iframe src=x></iframe><FRAME src=x>`,
			base + `<iframe><iframe src=x></iframe><frame>`},
		{"what is there without scripts",
			`<noscript><iframe src=x></iframe></noscript>`, base + `<noscript><iframe></iframe></noscript>`},
		{"a tag that breaks off", `<p>x<img src="cid:logo`, base + `<p>x`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := serve(t, related(test.html), "/_local/outbox/1/html")
			got := strings.TrimSpace(w.Body.String())
			if w.Code != http.StatusOK || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %d %s\nwant %s", w.Code, got, test.want)
			}
		})
	}
}

func TestHTMLRunsAndFetchesNothing(t *testing.T) {
	w := serve(t, related(`<meta charset="utf-7"><p>`), "/_local/outbox/1/html")
	if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("the type is %q", got)
	}
	p := policy(t, w)
	for directive, want := range map[string]string{
		"default-src": "'none'", "img-src": "data:", "style-src": "'unsafe-inline'", "form-action": "'none'",
		"base-uri": "'none'",
		"sandbox":  "allow-popups allow-popups-to-escape-sandbox",
	} {
		if p[directive] != want {
			t.Errorf("%s is %q, want %q", directive, p[directive], want)
		}
	}
	if len(p) != 7 || p["frame-ancestors"] != "'self'" {
		t.Errorf("the policy is %v", p)
	}
}

func TestHTMLIsDecoded(t *testing.T) {
	for name, message := range map[string]string{
		"by its type":       "Content-Type: text/html; charset=iso-8859-1\n\n<p>Gr\xfc\xdfe",
		"by its meta":       "Content-Type: text/html\n\n<meta charset=iso-8859-1><p>Gr\xfc\xdfe",
		"by its byte order": "Content-Type: text/html\n\n\xef\xbb\xbf<p>Gr\u00fc\u00dfe",
	} {
		got := serve(t, message, "/_local/outbox/1/html").Body.String()
		if !strings.Contains(got, "<p>Gr\u00fc\u00dfe") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestPicturesOfAPageAreBounded(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString(make([]byte, 3<<20)) // 4 MiB of base64
	message := mixed("Content-Type: text/html\n\n"+strings.Repeat(`<img src="cid:large">`, 1000),
		"Content-Type: image/png\nContent-Id: <large>\nContent-Transfer-Encoding: base64\n\n"+picture)
	page := serve(t, message, "/_local/outbox/1/html").Body.String()
	if shown := strings.Count(page, "data:image/png"); shown != 15 || len(page) > 64<<20+100_000 {
		t.Errorf("the page has %d pictures and %d bytes", shown, len(page))
	}
}
