package fetch

import (
	"mime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDisposition reads any header, which must give valid UTF-8, and compares well-formed headers with package mime.
// There is a seed for each kind of header in the tests of the endpoint.
func FuzzDisposition(f *testing.F) {
	for _, header := range []string{
		`attachment; filename=report.pdf`,
		`inline; filename="a \"b\" c.pdf"; size=1`,
		`attachment; filename=my a [1].pdf`,
		"attachment; filename=\"gr\xfc\xdfe.pdf\"",
		`attachment; filename="the "best" of.pdf"`,
		`;;attachment;; filename="a`,
		`attachment, filename=a.pdf, size=3`,
		`attachment filename="a.pdf" size="3"`,
		`filename==?UTF-8?Q?gr=C3=BCn.pdf?=`,
		`attachment; filename*=UTF-8''na%C3%AFve%20file.pdf`,
		`attachment; filename*="ISO-8859-1''gr%FC%DFe.pdf"`,
		`attachment; filename*=GBK''%D6%D0; filename=a`,
		`attachment; filename*=UTF-8''100% gr%FCn`,
		`filename*=''a'b`,
		`attachment; filename*0*=UTF-8''gr%C3; filename*1*=%BC; filename*2=n`,
		`attachment; filename="=?x?y?z?="`,
		`attachment; filename="C:\dir\a.pdf"`,
		`attachment; filename="\`,
		`filename*0`,
		`=`,
		`"`,
		`filename*=replacement''a`,
	} {
		f.Add(header, "a "+header)
	}
	f.Fuzz(func(t *testing.T, header, name string) {
		for _, read := range dispositionNames(header) {
			if !utf8.ValidString(read) {
				t.Errorf("%q gives %q", header, read)
			}
		}
		// Browsers read these characters in ways that package mime does not know.
		if !utf8.ValidString(name) || strings.ContainsAny(name, `%\'`) || strings.Contains(name, "=?") ||
			len(name) > maxFilename || name == "" {
			return
		}
		written := mime.FormatMediaType("attachment", map[string]string{"filename": name, "size": "1"})
		if read := dispositionNames(written); slices.Index(read, name) != slices.IndexFunc(read, notEmpty) {
			t.Errorf("%q, written as %s, gives %q", name, written, read)
		}
	})
}

func notEmpty(s string) bool { return s != "" }
