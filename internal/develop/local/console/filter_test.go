package console

import (
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"

	"golang.org/x/net/html"
)

// What must not be left of any HTML. These patterns are written anew, so they do not repeat a mistake of the filter.
var (
	forbiddenTag = regexp.MustCompile(`^(script|i?frame.*|object|embed|applet|form|input|button|select|textarea|` +
		`meta|link|svg|math|template|no.*|xmp|plaintext|title|video|audio|source|track|portal|image)$`)
	forbiddenAttribute = regexp.MustCompile(
		`^(on.*|action|formaction|srcdoc|ping|poster|data|xlink:.*|http-equiv|code)$`)
	allowedLink = regexp.MustCompile(`^(?i:https?:|mailto:|tel:|#)`)
	loadingCSS  = regexp.MustCompile(`(?i)@import|image-set\s*\(|expression\s*\(|-moz-binding|url\(`)
)

// FuzzFilter: whatever is shown contains nothing that runs, loads or submits, with scripts on or off, and filtering it
// again does not change it.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`<p>x`,
		// Within a drawing a style has elements, elsewhere it has text: the filter and the browser must read the same.
		`<svg><style><a title="</style><img onerror=x>">`,
		`<math><mtext><table><mglyph><style><img src onerror=x>`,
		`<noscript><p title="</noscript><img src onerror=x>">`, `<form><table><form><a><table><a href=javascript:x>`,
		`<style>@im\port url(//e); a{b:ur\6c(//e)}</style>`, `<select><template><option><svg>`,
		`<frameset><frame src=x>`,
		`<table><style></style><b><p><i><td></b>`, `<p style="background:url('cid:x')" style=y>`, `<pre>\n\nx`,
	} {
		f.Add(seed)
	}
	f.Add(`<style>a{background:url(https://e/x)}</style><img srcset="https://e/a 1x,javascript:x 2x" src=http://e>`)
	f.Fuzz(func(t *testing.T, source string) {
		checkFiltered(t, ownPictures, `cid:|data:image/`, source)
		checkFiltered(t, allPictures, `cid:|data:image/|https?://`, source)
	})
}

// checkFiltered checks the output of a filter that keeps pictures with these schemes.
func checkFiltered(t *testing.T, keep filter, schemes, source string) {
	t.Helper()
	picture := regexp.MustCompile(`^(?i:` + schemes + `)`)
	pictureCSS := regexp.MustCompile(`(?i)url\(\s*["']?(data:,|` + schemes + `)`)
	loads := func(css string) bool { return loadingCSS.MatchString(pictureCSS.ReplaceAllString(css, "")) }
	doc, err := keep.apply(strings.ToValidUTF8(source, "?"))
	if err != nil {
		return // then it is not shown
	}
	text := string(render(doc))
	// A noscript element has text for a browser with scripts, and elements for one without.
	for _, scripting := range []bool{true, false} {
		read, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(scripting))
		if err != nil {
			t.Fatal(err)
		}
		for n := range read.Descendants() {
			if n.Type == html.CommentNode {
				t.Errorf("%q leaves the comment %s in %q", source, n.Data, text)
			}
			if n.Type == html.ElementNode {
				expect.Equal(t, n.Namespace, "", "namespace of "+n.Data)
				expect.Equal(t, forbiddenTag.MatchString(n.Data), false, n.Data+" is forbidden")
			}
			for _, a := range n.Attr {
				expect.Equal(t, forbiddenAttribute.MatchString(a.Key), false, "a.Key matches forbiddenAttribute")
				if a.Key == "href" {
					expect.Equal(t, allowedLink.MatchString(a.Val), true, "a.Val matches allowedLink")
				}
				if a.Key == "style" {
					expect.Equal(t, loads(a.Val), false)
				}
				if a.Key == "src" {
					expect.Equal(t, picture.MatchString(a.Val), true, "a.Val matches picture")
				}
			}
			if n.Type == html.TextNode && n.Parent.Data == "style" && loads(n.Data) {
				t.Errorf("%q leaves %s", source, n.Data)
			}
		}
	}
	again, err := keep.apply(text)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, string(render(again)), text)
}
