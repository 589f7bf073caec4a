package console_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// head returns a page as it is shown, with more in its head than the base element.
func head(inHead, inBody string) string {
	return `<html><head><base target="_blank"/>` + inHead + `</head><body>` + inBody + `</body></html>`
}

// body is head for a page with nothing more in its head.
func body(content string) string { return head("", content) }

// related returns a message with HTML and two pictures, "logo" and "a b%".
func related(html string) string {
	picture := func(cid, content string) string {
		return "Content-Type: image/png\nContent-Id: <" + cid + ">\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte(content))
	}
	return mixed("Content-Type: text/html; charset=utf-8\n\n"+html, picture("logo", "one"), picture("a b%", "two"),
		"Content-Type: text/html\nContent-Id: <page>\n\n<p>no picture")
}

// TestHTMLInItsFrame shows what the filter leaves of a mail's HTML. The second half are tricks that made filters and
// browsers read the same text differently.
func TestHTMLInItsFrame(t *testing.T) {
	// The two pictures as they are embedded.
	const one, two = "data:image/png;base64,b25l", "data:image/png;base64,dHdv"
	tests := []struct{ name, html, want string }{
		{"a page stays as it is", "<p CLASS=x>Gr\u00fc\u00dfe &amp; <b>more",
			body("<p class=\"x\">Gr\u00fc\u00dfe &amp; <b>more</b></p>")},
		{"the doctype stays first", "<!doctype html>\n<html><p>", "<!DOCTYPE html>" + body("<p></p>")},
		{"a newsletter", `<table width=600 align=center bgcolor=#ffffff cellpadding=0 ` +
			`style="border-spacing:0;color:#333">` +
			`<tr><td valign=top background="cid:logo"><font face=Arial size=2>x</font></table>`,
			body(`<table width="600" align="center" bgcolor="#ffffff" cellpadding="0" ` +
				`style="border-spacing:0;color:#333"><tbody><tr><td valign="top" background="` + one + `">` +
				`<font face="Arial" size="2">x</font></td></tr></tbody></table>`)},
		{"a picture", `<img src="cid:logo" alt="x">`, body(`<img src="` + one + `" alt="x"/>`)},
		{"a picture twice", `<img src=cid:logo><img src=CID:logo>`,
			body(`<img src="` + one + `"/><img src="` + one + `"/>`)},
		{"a picture whose id is escaped", `<img src="cid:a%20b%25">`, body(`<img src="` + two + `"/>`)},
		{"a picture of a style", `<p style="background: url('cid:logo')">`,
			body(`<p style="background: url(&#39;` + one + `&#39;)"></p>`)},
		{"a picture of a style sheet", `<style>p { background: url(cid:logo) }</style>`,
			head(`<style>p { background: url(`+one+`) }</style>`, "")},
		{"pictures of a set", `<img srcset="cid:logo 1x, cid:a%20b%25 2x">`,
			body(`<img srcset="` + one + ` 1x, ` + two + ` 2x"/>`)},
		{"a picture that there is not", `<img src="cid:none">`, body(`<img src="cid:none"/>`)},
		{"what is no picture", `<img src="cid:page">`, body(`<img src="cid:page"/>`)},
		// Nothing is fetched before the reader asks for it, because that would tell the sender that the mail was read.
		{"a picture of a site", `<img src="https://example.com/x" alt=x>`, body(`<img alt="x"/>`)},
		{"text about a picture", `<p>cid:logo`, body(`<p>cid:logo</p>`)},
		{"a link opens a tab", `<a href="https://example.com/" target="_top">x`,
			body(`<a href="https://example.com/">x</a>`)},
		// It would lead into the console.
		{"a link without a scheme", `<a href="/x">x`, body(`<a>x</a>`)},
		// Browsers drop tabs within an address, and spaces before it.
		{"a link that runs", "<a href=' java\tscript:x()'>x</a><a href=data:text/html,x>y", body(`<a>x</a><a>y</a>`)},
		{"no base of its own", `<base href="http://example.com/" target=_self><p>`, body(`<p></p>`)},
		{"no links of the head",
			`<link rel=preconnect href=//example.com><LINK rel="dns-prefetch" href=//example.com><p>`, body(`<p></p>`)},
		{"no meta that acts", `<meta http-equiv=refresh content="0;url=//example.com"><p>`, body(`<p></p>`)},
		{"no frames", `<p>x<iframe src=//example.com srcdoc="<p>"><iframe src=x></iframe>y`, body(`<p>xy</p>`)},
		{"no form, but what is in it", `<form action=//example.com><button formaction=//example.com>x</button></form>`,
			body(`x`)},
		{"what is there without scripts", `<p><noscript><i onclick=x()>x</i></noscript>`, body(`<p><i>x</i></p>`)},
		// From here on: texts that a filter and a browser, or a browser with and without scripts, could
		// read differently.
		{"an attribute that ends what only scripts' absence opens",
			`<p><noscript><i title="</noscript><img src=x onerror=x()>">x`,
			body(`<p><i title="&lt;/noscript&gt;&lt;img src=x onerror=x()&gt;">x</i></p>`)},
		{"a style in a drawing", `<p>x<svg><style><img title="</style><img src=x onerror=x()>"></style></svg>`,
			body(`<p>x<img title="&lt;/style&gt;&lt;img src=x onerror=x()&gt;"/></p>`)},
		{"a formula that is none on the second reading",
			`<form><math><mtext></form><form><mglyph><style></math><img src onerror=x()>`, body("")},
		{"a comment that ends otherwise", `<p>x<!--> <img src=x onerror=x()> --><!-- --!><img onerror=x()>`,
			body(`<p>x <img/> --&gt;<img/></p>`)},
		{"text that is read raw", `<p><textarea><img title="</textarea><img src=x onerror=x()>"></textarea>x`,
			body(`<p><img/>&#34;&gt;x</p>`)},
		{"a template", `<p>x<template><img src=x onerror=x()></template>`, body(`<p>x</p>`)},
		{"the first of repeated attributes", `<p title=a title=b>`, body(`<p title="a"></p>`)},
		// Office programs write such elements.
		{"an element that there is not", `<o:p class=x>x</o:p>`, body(`x`)},
		{"a style that loads", `<p style="color:red;background:url(//example.com)">`,
			body(`<p style="color:red;background:url(data:,)"></p>`)},
		{"a style that loads between quotes", `<p style="a:'url(&quot;cid:x' ; b:url(//e) ; c:'&quot;)'">`,
			body(`<p style="a:&#39;none-(&#34;cid:x&#39; ; b:url(data:,) ; c:&#39;&#34;)&#39;"></p>`)},
		// CSS reads \75 as the letter u.
		{"a style that loads by an escape", `<p style="background:\75 rl(//e)">x`, body(`<p style="">x</p>`)},
		{"a set of pictures of a style", `<p style="background:-webkit-image-set('//e' 1x)">`,
			body(`<p style="background:-webkit-none-(&#39;//e&#39; 1x)"></p>`)},
		{"a style sheet that loads another", `<style>@import "//e"; p { color: red }</style>`,
			head(`<style>@none "//e"; p { color: red }</style>`, "")},
		{"a tag that breaks off", `<p>x<img src="cid:logo`, body(`<p>x</p>`)},
		{"nested deeper than is read", strings.Repeat("<div>", 600), "This HTML cannot be shown: it is nested over"},
		// The parser opens such elements again in each of 50,000 paragraphs, with their attributes of 1 KB.
		{"elements opened anew", "<p>" + strings.Repeat("<i a="+strings.Repeat("x", 1000)+"1>", 400) +
			strings.Repeat("<p>x", 50_000), "This HTML cannot be shown: it"},
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

// TestHTMLRunsAndFetchesNothing shows the policy of a mail's page, which holds even if the filter fails.
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
	expect.Equal(t, len(p), 7)
	expect.Equal(t, p["frame-ancestors"], "'self'")
}

// TestRemotePicturesAreShownOnDemand shows that pictures of sites, and nothing else, are kept if the request asks
// for them.
func TestRemotePicturesAreShownOnDemand(t *testing.T) {
	tests := []struct {
		name, html, own, all string
		told                 bool
	}{
		{"a picture", `<img src=https://e.org/a.png?x=1&y=2 alt=x>`, `<img alt="x"/>`,
			`<img src="https://e.org/a.png?x=1&amp;y=2" alt="x"/>`, true},
		{"a background", `<table background="http://e.org/a">`, `<table></table>`,
			`<table background="http://e.org/a"></table>`, true},
		{"a set", `<img srcset="https://e.org/a 1x, cid:logo 2x">`, `<img/>`,
			`<img srcset="https://e.org/a 1x, data:image/png;base64,b25l 2x"/>`, true},
		{"a style", `<p style="background:url( 'https://e.org/a' )">`, `<p style="background:url(data:,)"></p>`,
			`<p style="background:url( &#39;https://e.org/a&#39; )"></p>`, true},
		{"a picture without a scheme", `<img src=//e.org/a>`, `<img/>`, `<img/>`, false},
		{"a picture that runs", `<img src="javascript:x()"><img src=https://e.org/a onerror=x()>`, `<img/><img/>`,
			`<img/><img src="https://e.org/a"/>`, true},
		{"a script, a frame and a sheet", `<script src=https://e.org/a></script><iframe src=https://e.org/a></iframe>` +
			`<link rel=stylesheet href=https://e.org/a>x`, `x`, `x`, true},
		{"a font", `<style>@font-face{src:url(data:font/woff,x)}</style>`, `<style>@font-face{src:url(data:,)}</style>`,
			`<style>@font-face{src:url(data:,)}</style>`, false},
		{"a film", `<video poster=https://e.org/a></video>x`, `x`, `x`, false},
		{"a link", `<a href=https://e.org/a>x</a>`, `<a href="https://e.org/a">x</a>`,
			`<a href="https://e.org/a">x</a>`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for path, want := range map[string]string{
				// An unknown value must not fetch anything.
				"": test.own, "?pictures=remote": test.all, "?pictures=x": test.own,
			} {
				w := serve(t, related(test.html), "/_local/outbox/1/html"+path)
				got := strings.TrimSpace(w.Body.String())
				if body, head := body(want), head(want, ""); got != body && got != head {
					t.Errorf("%s: got %s\nwant %s", path, got, body)
				}
				p, images := policy(t, w), "data:"
				if path == "?pictures=remote" {
					images = "data: http: https:"
				}
				expect.Equal(t, p["default-src"], "'none'", path)
				expect.Equal(t, p["img-src"], images, path)
				expect.Equal(t, len(p), 7, path)
				expect.Equal(t, p["sandbox"], "allow-popups allow-popups-to-escape-sandbox", path)
			}
			if m := read(t, related(test.html)); m.Remote != test.told {
				t.Errorf("that it has pictures of sites is told as %v", m.Remote)
			}
		})
	}
}

// TestHTMLIsDecodedByItsCharset shows the three places that can declare a charset.
func TestHTMLIsDecodedByItsCharset(t *testing.T) {
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

// TestPicturesOfAPageAreBounded shows that a small mail cannot become a page of gigabytes.
func TestPicturesOfAPageAreBounded(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString(make([]byte, 3<<20)) // 4 MiB of base64
	message := mixed("Content-Type: text/html\n\n"+strings.Repeat(`<img src="cid:large">`, 1000),
		"Content-Type: image/png\nContent-Id: <large>\nContent-Transfer-Encoding: base64\n\n"+picture)
	page := serve(t, message, "/_local/outbox/1/html").Body.String()
	shown := strings.Count(page, "data:image/png")
	// 15 pictures of 4 MiB, with what stands before each, fit into 64 MiB; the others stay without content.
	expect.Equal(t, shown, 15, `strings.Count(page, "data:image/png")`)
	expect.AtMost(t, len(page), 64<<20+100_000)
}
