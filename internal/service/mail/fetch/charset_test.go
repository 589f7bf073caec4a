package fetch

import (
	"strings"
	"testing"
)

// TestDownloadedTextIsDecodedToUTF8: a byte order mark wins over the header, and the header over the HTML. Without
// them, valid UTF-8 is found also where the first kilobyte is ASCII.
func TestDownloadedTextIsDecodedToUTF8(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for name, c := range map[string]struct {
		contentType, body, want string
	}{
		"UTF-8 by header":                       {"text/html; charset=utf-8", "grüß", "grüß"},
		"ISO-8859-1 by header":                  {"text/plain; charset=ISO-8859-1", "gr\xfc\xdf", "grüß"},
		"Shift_JIS by header":                   {"text/plain; charset=Shift_JIS", "\x93\xfa\x96\x7b", "日本"},
		"UTF-8 by byte order mark":              {"", "\xef\xbb\xbfgrüß", "grüß"},
		"UTF-16 by byte order mark":             {"", "\xff\xfeg\x00\xfc\x00", "gü"},
		"the byte order mark before the header": {"text/plain; charset=ISO-8859-1", "\xef\xbb\xbfgrüß", "grüß"},
		"by meta charset": {
			"text/html", "<meta charset=iso-8859-2>\xb9", "<meta charset=iso-8859-2>š",
		},
		"the header before meta": {
			"text/html; charset=utf-8", "<meta charset=iso-8859-2>š", "<meta charset=iso-8859-2>š",
		},
		"valid UTF-8 without any":               {"text/html", "grüß", "grüß"},
		"valid UTF-8 beyond the first kilobyte": {"text/plain", long + "ü", long + "ü"},
		"windows-1252 where it is not valid":    {"text/plain", "gr\xfc\xdf \x80", "grüß €"},
		"an unknown charset":                    {"text/plain; charset=klingon", "grüß", "grüß"},
		"nothing":                               {"text/plain", "", ""},
		"a byte that its charset does not know": {"text/plain; charset=utf-8", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := File{Body: []byte(c.body), contentType: c.contentType}.decoded()
			if err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}
