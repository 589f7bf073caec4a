package compose

import (
	"bytes"
	"net/mail"
	"strings"
	"testing"
)

// readBack writes a message with a field and returns the value that a reader gets. It reads free text with
// emersion/go-message, which decodes it. It reads any other field also with net/mail, which decodes nothing. It fails
// if the field brings further fields with it.
func readBack(t *testing.T, f Field) string {
	t.Helper()
	text := "x"
	m := Message{
		From: Mailbox{Address: "a@example.org"}, To: []Mailbox{{Address: "b@example.org"}}, Date: date, Text: &text,
	}
	without, _, _ := leaves(t, m.Bytes())
	m.Fields = []Field{f}
	raw := m.Bytes()
	checkLines(t, raw)
	header, _, _ := leaves(t, raw)
	if header.Len() != without.Len()+1 {
		t.Errorf("%d fields, not %d, for %q\n%s", header.Len(), without.Len()+1, f, raw)
	}
	if f.isText() {
		value, err := header.Text(f.Name)
		if err != nil {
			t.Errorf("field %q: %v", f, err)
		}
		return value
	}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("net/mail: %v\n%s", err, raw)
	}
	value := header.Get(f.Name)
	if other := message.Header.Get(f.Name); other != value {
		t.Errorf("field %q is %q to net/mail, and %q to go-message", f, other, value)
	}
	return value
}

// TestFieldsAreReadBack: a reader gets every field that passes [Field.Check] back byte by byte, apart from TABs. The
// longest words just fit on a line of 998 bytes.
func TestFieldsAreReadBack(t *testing.T) {
	ids := strings.TrimSpace(strings.Repeat("<0100019a2b3c4d5e-6f708192-a3b4@email.amazonses.com> ", 40))
	longest := strings.Repeat("n", MaxName-2)
	for name, f := range map[string]Field{
		"a short one":            {"Auto-Submitted", "auto-generated"},
		"one way to unsubscribe": {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"},
		"two ways to unsubscribe": {
			"List-Unsubscribe", "<https://example.com/leave?u=7&list=news>, <mailto:leave@example.com?subject=leave>",
		},
		"a URL of 950 bytes": {
			"List-Unsubscribe", "<https://example.com/" + strings.Repeat("x", 928) + ">",
		},
		"two URLs of 950 bytes": {
			"List-Unsubscribe", "<https://example.com/" + strings.Repeat("x", 927) + ">, " +
				"<https://example.com/" + strings.Repeat("y", 928) + ">",
		},
		"a URL that fills the first line": {
			"List-Unsubscribe", "<https://example.com/" + strings.Repeat("x", 958) + ">",
		},
		"the longest word behind a short one":  {"References", "<a@b> " + strings.Repeat("v", 997)},
		"a run of spaces on a line of its own": {"References", "a " + strings.Repeat("b   ", 249) + "b"},
		"a long conversation, folded":          {"References", ids},
		"an encoded-word where none may be":    {"In-Reply-To", "<=?utf-8?q?x?=@example.org>"},
		"spaces in a row, where lines fold":    {"List-Id", strings.Repeat("word word  word   ", 30) + "<id>"},
		"free text beyond ASCII": {
			"X-Ticket", "Grüße aus Zürich, ein langer Wert, der über mehr als eine Zeile geht – ja!",
		},
		"an encoded-word in free text":        {"X-Ticket", "=?utf-8?q?x?="},
		"free text with a tab":                {"Comments", "a\tb"},
		"free text beyond ASCII with a tab":   {"Comments", "ü\tb"},
		"a syntax with a tab":                 {"References", "<a@b>\t<c@d>"},
		"tabs, where lines fold":              {"References", strings.Repeat("<a@b>\t", 30) + "<c@d>"},
		"free text of spaces":                 {"X-Blank", "  "},
		"free text in one word":               {"X-Token", strings.Repeat("t", 997)},
		"free text in a word beyond a line":   {"X-Token", strings.Repeat("t", 5000)},
		"a name with all that a name may":     {"!#$%&'*+-.^_`|~()<>@,;\\/[]?={}\"", "x"},
		"the longest name":                    {"X-" + longest, "x"},
		"the longest name beyond ASCII":       {"X-" + longest, "ü"},
		"the longest name with a folded list": {"Y-" + longest, ids},
		"the longest name and stretches": {
			"Y-" + longest, strings.Repeat("v", 870) + " " + strings.Repeat("w", 997),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
			if got, want := readBack(t, f), strings.ReplaceAll(f.Value, "\t", " "); got != want {
				t.Errorf("%q came out as %q", f.Value, got)
			}
		})
	}
}

// TestFieldsThatCannotBeWritten: [Field.Check] refuses names that would break the header, and values that a reader
// would get back changed. The lengths are one byte more than fits.
func TestFieldsThatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]struct {
		field Field
		want  string
	}{
		"no name":                  {Field{"", "x"}, "is not a field name"},
		"a name with a space":      {Field{"X A", "x"}, "is not a field name"},
		"a name with a colon":      {Field{"X:A", "x"}, "is not a field name"},
		"a name with a line break": {Field{"X-A\r\nBcc", "x"}, "is not a field name"},
		"a name beyond ASCII":      {Field{"X-Ä", "x"}, "is not a field name"},
		"a name with DEL":          {Field{"X-\x7f", "x"}, "is not a field name"},
		"a name of 127 bytes":      {Field{strings.Repeat("n", 127), "x"}, "has a name of over 126 bytes"},
		"a syntax beyond ASCII": {
			Field{"List-Unsubscribe", "<https://bücher.example>"},
			"must be printable ASCII",
		},
		"a syntax with another control":     {Field{"References", "<a@b>\v<c@d>"}, "must be printable ASCII"},
		"a syntax that begins with a tab":   {Field{"References", "\t<a@b>"}, "must not begin or end with a space"},
		"a field that is not known, with ü": {Field{"Whatever", "ü"}, "must be printable ASCII"},
		"a syntax that ends in a space":     {Field{"References", "<a@b> "}, "must not begin or end with a space"},
		"a syntax that begins with a space": {Field{"References", " <a@b>"}, "must not begin or end with a space"},
		"a syntax in spaces":                {Field{"References", "  "}, "must not begin or end with a space"},
		"a word that does not fit behind the name": {
			Field{"List-Unsubscribe", strings.Repeat("x", 981)},
			"begins with over 980 bytes without a single space",
		},
		"a word behind others that cannot": {
			Field{"References", "<a@b> <c@d> " + strings.Repeat("x", 998)},
			"has over 997 bytes without a single space",
		},
		"a run of spaces that does not fit, either": {
			Field{"References", "a" + strings.Repeat(" ", 985) + "b"},
			"begins with over 986 bytes without a single space",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.field.Check(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// FuzzField: a field that passes the check is read back unchanged, and adds no other field.
func FuzzField(f *testing.F) {
	f.Add("List-Unsubscribe", "<https://example.com/leave?u=7>, <mailto:leave@example.com>")
	f.Add("References", strings.Repeat("<a@example.org> ", 20)+"<b@example.org>")
	f.Add("X-Ticket", "Grüße aus Zürich – ja!")
	f.Add("x-a", " =?utf-8?q?x?= ")
	f.Add("Comments", strings.Repeat("a  b ", 60))
	f.Add("Precedence", "a"+strings.Repeat(" ", 80)+"b c")
	f.Add("In-Reply-To", "=??q??=")
	f.Add("List-Unsubscribe", "<https://example.com/"+strings.Repeat("x", 975)+">")
	f.Add("References", "<a@example.org>\t<b@example.org>")
	f.Fuzz(func(t *testing.T, name, value string) {
		field := Field{name, value}
		if field.Check() != nil || strings.ContainsAny(value, "\r\n\x00") {
			t.Skip("not for this package to write")
		}
		for _, own := range []string{
			"From", "To", "Date", "MIME-Version", "Content-Type", "Content-Transfer-Encoding",
		} {
			if strings.EqualFold(name, own) {
				t.Skip("a field that the message writes itself")
			}
		}
		value = strings.ReplaceAll(value, "\t", " ")
		if want, got := strings.ToValidUTF8(value, "\uFFFD"), readBack(t, field); got != want {
			t.Errorf("%s: %q came out as %q", name, want, got)
		}
	})
}
