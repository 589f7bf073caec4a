package console_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// shown is the JSON of a message.
type shown struct {
	Headers      []struct{ Name, Value string }
	HTML, Remote bool
	Text         *string
	TextCut      bool `json:"text_cut"`
	Invitation   *struct {
		Number int
		Method string
	}
	Attachments []struct {
		Number          int
		Name, Type, CID string
		Size            int
	}
	Problem string
}

// read reads the JSON of a message.
func read(t *testing.T, message string) (m shown) {
	t.Helper()
	w := serve(t, message, "/_local/outbox/1/message")
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// mixed combines parts into a multipart message.
func mixed(parts ...string) string {
	return "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Join(parts, "\n--b\n") + "\n--b--\n"
}

// nested returns a text within parts within parts.
func nested(depth int) string {
	var message strings.Builder
	for i := range depth {
		fmt.Fprintf(&message, "Content-Type: multipart/mixed; boundary=b%[1]d.\n\n--b%[1]d.\n", i)
	}
	return message.String() + "\nx"
}

// TestBodiesOfAMessage shows which parts are bodies and which are files, how they are decoded, and what is read of
// malformed messages.
func TestBodiesOfAMessage(t *testing.T) {
	tests := []struct {
		name, message string
		text          string // "-" means none
		html          bool
		attachments   int
		problem       string // a part of it
	}{
		{"text alone", "Content-Type: text/plain\n\nhello\n", "hello\r\n", false, 0, ""},
		// RFC 2045, section 5.2: without a type, or with one that cannot be read, a body is plain text.
		{"no type is text", "Subject: x\n\nhello\n", "hello\r\n", false, 0, ""},
		{"a type that cannot be read is text", "Content-Type: text/\n\nhello", "hello", false, 0, ""},
		{"HTML alone", "Content-Type: text/html\n\n<p>", "-", true, 0, ""},
		{"no body at all", "Subject: x\n\n", "", false, 0, ""},
		{"both", mixed("Content-Type: text/plain\n\none", "Content-Type: text/html\n\n<p>"), "one", true, 0, ""},
		{"nested", mixed("Content-Type: multipart/alternative; boundary=c\n\n" +
			"--c\n\ninner\n--c\nContent-Type: text/html\n\n<p>\n--c--"), "inner", true, 0, ""},
		{"a second text is a file", mixed("\none", "\ntwo"), "one", false, 1, ""},
		{"a text to be saved is a file", mixed("Content-Disposition: attachment\n\none"), "-", false, 1, ""},
		// Mail readers offer such a part for download, whatever its type.
		{"a text with a name is a file", mixed("Content-Type: text/plain; name=a.txt\n\none"), "-", false, 1, ""},
		{"a type that nobody knows is a file", "Content-Type: image/png\n\nx", "-", false, 1, ""},
		// Nothing says where its parts begin.
		{"multipart without a boundary is a file", "Content-Type: multipart/mixed\n\nx", "-", false, 1, ""},
		{"quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe", "Grüße", false, 0, ""},
		{"base64", "Content-Transfer-Encoding: base64\n\nR3LDvMOfZQ==", "Grüße", false, 0, ""},
		{"an encoding that nobody knows", "Content-Transfer-Encoding: x-own\n\nhello", "hello", false, 0, ""},
		{"a charset", "Content-Type: text/plain; charset=iso-8859-1\n\nGr\xfc\xdfe", "Grüße", false, 0, ""},
		{"no charset, not UTF-8", "Subject: x\n\nGr\xfc\xdfe", "Grüße", false, 0, ""},
		// Whoever looks only at the beginning of this text takes it for ASCII.
		{"no charset, UTF-8 far behind",
			"Subject: x\n\n" + strings.Repeat(".", 2000) + "ü", strings.Repeat(".", 2000) + "ü", false, 0, ""},
		{"a charset that nobody knows", "Content-Type: text/plain; charset=x-own\n\nhello", "hello", false, 0, ""},
		{"bytes that are no text",
			"Content-Type: text/plain; charset=utf-8\n\na\xffb\x00", "a\uFFFDb\x00", false, 0, ""},
		// From here on: malformed messages. Whatever can be read of them is shown.
		{"a header that cannot be read", "Subject\n\nhello", "-", false, 0, "header"},
		{"base64 that breaks off",
			"Content-Transfer-Encoding: base64\n\nR3LDvMOf!!!!", "Grüß", false, 0, "cannot be decoded"},
		{"a multipart that breaks off",
			"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none", "one", false, 0, "cannot be decoded"},
		{"nested too deep", nested(30), "-", false, 0, "nested more than 20 deep"},
		{"too many parts", mixed(slices.Repeat([]string{"\nx"}, 1001)...), "x", false, 999, "more than 1000 parts"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := read(t, test.message)
			text := "-"
			if m.Text != nil {
				text = *m.Text
			}
			expect.Equal(t, text, test.text)
			expect.Equal(t, m.HTML, test.html)
			expect.Equal(t, len(m.Attachments), test.attachments)
			if (m.Problem == "") != (test.problem == "") || !strings.Contains(m.Problem, test.problem) {
				t.Errorf("the problem is %q, want %q", m.Problem, test.problem)
			}
		})
	}
}

// TestAnInvitationIsNoAttachment also shows that the same calendar as a file is one.
func TestAnInvitationIsNoAttachment(t *testing.T) {
	const request = "Content-Type: text/calendar; method=REQUEST"
	for name, c := range map[string]struct {
		message     string
		method      string // "" for none
		number      int
		attachments int
	}{
		"an alternative":        {mixed("\none", request+"\n\nx", request+"; name=a.ics\n\nx"), "REQUEST", 1, 1},
		"a second one":          {mixed("\none", request+"\n\nx", request+"\n\nx"), "REQUEST", 1, 1},
		"a file":                {mixed("\none", request+"\nContent-Disposition: attachment\n\nx"), "", 0, 1},
		"one without a method":  {mixed("\none", "Content-Type: text/calendar\n\nx"), "", 0, 1},
		"another with a method": {mixed("\none", "Content-Type: text/csv; method=REQUEST\n\nx"), "", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := read(t, c.message)
			expect.Equal(t, len(m.Attachments), c.attachments, "the number of attachments")
			expect.Equal(t, m.Invitation != nil, c.method != "", "there is an invitation")
			if m.Invitation != nil {
				expect.Equal(t, m.Invitation.Method, c.method, "its method")
				expect.Equal(t, m.Invitation.Number, c.number, "its part")
			}
		})
	}
}

// TestHeadersAreInTheirOrderDecoded shows that repeated fields, unusual case and unknown charsets are kept.
func TestHeadersAreInTheirOrderDecoded(t *testing.T) {
	m := read(t, "Received: two\nX-MIXED-Case: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nReceived: one\n"+
		"Subject: =?iso-8859-1?q?caf=E9?=\n folded\nX-Broken: =?x-own?q?a?=\n\n")
	want := "[{Received two} {X-MIXED-Case Grüße} {Received one} {Subject café folded} {X-Broken =?x-own?q?a?=}]"
	if got := fmt.Sprint(m.Headers); got != want {
		t.Errorf("the headers are %s, want %s", got, want)
	}
}

// TestLongTextIsCut shows the limit of 1 MB for a text.
func TestLongTextIsCut(t *testing.T) {
	// At the limit, and one byte beyond it.
	for size, cut := range map[int]bool{1 << 20: false, 1<<20 + 1: true} {
		m := read(t, "Subject: x\n\n"+strings.Repeat("a", size))
		expect.Equal(t, m.TextCut, cut)
		expect.Equal(t, len(*m.Text), 1<<20)
	}
}

// TestAttachmentsHaveNames shows where the name comes from, and that it never contains a path.
func TestAttachmentsHaveNames(t *testing.T) {
	tests := []struct{ header, name string }{
		{`Content-Disposition: attachment; filename="a b.txt"`, "a b.txt"},
		// RFC 2231 is the standard for such a name. Many mailers write encoded words instead, which RFC 2047
		// forbids here.
		{`Content-Disposition: attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe.txt`, "Grüße.txt"},
		{`Content-Disposition: attachment; filename="=?utf-8?q?Gr=C3=BC=C3=9Fe.txt?="`, "Grüße.txt"},
		{`Content-Type: text/plain; name=old.txt`, "old.txt"},
		{`Content-Disposition: attachment; filename="../../etc/passwd"`, "passwd"},
		{`Content-Disposition: attachment; filename="C:\\tmp\\x.txt"`, "x.txt"},
		{`Content-Disposition: attachment; filename="/"`, "part-0"},
		{"Content-Type: message/rfc822\nContent-Disposition: attachment", "part-0.eml"},
		{"Content-Type: application/pdf", "part-0.pdf"},
		{"Content-Type: application/x-own", "part-0"},
	}
	for _, test := range tests {
		m := read(t, mixed(test.header+"\n\nhello"))
		expect.Len(t, m.Attachments, 1, test.header)
		expect.HasPrefix(t, m.Attachments[0].Name, test.name, test.header)
		expect.Equal(t, m.Attachments[0].Size, 5, test.header)
	}
}

// TestPartsAreDownloadedAsTheyWereSent shows that bytes and charset are unchanged, and that a browser saves a part
// instead of showing it.
func TestPartsAreDownloadedAsTheyWereSent(t *testing.T) {
	bytes := make([]byte, 100_000)
	for i := range bytes {
		bytes[i] = byte(i * 7)
	}
	message := mixed(
		"\nthe body",
		"Content-Type: image/png\nContent-Id: <p>\nContent-Transfer-Encoding: base64\n\n"+
			base64.StdEncoding.EncodeToString(bytes),
		"Content-Type: text/html; charset=iso-8859-1\n"+
			"Content-Disposition: attachment; filename=\"Gr\u00fc\u00dfe \\\"1\\\".html\"\n\n<p>Gr\xfc\xdfe",
	)
	tests := []struct{ path, body, kind, disposition string }{
		{"0", "the body", "text/plain", `attachment; filename=part-0`},
		{"1", string(bytes), "image/png", `attachment; filename=part-1.png`},
		// The charset is not declared, and it is never shown as a page.
		{"2", "<p>Gr\xfc\xdfe", "text/html", `attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe%20%221%22.html`},
	}
	for _, test := range tests {
		w := serve(t, message, "/_local/outbox/1/parts/"+test.path)
		if w.Body.String() != test.body {
			t.Errorf("part %s: %d bytes, want %d", test.path, w.Body.Len(), len(test.body))
		}
		if got := w.Header().Get("Content-Type"); got != test.kind {
			t.Errorf("part %s: the type is %q, want %q", test.path, got, test.kind)
		}
		if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, test.disposition) {
			t.Errorf("part %s: the disposition is %q, want %q", test.path, got, test.disposition)
		}
		if _, ok := policy(t, w)["sandbox"]; !ok {
			t.Errorf("part %s: it has no sandbox", test.path)
		}
	}
}
