package compose

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestNoLineOfQuotedPrintableIsChangedOnItsWay shows the escapes at the start of a line, also where the escape itself
// or a soft line break makes a new line.
func TestNoLineOfQuotedPrintableIsChangedOnItsWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"the first line":        {"From me\nto you", "=46rom me\r\nto you"},
		"another line":          {"Dear Ada\nFrom now on", "Dear Ada\r\n=46rom now on"},
		"several lines":         {"From a\nFrom b\n", "=46rom a\r\n=46rom b\r\n"},
		"the middle of a line":  {"a From b", "a From b"},
		"another word":          {"From: a\nFromage\nfrom b", "From: a\r\nFromage\r\nfrom b"},
		"the word alone":        {"From\nFrom ", "From\r\nFrom=20"},
		"a full line":           {"From " + strings.Repeat("x", 69), "=46rom " + strings.Repeat("x", 69)},
		"a line that overflows": {"From " + strings.Repeat("x", 70), "=46rom =\r\n" + strings.Repeat("x", 70)},
		"twice in a line that overflows": {
			"From From " + strings.Repeat("x", 65), "=46rom =\r\n=46rom " + strings.Repeat("x", 65),
		},
		"a dot alone":            {"a\n.\nb", "a\r\n=2E\r\nb"},
		"dots at the start":      {"...a\n.b", "=2E..a\r\n=2Eb"},
		"a dot elsewhere":        {"a.\n .b", "a.\r\n .b"},
		"a dot in a full line":   {"." + strings.Repeat("x", 74), "=2E=\r\n" + strings.Repeat("x", 74)},
		"dots that fill a line":  {strings.Repeat(".", 75), "=2E=\r\n=2E" + strings.Repeat(".", 73)},
		"a dot behind a break":   {strings.Repeat("x", 75) + ".a", strings.Repeat("x", 75) + "=\r\n=2Ea"},
		"a dot that just fits":   {"." + strings.Repeat("x", 73), "=2E" + strings.Repeat("x", 73)},
		"From behind a dot":      {".From a", "=2EFrom a"},
		"From behind a full dot": {".From " + strings.Repeat("x", 69), "=2E=\r\n=46rom " + strings.Repeat("x", 69)},
		"behind a soft break": {
			strings.Repeat("x", 75) + "From me", strings.Repeat("x", 75) + "=\r\n=46rom me",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := &buffer{}
			out.quotedPrintable(c.text)
			expect.Equal(t, string(out.bytes), c.want, "the text")
		})
	}
}

// FuzzQuotedPrintable: every text is read back unchanged but for its line ends, from lines that no server changes.
func FuzzQuotedPrintable(f *testing.F) {
	f.Add("From me\nFrom you\r\nFrom ")
	f.Add(".\n.." + strings.Repeat(".", 150) + "From ")
	f.Add("From From From " + strings.Repeat("x", 80))
	f.Add(strings.Repeat("From ", 40) + "=\tü \r x")
	f.Fuzz(func(t *testing.T, text string) {
		out := &buffer{bytes: []byte("From ")}
		out.quotedPrintable(text)
		encoded := out.bytes[len("From "):]
		for line := range bytes.SplitSeq(encoded, []byte("\r\n")) {
			kept := !bytes.HasPrefix(line, []byte("From ")) && !bytes.HasPrefix(line, []byte("."))
			if !kept || len(line) > 76 || bytes.ContainsAny(line, "\r\n") {
				t.Errorf("a line of %d bytes: %.90q", len(line), line)
			}
		}
		got, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(encoded)))
		if err != nil || string(got) != crlf(text) {
			t.Errorf("%q came out as %q, %v", text, got, err)
		}
	})
}
