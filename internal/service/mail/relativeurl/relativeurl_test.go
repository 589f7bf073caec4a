package relativeurl

import (
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"

	"golang.org/x/net/html"
)

// at is the address of the pages.
const at = "https://e.example/news/may/?id=7"

func parseURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestRelativeAddressesAreResolved: links, images and styles get the address of the page, or of its base element.
// Everything else stays as it is.
func TestRelativeAddressesAreResolved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"below the page":   {`<a href="x">`, `<a href="https://e.example/news/may/x">`},
		"from the root":    {`<img src='/a.png'>`, `<img src='https://e.example/a.png'>`},
		"without a scheme": {`<img src=//c.example/a.png>`, `<img src=https://c.example/a.png>`},
		"above the page":   {`<a href="../april/">`, `<a href="https://e.example/news/april/">`},
		"above the root":   {`<a href="../../../../x">`, `<a href="https://e.example/x">`},
		"one dot": {
			`<a href="./x"><a href=.>`, `<a href="https://e.example/news/may/x"><a href=https://e.example/news/may/>`,
		},
		"two dots": {`<a href="..?a">`, `<a href="https://e.example/news/?a">`},
		"a name of dots": {
			`<a href="..a"><a href=...>`,
			`<a href="https://e.example/news/may/..a"><a href=https://e.example/news/may/...>`,
		},
		"a query alone": {`<a href="?id=8&copy=1">`, `<a href="https://e.example/news/may/?id=8&copy=1">`},
		"space around":  {"<a href=' \n/x '>", "<a href='https://e.example/x'>"},
		"a slash of a template": {
			`<a href="&#x2F;x&amp;y"><a href="..&#47;x">`,
			`<a href="https://e.example/x&amp;y"><a href="https://e.example/news/x">`,
		},
		"a placeholder inside":   {`<a href="/{ID}?a={B}">`, `<a href="https://e.example/{ID}?a={B}">`},
		"a placeholder in front": {`<a href="{LINK}/x"><img src={LOGO}>`, `<a href="{LINK}/x"><img src={LOGO}>`},
		"a placeholder as name": {
			`<a {ATTRIBUTES} href=/x {MORE}>{TEXT}`, `<a {ATTRIBUTES} href=https://e.example/x {MORE}>{TEXT}`,
		},
		"what has a scheme": {
			`<a href="mailto:a@b.c"><img src="CID:logo"><img src=data:image/gif;base64,R0><a href=HTTP://x>`,
			`<a href="mailto:a@b.c"><img src="CID:logo"><img src=data:image/gif;base64,R0><a href=HTTP://x>`,
		},
		"a place in the page": {`<a href="#top"><img usemap="#m">`, `<a href="#top"><img usemap="#m">`},
		"nothing":             {`<a href=""><a href><a href= >x`, `<a href=""><a href><a href= >x`},
		"other attributes":    {`<p title="/x" class=/y alt='z'>/w</p>`, `<p title="/x" class=/y alt='z'>/w</p>`},
		"backgrounds and forms": {
			`<TD BACKGROUND = "/a"><form action=/f><v:fill src="/b"/><object data=/o>`,
			`<TD BACKGROUND = "https://e.example/a"><form action=https://e.example/f>` +
				`<v:fill src="https://e.example/b"/><object data=https://e.example/o>`,
		},
		"several images": {
			`<img srcset="/a.png 1x, b,c.png 2x,//c.example/d.png, data:x,y 3x">`,
			`<img srcset="https://e.example/a.png 1x, https://e.example/news/may/b,c.png 2x,` +
				`https://c.example/d.png, data:x,y 3x">`,
		},
		"a style": {
			`<p style="background: url('/a.png'), URL( b.png ), url(&quot;../c.png&quot;), url(#d), url(data:x)">`,
			`<p style="background: url('https://e.example/a.png'), URL( https://e.example/news/may/b.png ), ` +
				`url(&quot;https://e.example/news/c.png&quot;), url(#d), url(data:x)">`,
		},
		"a style sheet": {
			`<style>p{background:url("/a.png")} a{color:{C}}</style>url(/b)`,
			`<style>p{background:url("https://e.example/a.png")} a{color:{C}}</style>url(/b)`,
		},
		"functions whose names end like url": {
			`<p style="aurl(/x) zurl(/x) AURL(/x) ZURL(/x) 0url(/x) 9url(/x) _url(/x)">`,
			`<p style="aurl(/x) zurl(/x) AURL(/x) ZURL(/x) 0url(/x) 9url(/x) _url(/x)">`,
		},
		"what Outlook shows": {
			`<!--[if mso]><v:fill src="/a"/><a href=/b><![endif]--><!--[if !mso]><!--><a href=/c><!--<![endif]-->`,
			`<!--[if mso]><v:fill src="https://e.example/a"/><a href=https://e.example/b><![endif]-->` +
				`<!--[if !mso]><!--><a href=https://e.example/c><!--<![endif]-->`,
		},
		"a comment": {`<!-- <a href=/x> -->`, `<!-- <a href=/x> -->`},
		"a script":  {`<script>"<a href=/x>"</script>`, `<script>"<a href=/x>"</script>`},
		"a cut tag": {`<p>a<a href="/x`, `<p>a<a href="/x`},
		"a base": {
			`<a href=x><base href="https://b.example/c/d"><a href=../y>`,
			`<a href=https://b.example/c/x><base href="https://b.example/c/d"><a href=https://b.example/y>`,
		},
		"a base that is relative": {
			`<base target=x><base href=/c/><base href=/d/><a href=y>`,
			`<base target=x><base href=/c/><base href=/d/><a href=https://e.example/c/y>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, left, err := Resolve(c.page, parseURL(t, at), 10_000)
			if err != nil || left != nil {
				t.Errorf("left %q, %v", left, err)
			}
			expect.Equal(t, got, c.want, "the page")
		})
	}
}

// TestTheAddressOfThePage: what its path has cannot end an attribute or a style. A page at the root has a path, too.
func TestTheAddressOfThePage(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://e.example:8080":       `<a href="http://e.example:8080/x">`,
		"http://e.example/a'b(c)&d/e": `<a href="http://e.example/a%27b%28c%29&amp;d/x">`,
		"http://e.example/{A}/":       `<a href="http://e.example/%7BA%7D/x">`,
		"http://e.example/ü/%22/":     `<a href="http://e.example/%C3%BC/%22/x">`,
	} {
		got, _, err := Resolve(`<a href="x">`, parseURL(t, address), 1000)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", address, got, err, want)
		}
	}
}

// TestABaseThatLeadsNowhere: the relative addresses are named, and the page stays.
func TestABaseThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"{BASE}", "https://e.example/{A}/", "x-msg://3/", "mailto:a@b.c", "http://", "%zz:"} {
		page := `<base href="` + base + `"><a href=/x>a</a><a href=/x>b</a><img src=y><a href=http://c.example/>`
		got, left, err := Resolve(page, parseURL(t, at), 1000)
		if err != nil || got != page {
			t.Errorf("%s: %s, %v", base, got, err)
		}
		expect.Equal(t, left, []string{"/x", "y"}, base)
	}
}

// TestTheLimit: a page whose addresses would take more than the limit is an error.
func TestTheLimit(t *testing.T) {
	t.Parallel()
	page := `<base href="https://e.example/` + strings.Repeat("b", 1000) + `/">` + strings.Repeat("<a href=x>", 100)
	for _, more := range []string{
		"", `<p style="` + strings.Repeat("url(x)", 100), "<a " + strings.Repeat("href=x ", 100),
	} {
		if got, _, err := Resolve(page+more+`">`, parseURL(t, at), 50_000); err != ErrTooLarge || got != "" {
			t.Errorf("%.99q, %v", got, err)
		}
	}
	if _, _, err := Resolve(page, parseURL(t, at), 150_000); err != nil {
		t.Error(err)
	}
}

// FuzzHTML: no text, tag or name of an attribute changes, and a second run changes nothing.
func FuzzHTML(f *testing.F) {
	f.Add(`<a href="x">y</a><img src='/a' srcset="b 1x, c" style="background:url(d)">`)
	f.Add(`<!--[if mso]><a href=x><![endif]--><style>a{b:url('c')}</style><base href=/d>`)
	f.Add("<a\n/href =\t'x' ==y z>< /a><a href=x")
	f.Fuzz(func(t *testing.T, page string) {
		got, left, err := Resolve(page, parseURL(t, at), 1<<20)
		if err != nil || left != nil {
			return
		}
		expect.Equal(t, around(got), around(page), "what is around addresses")
		again, _, err := Resolve(got, parseURL(t, at), 1<<20)
		if err != nil || again != got {
			t.Errorf("%q became %q, %v", got, again, err)
		}
	})
}

// around returns the tokens of a page without the values of attributes, comments and style sheets.
func around(page string) string {
	var all strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	inStyle := false
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return all.String()
		case html.CommentToken:
			continue
		case html.TextToken:
			if !inStyle {
				all.Write(z.Text())
			}
			continue
		}
		token := z.Token()
		inStyle = token.Data == "style"
		all.WriteString("<" + token.Data)
		for _, a := range token.Attr {
			all.WriteString(" " + a.Key)
		}
	}
}
