package fetch

import (
	"mime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/prove/expect"
)

// TestAFileHasTheFirstNameThatIsUsable shows where a name may come from, in order of preference, and how it is
// made safe.
func TestAFileHasTheFirstNameThatIsUsable(t *testing.T) {
	for name, c := range map[string]struct {
		given, disposition, url, contentType string
		want                                 string
	}{
		"as given": {
			given: "a.txt", disposition: `attachment; filename="b.txt"`, url: "http://h/c.txt", want: "a.txt",
		},
		"Content-Disposition before URL": {
			disposition: `attachment; filename="b.txt"`, url: "http://h/c.txt", want: "b.txt",
		},
		"Content-Disposition inline": {
			disposition: `inline; filename=b.txt`, url: "http://h/c.txt", want: "b.txt",
		},
		"filename* before filename (RFC 6266)": {
			disposition: `attachment; filename="b.txt"; filename*=UTF-8''%e2%82%ac.txt`, url: "http://h/c",
			want: "€.txt",
		},
		"filename* alone": {
			disposition: `attachment; filename*=UTF-8''na%C3%AFve%20file.txt`, url: "http://h/c",
			want: "naïve file.txt",
		},
		"filename in continuations (RFC 2231)": {
			disposition: `attachment; filename*0="long"; filename*1="name.txt"`, url: "http://h/c",
			want: "longname.txt",
		},
		"a disposition without a name": {
			disposition: "attachment", url: "http://h/c.txt", want: "c.txt",
		},
		"base name of the URL":      {url: "http://h/a/b/c.txt", want: "c.txt"},
		"URL without its query":     {url: "http://h/c.txt?v=/d.txt#e/f.txt", want: "c.txt"},
		"URL with a trailing slash": {url: "http://h/a/b/", want: "b"},
		"URL decoded":               {url: "http://h/na%C3%AFve%20file.txt", want: "naïve file.txt"},
		"URL decoded once":          {url: "http://h/100%2525.txt", want: "100%25.txt"},
		"URL with an encoded slash": {url: "http://h/a%2Fb.txt", want: "b.txt"},
		"URL without a path":        {url: "http://h", contentType: "image/png", want: "attachment.png"},
		"URL of a slash": {
			url: "http://h/", contentType: "text/csv; charset=utf-8", want: "attachment.csv",
		},
		"no name and an unknown type":    {url: "http://h/", contentType: "x/y", want: "attachment"},
		"last element after a slash":     {given: "../../etc/passwd", want: "passwd"},
		"last element after a backslash": {given: `C:\temp\a.txt`, want: "a.txt"},
		"no leading dots":                {given: "...bashrc", want: "bashrc"},
		"no leading dots behind space":   {given: " . .bashrc", want: "bashrc"},
		"dots alone are no name":         {given: "..", url: "http://h/c.txt", want: "c.txt"},
		"a slash alone is no name":       {given: "/", url: "http://h/c.txt", want: "c.txt"},
		"no control characters":          {given: "a\x01\x7f\u0085.txt", want: "a.txt"},
		"no right-to-left override":      {given: "a\u202etxt.exe", want: "atxt.exe"},
		"control characters in a disposition": {
			disposition: "attachment; filename*=UTF-8''a%0D%0AB%00.txt", url: "http://h/c", want: "aB.txt",
		},
		"a path in a disposition": {
			disposition: `attachment; filename="../x.txt"`, url: "http://h/c", want: "x.txt",
		},
		"at most 255 bytes, the extension is kept": {
			given: strings.Repeat("a", 300) + ".txt", want: strings.Repeat("a", 251) + ".txt",
		},
		"at most 255 bytes of whole characters": {
			given: strings.Repeat("é", 200) + ".txt", want: strings.Repeat("é", 125) + ".txt",
		},
		"a long ending is no extension": {
			given: "a." + strings.Repeat("b", 300), want: "a." + strings.Repeat("b", 253),
		},
		"invalid UTF-8":     {given: "a\xff.txt", want: "a\uFFFD.txt"},
		"surrounding space": {given: " a.txt ", want: "a.txt"},
		// Windows takes off dots and spaces at the end, and may then open the file by another program.
		"dots and space at the end":         {given: "a.exe. .", want: "a.exe"},
		"signs that Windows does not allow": {given: `Re: <a> "b" |c?*.pdf`, want: "Re_ _a_ _b_ _c__.pdf"},
		"a device":                          {given: "nul", want: "_nul"},
		"a device with an extension":        {given: "CON.tar.gz", want: "_CON.tar.gz"},
		"a device with a number":            {given: "com1.txt", want: "_com1.txt"},
		"a device with a raised number":     {given: "LPT².txt", want: "_LPT².txt"},
		"a device with space behind":        {given: "aux .txt", want: "_aux .txt"},
		"a console":                         {given: "CONIN$", want: "_CONIN$"},
		"a device that gets an extension": {
			given: "prn", contentType: "text/csv", want: "_prn.csv",
		},
		"a device once the name is cut": {
			given: "con" + strings.Repeat(" ", 300) + "x.txt", want: "_con.txt",
		},
		"no device: a longer name":   {given: "console.txt", want: "console.txt"},
		"no device: two digits":      {given: "com10.txt", want: "com10.txt"},
		"no device: no digit":        {given: "com.txt", want: "com.txt"},
		"no device: as an extension": {given: "a.con", want: "a.con"},
	} {
		t.Run(name, func(t *testing.T) {
			f := File{url: c.url, disposition: c.disposition, contentType: c.contentType}
			if got, _ := f.Describe(c.given, ""); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// FuzzFilename: whatever a server sends, the name is safe and not too long, and making it safe again does not change
// it. The type is one that a part with a file may have.
func FuzzFilename(f *testing.F) {
	f.Add("../a.txt", `attachment; filename*=UTF-8''%e2%82%ac.txt`, "http://h/a%2Fb?c", "application/pdf")
	f.Add("", `attachment; filename="a\"b.txt"`, "http://h/", "text/plain; charset=\xff")
	f.Add(strings.Repeat("é", 200)+".tar.gz", "", "://", "*/*")
	f.Add("con"+strings.Repeat(" ", 300)+"x.txt", "", "http://h/nul", "")
	f.Add(strings.Repeat("a. ", 100), "inline", "http://h/;a/%FF;b", "image/jpg; name=x")
	f.Fuzz(func(t *testing.T, given, disposition, url, served string) {
		name, contentType := File{url: url, disposition: disposition, contentType: served}.Describe(given, "")
		switch {
		case name == "" || len(name) > maxFilename || !utf8.ValidString(name):
			t.Errorf("name %q", name)
		case strings.ContainsAny(name, `/\<>:"|?*`), strings.ContainsFunc(name, unicode.IsControl),
			strings.Trim(name, ". ") != name:
			t.Errorf("name %q is not safe", name)
		case sanitize(name) != name:
			t.Errorf("name %q becomes %q when it is made safe again", name, sanitize(name))
		}
		if header := mime.FormatMediaType("attachment", map[string]string{"filename": name}); header == "" {
			t.Errorf("name %q cannot be written", name)
		}
		base, params, err := mime.ParseMediaType(contentType)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, params["name"], "")
		expect.AtMost(t, len(contentType), maxType)
		expect.Equal(t, isFile(base), true)
	})
}
