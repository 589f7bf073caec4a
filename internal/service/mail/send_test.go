package mail_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/mail/mailkey"
)

// everything is a mail that uses every field, with names and texts in several scripts.
func (s *stack) everything() object {
	return s.mail(object{
		"recipients": array{
			object{"email": "ada@example.org", "name": "Ada Lovelace"},
			object{"email": "grete@bücher.example", "name": "Grete Müßig"},
			object{"email": "o.brien@example.org", "name": `O'Brien, "Bob" (Sales)`},
		},
		"ccs": array{
			object{"email": "cc1@example.org", "name": "日本太郎"}, object{"email": "cc2@example.org"},
			object{"email": "cc3@example.org", "name": "C Three"},
		},
		"bccs": array{
			object{"email": "bcc1@example.org", "name": "Hidden One"}, object{"email": "bcc2@example.org"},
			object{"email": "bcc3@example.org"},
		},
		"sender": object{"email": "Support@Example.com", "name": "Café Support"},
		"replyto": array{
			object{"email": "hilfe@bücher.example", "name": "Hilfe, auch für Sie"},
			object{"email": "sales@example.org"},
		},
		"headers": anyOf(everyField),
		"tags":    object{"campaign": "closed-tickets", "Tenant_7": "1", "ses:feedback-id-a": "support"},
		"subject": "Grüße aus Zürich – Ihr Ticket Nr. 4711 wurde soeben geschlossen, vielen Dank für Ihre Geduld! 🎉",
		"html": `<p>Hello {NAME}, see <img src="cid:logo@frontdesk"></p>` +
			strings.Repeat("<p>Ein längerer Absatz.</p>\n", 50),
		"text": "Hello {NAME},\nnot {name}{CO}.\n" + strings.Repeat("word ", 300),
		"placeholders": array{
			object{"name": "name", "value": "Ada & {CO}"}, object{"name": "CO"},
		},
		"attachments": array{
			object{"url": s.files.URL + "/disposition"},
			object{"url": s.files.URL + "/logo.png", "cid": "logo@frontdesk"},
			object{"url": s.files.URL + "/bytes/100000", "filename": "Übersicht.bin"},
			object{"content": base64.StdEncoding.EncodeToString([]byte(csv)), "filename": "Übersicht.csv"},
		},
	})
}

// csv is a file that comes with a mail.
const csv = "Ticket;Wer\r\n4711;Müßig\r\n"

// messageID has the form of those that SES gives.
const messageID = "<0100019a2b3c4d5e-6f708192-a3b4-c5d6-e7f8-091a2b3c4d5e-000000@email.amazonses.com>"

// everyField are header fields of each kind.
var everyField = map[string]string{
	"List-Unsubscribe": "<https://www.example.com/leave?list=closed-tickets&user=7&token=" +
		strings.Repeat("0123456789abcdef", 16) + ">, <mailto:leave@example.com?subject=leave>",
	"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	"In-Reply-To":           messageID,
	"References": strings.Repeat(messageID+" ", 20) +
		"<first@example.org>",
	"Auto-Submitted": "auto-generated",
	"Precedence":     "bulk",
	"X-Ticket":       "4711",
	"x-desk":         "Zürich, im Büro für alle Fälle, die keine sind – oder doch? 日本語",
	"Comments":       "plain words that are more than what one line of a message should have, so they are folded",
}

// anyOf returns a map of strings as a JSON object.
func anyOf(fields map[string]string) object {
	o := object{}
	for name, value := range fields {
		o[name] = value
	}
	return o
}

// TestAMailWithEverything checks the whole message that SES gets: envelope, header, parts, tags, and that nothing in it
// names a Bcc.
func TestAMailWithEverything(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m, reply := s.mustSend(t, s.everything())
		if reply.Warning != nil {
			t.Errorf("warnings %q", reply.Warning)
		}

		wantEnvelope := []string{
			"ada@example.org", "grete@xn--bcher-kva.example", "o.brien@example.org",
			"cc1@example.org", "cc2@example.org", "cc3@example.org",
			"bcc1@example.org", "bcc2@example.org", "bcc3@example.org",
		}
		// The local part stays as it was given, and the domain is in lower case.
		expect.Equal(t, m.from, "Support@example.com")
		expect.Equal(t, m.to, wantEnvelope)
		// Not "bcc" alone, which a boundary may hold.
		for _, hidden := range []string{"\r\nbcc:", "bcc1@", "bcc2@", "bcc3@", "hidden"} {
			if bytes.Contains(bytes.ToLower(m.raw), []byte(hidden)) {
				t.Errorf("the bytes have %q", hidden)
			}
		}
		if m.header.Has("Bcc") {
			t.Errorf("the bytes tell of Bcc:\n%s", m.raw)
		}
		subject, err := m.header.Subject()
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, subject,
			"Grüße aus Zürich – Ihr Ticket Nr. 4711 wurde soeben geschlossen, vielen Dank für Ihre Geduld! 🎉")
		for field, want := range map[string][]string{
			"From": {"Café Support <Support@example.com>"},
			"To": {
				"Ada Lovelace <ada@example.org>", "Grete Müßig <grete@xn--bcher-kva.example>",
				`O'Brien, "Bob" (Sales) <o.brien@example.org>`,
			},
			"Cc": {"日本太郎 <cc1@example.org>", "<cc2@example.org>", "C Three <cc3@example.org>"},

			"Reply-To": {"Hilfe, auch für Sie <hilfe@xn--bcher-kva.example>", "<sales@example.org>"},
		} {
			list, err := m.header.AddressList(field)
			var got []string
			for _, a := range list {
				got = append(got, strings.TrimSpace(a.Name+" <"+a.Address+">"))
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s is %q, %v; want %q", field, got, err, want)
			}
		}
		for name, want := range everyField {
			if got, err := m.header.Text(name); err != nil || got != want {
				t.Errorf("%s is %q, %v; want %q", name, got, err, want)
			}
		}
		date, err := m.header.Date()
		if err != nil {
			t.Fatal(err)
		}
		expect.AtMost(t, time.Since(date).Abs(), time.Minute)
		expect.Equal(t, m.header.Get("MIME-Version"), "1.0")
		// SES writes the Message-ID, and replaces any other.
		expect.Equal(t, m.header.Has("Message-Id"), false)
		expect.Equal(t, m.header.Has("Bcc"), false)

		// Texts are alternatives, the picture belongs to the HTML (RFC 2387), and other files are beside both.
		wantShape := "multipart/mixed(multipart/alternative(text/plain multipart/related(text/html image/png)) " +
			"application/pdf application/octet-stream text/csv)"
		if m.shape != wantShape {
			t.Errorf("shape %s", m.shape)
		}
		const name = "Ada & {CO}"
		var binary strings.Builder
		for i := range 100_000 {
			binary.WriteByte(byte(i * 7))
		}
		want := []leaf{
			{
				contentType: "text/plain", charset: "utf-8",
				// {CO} was given without a value, so it is empty; the {CO} that the first value brings stays.
				body: "Hello " + name + ",\r\nnot {name}.\r\n" + strings.Repeat("word ", 300),
			},
			{
				contentType: "text/html", charset: "utf-8",
				body: `<p>Hello ` + name + `, see <img src="cid:logo@frontdesk"></p>` +
					strings.Repeat("<p>Ein längerer Absatz.</p>\r\n", 50),
			},
			{
				contentType: "image/png", disposition: "inline", filename: "logo.png", cid: "<logo@frontdesk>",
				body: string(logo),
			},
			{
				// filename* of the server wins over its filename.
				contentType: "application/pdf", disposition: "attachment", filename: "Béricht 2026.pdf",
				body: "%PDF-1.7 not really",
			},
			{
				contentType: "application/octet-stream", disposition: "attachment", filename: "Übersicht.bin",
				body: binary.String(),
			},
			{
				contentType: "text/csv", charset: "utf-8", disposition: "attachment", filename: "Übersicht.csv",
				body: csv,
			},
		}
		for i, w := range want {
			if i >= len(m.leaves) || m.leaves[i] != w {
				t.Errorf("part %d is %.300q\nwant %.300q", i, fmtLeaf(m.leaves, i), w)
			}
		}
		// The mail key is one read. Whatever a mail has, it takes no more.
		if got, want := s.Actions(reply.Answer), []string{"BatchGetItem", "SendEmail"}; !slices.Equal(got, want) {
			t.Errorf("round trips %q, want %q", got, want)
		}
		tags := s.withKey(tag{"Tenant_7", "1"}, tag{"campaign", "closed-tickets"}, tag{"ses:feedback-id-a", "support"})
		if got := s.sesRequests(t, reply)[0].EmailTags; !slices.Equal(got, tags) {
			t.Errorf("tags %q, want %q", got, tags)
		}
	})
}

// fmtLeaf returns leaf i for an error message, which may be missing.
func fmtLeaf(leaves []leaf, i int) any {
	if i < len(leaves) {
		return leaves[i]
	}
	return "missing"
}

// TestAnotherParserReadsTheSame reads the mail with everything by Python's email package: two parsers that agree are
// better evidence than one.
func TestAnotherParserReadsTheSame(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		m, _ := s.mustSend(t, s.everything())
		got, ok := readByPython(t, m.raw)
		if !ok {
			t.Skip("python3 is not installed: the mail was not read by a second parser")
		}
		everything := s.everything()
		expect.Equal[any](t, got.Subject, everything["subject"])
		expect.Equal(t, got.Defects, nil)
		to := []string{
			"Ada Lovelace|ada@example.org", "Grete Müßig|grete@xn--bcher-kva.example",
			`O'Brien, "Bob" (Sales)|o.brien@example.org`,
		}
		if !slices.Equal(got.To, to) {
			t.Errorf("To %q", got.To)
		}
		cc := []string{"日本太郎|cc1@example.org", "|cc2@example.org", "C Three|cc3@example.org"}
		if !slices.Equal(got.Cc, cc) {
			t.Errorf("Cc %q", got.Cc)
		}
		replyTo := []string{"Hilfe, auch für Sie|hilfe@xn--bcher-kva.example", "|sales@example.org"}
		if !slices.Equal(got.ReplyTo, replyTo) {
			t.Errorf("Reply-To %q", got.ReplyTo)
		}
		for name, want := range everyField {
			if got.Fields[name] != want {
				t.Errorf("%s is %q, want %q", name, got.Fields[name], want)
			}
		}
		if len(got.Parts) != len(m.leaves) {
			t.Fatalf("parts %+v", got.Parts)
		}
		for i, part := range got.Parts {
			l := m.leaves[i]
			expect.Equal(t, part.Type, l.contentType)
			expect.Equal(t, part.Filename, l.filename)
			expect.Equal(t, part.CID, l.cid)
			expect.Equal(t, part.SHA256, digest(l))
		}
	})
}

// TestLeastPrivilegeHolds takes each permission away from the function in turn. The mail must fail: a permission that
// nothing needs would be too much.
func TestLeastPrivilegeHolds(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			old, new string
			status   int
			want     string
		}{
			"without ses:SendRawEmail": {
				old: "[ses:SendEmail, ses:SendRawEmail]",
				new: "[ses:SendEmail]", status: 200,
				want: "SES does not let the service send it (AccessDeniedException)",
			},
			"without any identity": {
				old: "identity/*",
				new: "identity/other.example", status: 200,
				want: "SES does not let the service send it (AccessDeniedException)",
			},
			"without mail keys": {
				old: `"MAILKEY#*", `, status: 500, want: "Internal error",
			},
			"without records to read": {
				old: `"MAILKEY#*", "IDEMPOTENCY#*"`,
				new: `"MAILKEY#*"`, status: 500, want: "Internal error",
			},
			"without records to write": {
				old: `["IDEMPOTENCY#*"]`,
				new: `["NONE#*"]`, status: 500, want: "Internal error",
			},
			"without quotas to count": {
				old: `["MAILDAY#*"]`,
				new: `["NONE#*"]`, status: 500, want: "Internal error",
			},
			"without those who have unsubscribed": {
				old: `, "UNSUBSCRIBED#*"]`,
				new: `]`, status: 500, want: "Internal error",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t, func(o *local.Options) { o.Template = localtest.EditTemplate(t, c.old, c.new) })
				sender := mail.Address{Address: "a@example.com"}
				_, s.key = s.NewMailKey(t, mailkey.Key{Name: "all", Sender: sender, Daily: 5})
				r := s.sendOnce(t, "all", s.newsletter(readersOf("ada@example.org"), nil))
				r.Is(t, c.status, object{"status": "error"})
				expect.Contains(t, r.Error, c.want)
				if n := s.sentMails(); n != 0 {
					t.Errorf("%d mails were sent", n)
				}
			})
		}
	})
}

// TestAnAnswerIsNeverTooLarge: a warning shortens the name of an unknown field, here of 1.9 MB. Otherwise the answer
// would be over Lambda's limit, and the client would get an error for a mail that was sent.
func TestAnAnswerIsNeverTooLarge(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		body, err := json.Marshal(s.mail(object{strings.Repeat(`"`, 1_900_000): 1}))
		if err != nil {
			t.Fatal(err)
		}
		// In base64, as API Gateway hands over what is no text, it is small enough for an event.
		r := s.post(t, http.Header{"Content-Type": {"application/octet-stream"}}, string(body))
		r.Is(t, http.StatusOK, object{"status": "success"})
		expect.Len(t, r.Warning, 1)
		expect.AtMost(t, len(r.Warning[0]), 200)
	})
}
