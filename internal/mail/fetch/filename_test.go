package fetch

import (
	"mime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFilename(t *testing.T) {
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
		"a disposition that cannot be read": {
			disposition: `attachment; filename="b`, url: "http://h/c.txt", want: "c.txt",
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
	} {
		t.Run(name, func(t *testing.T) {
			got := filenameOf(File{url: c.url, disposition: c.disposition}.names(c.given), c.contentType)
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func FuzzFilename(f *testing.F) {
	f.Add("../a.txt", `attachment; filename*=UTF-8''%e2%82%ac.txt`, "http://h/a%2Fb?c")
	f.Add("", `attachment; filename="a\"b.txt"`, "http://h/")
	f.Add(strings.Repeat("é", 200)+".tar.gz", "", "://")
	f.Fuzz(func(t *testing.T, given, disposition, url string) {
		name := filenameOf(File{url: url, disposition: disposition}.names(given), "application/pdf")
		switch {
		case name == "" || len(name) > maxFilename || !utf8.ValidString(name):
			t.Errorf("name %q", name)
		case strings.ContainsAny(name, `/\`) || strings.IndexFunc(name, unicode.IsControl) >= 0 || name[0] == '.':
			t.Errorf("name %q is not safe", name)
		case sanitize(name) != name:
			t.Errorf("name %q becomes %q when it is made safe again", name, sanitize(name))
		}
		if header := mime.FormatMediaType("attachment", map[string]string{"filename": name}); header == "" {
			t.Errorf("name %q cannot be written", name)
		}
	})
}

func TestTypeOf(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n")
	for name, c := range map[string]struct {
		header string
		names  []string
		body   []byte
		want   string
	}{
		"the response's": {
			header: "text/csv; charset=utf-8",
			names:  []string{"a.png"}, body: png, want: "text/csv; charset=utf-8",
		},
		"by extension where there is none": {
			names: []string{"A.PDF"}, body: png, want: "application/pdf",
		},
		"by the first name that tells": {
			names: []string{"noext", "a.docx"},
			want:  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		},
		"by extension where it says only bytes": {
			header: "application/octet-stream",
			names:  []string{"a.png"}, want: "image/png",
		},
		"by extension where it says S3's default": {
			header: "binary/octet-stream",
			names:  []string{"a.png"}, want: "image/png",
		},
		"a text by extension, in UTF-8": {
			names: []string{"a.csv"}, body: []byte("grüß"), want: "text/csv; charset=utf-8",
		},
		"a text by extension, in another": {
			names: []string{"a.csv"}, body: []byte("gr\xfc\xdf"), want: "text/csv",
		},
		"sniffed":                     {names: []string{"noext"}, body: png, want: "image/png"},
		"sniffed where nothing tells": {body: []byte{1, 2, 3}, want: octetStream},
		"a header that cannot be read": {
			header: "no type",
			names:  []string{"a.gif"}, want: "image/gif",
		},
		"no message in base64 (RFC 2046)": {
			header: "message/rfc822",
			names:  []string{"a.eml"}, want: octetStream,
		},
		"no multipart in base64 (RFC 2045)": {header: "multipart/mixed; boundary=x", want: octetStream},
		"no name among its parameters": {
			header: `application/pdf; name="../../evil.exe"; x=y`,
			names:  []string{"invoice.pdf"}, want: "application/pdf",
		},
		"a calendar's method": {
			header: "text/calendar; method=REQUEST; charset=utf-8",
			want:   "text/calendar; charset=utf-8; method=REQUEST",
		},
		"a header beyond reason": {
			header: "text/plain; charset=" + strings.Repeat("y", 300), want: octetStream,
		},
		"a parameter with a line break": {
			header: "text/plain; x=\"a\r\nBcc: b\"",
			names:  []string{"a.gif"}, want: "image/gif",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := typeOf(c.header, c.names, c.body); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
