package compose

import (
	"bytes"
	"io"
	"mime"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/prove/expect"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset"
	gomail "github.com/emersion/go-message/mail"
)

var date = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// checkLines fails the test if a line does not end in CRLF or is too long for SMTP (RFC 5322 section 2.1.1), or if a
// byte is not ASCII.
func checkLines(t *testing.T, raw []byte) {
	t.Helper()
	header, _, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
	if bytes.Contains(header, []byte(":"+newLine)) || bytes.Contains(header, []byte(": "+newLine)) {
		t.Errorf("a folded field has an empty first line:\n%s", header)
	}
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 998 {
			t.Errorf("a line has %d bytes: %.80q…", len(line), line)
		}
		if bytes.ContainsAny(line, "\r\n\x00") {
			t.Errorf("a line holds a lone CR, LF or NUL: %.80q", line)
		}
	}
	for i, c := range raw {
		if c >= 0x80 {
			t.Fatalf("byte %d is not ASCII: %#x", i, c)
		}
	}
}

// leaves returns the header of a message and its parts that have no parts of their own, as emersion/go-message
// reads them.
func leaves(t *testing.T, raw []byte) (header gomail.Header, parts []*message.Entity, bodies []string) {
	t.Helper()
	root, err := message.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, raw)
	}
	err = root.Walk(func(_ []int, e *message.Entity, err error) error {
		if err != nil {
			return err
		}
		if e.MultipartReader() != nil {
			return nil
		}
		body, err := io.ReadAll(e.Body)
		parts, bodies = append(parts, e), append(bodies, string(body))
		return err
	})
	if err != nil {
		t.Fatalf("walk: %v\n%s", err, raw)
	}
	return gomail.Header{Header: root.Header}, parts, bodies
}

// asRead returns the value of a header field as readers get it.
func asRead(value string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(value, "\uFFFD"), "\t", " ")
}

// nameAsRead returns a display name as readers get it. A blank one is not written.
func nameAsRead(name string) string {
	if strings.TrimSpace(name) == "" {
		return ""
	}
	return asRead(name)
}

// crlf returns a text as readers get it from a message, with CRLF at its line ends.
func crlf(s string) string { return lineEnds.Replace(s) }

// FuzzMIME: whatever a message contains, SMTP accepts its lines, and go-message reads the same values again.
func FuzzMIME(f *testing.F) {
	f.Add("Hello", "Ada", "text", "<p>html</p>", "report.pdf", []byte("%PDF"))
	f.Add("Grüße aus Zürich, ein sehr langer Betreff, der über mehr als eine Zeile geht – ja!", `O'Brien, "Bob" (x)`,
		"a\nb\r\nc\rd", "=?", "naïve file.txt", []byte{0, 1, 2})
	f.Add("日本語の件名はとても長いので折り返されますよね、そうですよね、きっと", "日本語",
		"全角テキスト", strings.Repeat("x", 2000), "写真.png", bytes.Repeat([]byte("ab\n"), 100))
	f.Add(" leading and trailing ", "=?utf-8?q?x?=", " \n", "\t ", "a\"b\\c.txt", []byte{})
	f.Add(strings.Repeat("w", 600), strings.Repeat("n ", 80),
		".\r\n.", "From me", strings.Repeat("é", 120)+".txt", []byte("\r\n.\r\n"))
	f.Add("a"+strings.Repeat(" ", 1000)+"b", strings.Repeat("ü", 30),
		"x", "y", "=?utf-8?q?=2E=2E=2Fevil=2Eexe?=", []byte("x"))
	f.Add(strings.Repeat("a", 70)+"   "+strings.Repeat("b", 20), "x", "x", "y", "z", []byte("x"))
	f.Add("a\tb", "Jürgen\tGroß", "a\tb", "a\tb", "a b", []byte("\t"))
	f.Add("a  b   c", "two  spaces", "soft\u00a0space", "ends in space ", "semi;colon=.txt", []byte("x"))
	f.Fuzz(func(t *testing.T, subject, name, text, html, file string, body []byte) {
		file = strings.Map(func(c rune) rune {
			if unicode.IsControl(c) {
				return -1
			}
			return c
		}, strings.ToValidUTF8(file, ""))
		if strings.ContainsAny(subject+name, "\r\n\x00") || file == "" || len(file) > 255 {
			t.Skip("not for this package to write")
		}
		box := Mailbox{Name: name, Address: "ada@example.org"}
		m := Message{
			From: box, To: []Mailbox{box, {Address: "b@example.org"}}, Cc: []Mailbox{box}, ReplyTo: []Mailbox{box},
			Subject: subject, Date: date,
			HTML: &html, Text: &text, Calendar: &Calendar{ContentType: "text/calendar; method=REQUEST", Body: body},
			Files: []File{
				{Name: file, ContentType: "message/rfc822", Body: append([]byte("X: "), body...)},
				{Name: file, ContentType: "application/pdf", Body: body},
				{Name: file, ContentType: "image/png", CID: "a@b", Body: body},
			},
		}
		raw := m.Bytes()
		checkLines(t, raw)
		header, parts, bodies := leaves(t, raw)

		got, err := header.Subject()
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, got, asRead(subject), "header.Subject()")
		for _, field := range []string{"From", "To", "Cc", "Reply-To"} {
			list, err := header.AddressList(field)
			if err != nil {
				t.Fatalf("%s: %v", field, err)
			}
			if len(list) == 0 {
				t.Fatalf("%s has no address", field)
			}
			expect.Equal(t, list[0].Address, box.Address, field)
			expect.Equal(t, list[0].Name, nameAsRead(name), field)
		}
		if len(parts) != 6 {
			t.Fatalf("%d leaves, not 6\n%s", len(parts), raw)
		}
		embedded := struct{ contentType, body string }{"application/octet-stream", "X: " + string(body)}
		if size := messageSize([]byte(embedded.body)); size > 0 {
			embedded.contentType, embedded.body = messageType, crlf(embedded.body)
			if size != len(embedded.body) {
				t.Errorf("the message has %d bytes, not %d", len(embedded.body), size)
			}
		}
		wants := []struct{ contentType, body string }{
			{"text/plain", crlf(text)}, {"text/html", crlf(html)},
			{"image/png", string(body)}, {"text/calendar", string(body)}, embedded, {"application/pdf", string(body)},
		}
		for i, want := range wants {
			contentType, _, err := parts[i].Header.ContentType()
			if err != nil || contentType != want.contentType {
				t.Errorf("part %d is %q, %v; want %q", i, contentType, err, want.contentType)
			}
			if utf8.ValidString(want.body) && bodies[i] != want.body || i > 1 && bodies[i] != want.body {
				t.Errorf("part %d: %q came out as %q", i, want.body, bodies[i])
			}
		}
		for _, part := range parts[2:] {
			if contentType, _, _ := part.Header.ContentType(); contentType == "text/calendar" {
				expect.Equal(t, part.Header.Get("Content-Disposition"), "", "the calendar's disposition")
				continue
			}
			_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, params["filename"], file)
		}
	})
}

// TestEncodedWordsKeepToTheirLineLength uses characters of two, three and four bytes, and text whose words are
// mostly ASCII.
func TestEncodedWordsKeepToTheirLineLength(t *testing.T) {
	for _, s := range []string{
		strings.Repeat("ü", 300), strings.Repeat("plain words and one ü ", 20),
		strings.Repeat("語", 200), "😀" + strings.Repeat("😀", 99),
	} {
		value := unstructured(len("Subject: "), s)
		for i, line := range strings.Split(value, "\r\n") {
			if i == 0 {
				line = "Subject: " + line
			}
			if len(line) > maxWordLine {
				t.Errorf("a line of %d bytes: %q", len(line), line)
			}
		}
		got, err := new(mime.WordDecoder).DecodeHeader(strings.ReplaceAll(value, "\r\n", ""))
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, got, s)
	}
}

// TestANameStaysOneEncodedWord: a display name is a single encoded-word as long as it fits on a line, both after the
// name of the field and on a line below it.
func TestANameStaysOneEncodedWord(t *testing.T) {
	for name, c := range map[string]struct {
		name  string
		words int
	}{
		"a double name":               {"Jürgen Großmann-Łukasiewicz", 1},
		"the most of the Q encoding":  {strings.Repeat("n", 48) + "ü", 1},
		"the most of the B encoding":  {strings.Repeat("語", 11), 1},
		"a name that ends in a space": {strings.Repeat("n", 53) + " ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			box := Mailbox{Name: c.name, Address: "a@example.org"}
			one := []Mailbox{box}
			m := Message{From: box, To: []Mailbox{box, box}, Cc: one, ReplyTo: one, Subject: c.name}
			raw := m.Bytes()
			header, _, _ := leaves(t, raw)
			for _, field := range []string{"From", "To", "Cc", "Reply-To"} {
				list, err := header.AddressList(field)
				for _, got := range list {
					expect.Equal(t, got.Name, c.name)
					expect.Equal(t, got.Address, box.Address)
				}
				n := strings.Count(header.Get(field), "=?")
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, n, c.words*len(list), `strings.Count(header.Get(field), "=?")`)
			}
			got, err := header.Subject()
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, got, c.name, "header.Subject()")
			for line := range strings.SplitSeq(string(raw), "\r\n") {
				if strings.Contains(line, "=?") && len(line) > maxWordLine {
					t.Errorf("a line of %d bytes: %q", len(line), line)
				}
			}
		})
	}
}

// TestEncodedWordsEndBetweenWords: each encoded-word has whole words. A reader that shows a gap between encoded-words
// then shows it only where the text has a space.
func TestEncodedWordsEndBetweenWords(t *testing.T) {
	value := encodedWords(len("From: "), strings.TrimSpace(strings.Repeat("Großmann ", 30)))
	for word := range strings.SplitSeq(value, newLine) {
		got, err := new(mime.WordDecoder).Decode(word)
		if err != nil {
			t.Fatal(err)
		}
		expect.HasPrefix(t, got, "Großmann", "new(mime.WordDecoder).Decode(word)")
		expect.HasSuffix(t, strings.TrimSpace(got), "Großmann")
	}
}

// TestNamesOfFilesBeyondASCII: an ASCII name is a quoted string. Any other name, and one that looks like an
// encoded-word, has the extended form first and an approximation after it.
func TestNamesOfFilesBeyondASCII(t *testing.T) {
	for name, want := range map[string]string{
		"a b.txt":          `filename="a b.txt"`,
		"report.pdf":       `filename="report.pdf"`,
		"it's.pdf":         `filename="it's.pdf"`,
		`a"b\.txt`:         `filename="a\"b\\.txt"`,
		"Übersicht 5%.txt": "filename*=utf-8''%C3%9Cbersicht%205%25%2Etxt;\r\n filename=\"_bersicht 5_.txt\"",
		`日"本\.pdf`:         "filename*=utf-8''%E6%97%A5%22%E6%9C%AC%5C%2Epdf;\r\n filename=\"____.pdf\"",
		"=?utf-8?q?x?=":    "filename*=utf-8''%3D%3Futf%2D8%3Fq%3Fx%3F%3D;\r\n filename=\"_?utf-8?q?x?_\"",
	} {
		if got := filename(name); got != ";\r\n "+want {
			t.Errorf("%q is written as %q, want %q", name, got, want)
		}
	}
}

// TestLongASCIISubjectIsFoldedAtSpaces: no line is longer than 78 bytes, and a reader that removes the line breaks
// gets the subject back.
func TestLongASCIISubjectIsFoldedAtSpaces(t *testing.T) {
	s := strings.TrimSpace(strings.Repeat("eleven char ", 40))
	value := unstructured(len("Subject: "), s)
	if strings.ReplaceAll(value, "\r\n", "") != s {
		t.Errorf("unfolded it reads %q", strings.ReplaceAll(value, "\r\n", ""))
	}
	for i, line := range strings.Split(value, "\r\n") {
		if i == 0 {
			line = "Subject: " + line
		}
		if len(line) > foldAt {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
}

// TestBufferIsSizedBeforehand: the estimates of headSize and size are enough even for long names and umlauts, so that
// the buffer never grows. Files do not count: only reading writes their base64.
func TestBufferIsSizedBeforehand(t *testing.T) {
	text := strings.Repeat("Ein Satz mit Umlauten: äöü.\n", 4000)
	to := make([]Mailbox, 50)
	for i := range to {
		to[i] = Mailbox{Name: strings.Repeat("é", 40), Address: strings.Repeat("a", 60) + "@example.org"}
	}
	m := Message{
		From: Mailbox{Address: "a@example.org"}, To: to, ReplyTo: to, Subject: strings.Repeat("ü", 200), Date: date,
		Fields: []Field{
			{"X-Long", strings.Repeat("ü", 2000)},
			{"References", strings.Repeat("<a@example.org> ", 100) + "<b@example.org>"},
		},
		HTML: &text, Text: &text,
		Files: []File{{Name: "a.bin", ContentType: "application/octet-stream", Body: make([]byte, 1<<20)}},
	}
	root := m.tree(RandomBoundary())
	bound := m.headSize() + root.size()
	out := &buffer{bytes: make([]byte, 0, bound)}
	m.write(out, root)
	expect.AtMost(t, cap(out.bytes), bound+bound/8)
	expect.AtMost(t, len(out.bytes), bound)
	raw := m.Bytes()
	n := len(out.bytes) + base64Size(1<<20)
	expect.Equal(t, len(raw), n)
	expect.AtMost(t, cap(raw), n+n/8)
}
