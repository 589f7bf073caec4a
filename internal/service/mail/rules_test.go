package mail_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestBadMails: a mail that is understood but against a rule gets 200 and an error that names the field and the rule.
// Nothing is sent or fetched: each mail has files to fetch, so that a rule that is checked too late is seen.
func TestBadMails(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		fetches := object{
			"htmlurl": s.files.URL + "/hello.html", "attachments": attachment(s.files.URL+"/hello.txt", nil),
		}
		to := func(email string) object { return object{"recipients": array{object{"email": email}}} }
		attach := func(more object) object { return object{"attachments": attachment(s.files.URL+"/hello.txt", more)} }
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"no recipients": {object{"recipients": null}, "recipients must name at least one recipient"},
			"an empty list of recipients": {
				object{"recipients": array{}}, "recipients must name at least one recipient",
			},
			// The document makes recipients mandatory, whoever else gets the mail.
			"only Cc": {
				object{"recipients": array{}, "ccs": recipients("r", 1)},
				"recipients must name at least one recipient",
			},
			"1001 recipients": {
				object{"recipients": recipients("r", 1001)},
				"recipients are too many: recipients, ccs and bccs are 1001 together; at most 1000 are allowed",
			},
			"1001 recipients in all": {
				object{"recipients": recipients("r", 501), "ccs": recipients("r", 250), "bccs": recipients("r", 250)},
				"1001 together; at most 1000",
			},
			"a recipient without address": {
				object{"recipients": array{object{"name": "Ada"}}}, "recipients[0].email is missing",
			},
			"an empty address": {to(""), "recipients[0].email is missing"},
			"an address without @": {
				to("ada"), `recipients[0].email "ada" is not a valid e-mail address: it has no @`,
			},
			"an address with a display name": {to("Ada <ada@example.org>"), "recipients[0].email"},
			"an address in brackets":         {to("<ada@example.org>"), "recipients[0].email"},
			"an address with a comment":      {to("ada(x)@example.org"), "recipients[0].email"},
			"an address with space around":   {to(" ada@example.org"), "recipients[0].email"},
			"two addresses in one":           {to("a@example.org,b@example.org"), "recipients[0].email"},
			// RFC 5321 section 4.1.2 allows it. Mailboxes rarely have one, and it would let spaces and commas
			// into addresses.
			"a quoted local part": {to(`"a b"@example.org`), "recipients[0].email"},
			// This would need SMTPUTF8 (RFC 6531), which SES does not have.
			"a local part beyond ASCII": {to("grüße@example.org"), "the part before the @ must be ASCII"},
			// A mail reader might decode =?…?= in an address, and show another one.
			"an encoded word as a recipient": {
				to("=?utf-8?q?ada?=@example.org"), "recipients[0].email",
			},
			"an encoded word in all other fields": {
				object{
					"ccs": array{object{"email": "=?c@example.org"}}, "bccs": array{object{"email": "=?b@example.org"}},
					"replyto": array{object{"email": "=?r@example.org"}}, "sender": object{"email": "=?s@example.com"},
				},
				faultsOf("ccs[0]", "=?c@example.org", "bccs[0]", "=?b@example.org", "sender", "=?s@example.com",
					"replyto[0]", "=?r@example.org"),
			},
			// RFC 5321 section 4.5.3.1.1 allows 64.
			"a local part of 65 bytes": {
				to(strings.Repeat("a", 65) + "@example.org"), "the part before the @ is longer than 64 bytes",
			},
			// A path has at most 256 bytes with its brackets (RFC 5321 section 4.5.3.1.3).
			"an address of over 254 bytes": {
				to("abcdefghij@" + strings.Repeat("abcdefgh.", 27) + "org"), "is longer than 254 bytes",
			},
			"an address without local part": {to("@example.org"), "recipients[0].email"},
			"an address without domain":     {to("ada@"), "recipients[0].email"},
			"a domain with a space":         {to("ada@exa mple.org"), "its domain is not a valid host name"},
			"a domain with an empty label":  {to("ada@example..org"), "recipients[0].email"},
			"an address literal":            {to("ada@[127.0.0.1]"), "its domain is not a valid host name"},
			"CRLF in an address":            {to("ada@example.org\r\nBcc: x@example.org"), "recipients[0].email"},
			"NUL in an address":             {to("ada\x00@example.org"), "recipients[0].email"},
			"CR in a recipient's name": {
				object{"recipients": array{object{"email": "a@example.org", "name": "A\rB"}}},
				"recipients[0].name must not contain CR, LF or NUL",
			},
			"LF in a Cc's name": {
				object{"ccs": array{object{"email": "a@example.org", "name": "A\nBcc: b"}}},
				"ccs[0].name must not contain CR, LF or NUL",
			},
			"NUL in a Bcc's name": {
				object{"bccs": array{object{"email": "a@example.org", "name": "A\x00"}}},
				"bccs[0].name must not contain CR, LF or NUL",
			},
			"CRLF in the sender's name": {
				object{"sender": object{"email": "a@example.com", "name": "A\r\nX: y"}},
				"sender.name must not contain CR, LF or NUL",
			},
			"CRLF in the sender's address": {
				object{"sender": object{"email": "a@example.com\r\nX: y"}},
				"sender.email",
			},
			"CRLF in the subject": {
				object{"subject": "Hi\r\nBcc: x@example.org"}, "subject must not contain CR, LF or NUL",
			},
			"LF in the subject": {object{"subject": "Hi\nthere"}, "subject must not contain CR, LF or NUL"},
			"CRLF in a file name": {
				attach(object{"filename": "a\r\nX: y"}), "attachments[0].filename must not contain CR, LF or NUL",
			},
			"NUL in a file name": {
				attach(object{"filename": "a\x00.txt"}), "attachments[0].filename must not contain CR, LF or NUL",
			},
			"CRLF in a cid": {
				attach(object{"cid": "a\r\nX: y"}), "attachments[0].cid must be visible ASCII",
			},
			"a cid in brackets": {
				attach(object{"cid": "<a>"}), "attachments[0].cid must be visible ASCII characters other than < and >",
			},
			"a cid with a space": {
				attach(object{"cid": "a b"}), "attachments[0].cid must be visible ASCII",
			},
			"a cid beyond ASCII": {attach(object{"cid": "é"}), "attachments[0].cid must be visible ASCII"},
			// A Content-ID cannot be folded, and must fit on a line of 998 bytes (RFC 5322 section 2.1.1).
			"a cid too long for a line": {
				attach(object{"cid": strings.Repeat("a", 901)}), "attachments[0].cid is longer than 900 bytes",
			},
			// A reader would have to guess which of the files the HTML means.
			"a cid twice": {
				object{
					"attachments": array{
						object{"url": s.files.URL + "/a", "cid": "x"}, object{"url": s.files.URL + "/b", "cid": "x"},
					},
				},
				`attachments[1].cid "x" is used by another attachment`,
			},
			"an attachment without URL": {
				object{"attachments": array{object{"filename": "a"}}},
				"attachments[0] must have a url or content",
			},
			"an attachment's URL that is none": {
				object{"attachments": attachment("http://a b/", nil)},
				"attachments[0].url is not a valid URL",
			},
			"an attachment's URL with a control": {
				object{"attachments": attachment("http://a/\r\n", nil)},
				"attachments[0].url is not a valid URL",
			},
			"a relative URL": {
				object{"attachments": attachment("/a.txt", nil)}, "attachments[0].url must be an http or https URL",
			},
			"a file URL": {
				object{"attachments": attachment("file:///etc/passwd", nil)},
				"attachments[0].url must be an http or https URL",
			},
			// The switch is for downloads that fail. This one is never tried.
			"an ftp URL, even with ignoredlfails": {
				object{"config": array{"ignoredlfails"}, "attachments": attachment("ftp://example.org/a", nil)},
				"attachments[0].url must be an http or https URL",
			},
			"a URL without host": {
				object{"attachments": attachment("http:///a", nil)},
				"attachments[0].url must name a host",
			},
			"a URL with a port that is none": {
				object{"attachments": attachment("http://example.org:99999/", nil)},
				"attachments[0].url must have a port from 1 to 65535, or none",
			},
			// URLs stand in errors and logs of servers: a password does not belong there.
			"a URL with credentials": {
				object{"attachments": attachment("http://a:b@example.org/", nil)},
				"attachments[0].url must not hold a user name or password",
			},
			"an htmlurl with credentials": {
				object{"htmlurl": "http://a@example.org/"}, "htmlurl must not hold a user name or password",
			},
			"a texturl that is none": {object{"text": null, "texturl": "::"}, "texturl is not a valid URL"},
			"an htmlurl that is none beside html": {
				object{"html": "x", "htmlurl": "gopher://x", "config": array{"urlbeforestring"}},
				"htmlurl must be an http or https URL",
			},
			"51 attachments": {
				object{"attachments": slices.Repeat(attachment(s.files.URL+"/hello.txt", nil), 51)},
				"attachments are too many: 51; at most 50 are allowed",
			},
			"an unknown config key": {
				object{"config": array{"allowempty", "nosuch"}},
				`config[1] "nosuch" is not known; allowed are allowempty, ignoredlfails, noconversion, ` +
					"urlbeforestring, subjectplaceholders, escapeplaceholders",
			},
			// Names are case-sensitive, as everywhere in the API.
			"a config key in capitals": {
				object{"config": array{"AllowEmpty"}}, `config[0] "AllowEmpty" is not known`,
			},
			"an empty config key": {object{"config": array{""}}, `config[0] "" is not known`},
			"a placeholder without name": {
				object{"placeholders": array{object{"value": "x"}}},
				"placeholders[0].name is missing",
			},
			"a placeholder with a brace": {
				object{"placeholders": array{object{"name": "a}"}}},
				"placeholders[0].name must not contain a brace",
			},
			// Names are put in upper case, so these two are one.
			"a placeholder twice": {
				object{"placeholders": array{object{"name": "a"}, object{"name": "A"}}},
				`placeholders[1].name "A" is given twice`,
			},
			"a sender of another domain": {
				object{"sender": object{"email": "a@example.org"}},
				`sender.email "a@example.org" is not one that this key may send as; it may send as example.com`,
			},
			// A rule is for exactly its domain, and not for those below it.
			"a sender of a subdomain": {
				object{"sender": object{"email": "a@sub.example.com"}},
				"is not one that this key may send as",
			},
			"a sender without address": {object{"sender": object{"name": "A"}}, "sender.email is missing"},
			"several faults at once": {
				object{"subject": "a\nb", "recipients": array{object{"email": "ada"}}},
				`recipients[0].email "ada" is not a valid e-mail address: it has no @; ` +
					"subject must not contain CR, LF or NUL",
			},
			// The answer quotes the beginning. The whole key, escaped, would be megabytes.
			"a very long config key": {
				object{"config": array{strings.Repeat("\"", 1_000_000)}},
				`config[0] "\"\"`,
			},
			// 40 bad addresses: 20 are listed, and the rest is counted.
			"100 faults": {
				object{"ccs": slices.Repeat(array{object{"email": "x"}}, 40)},
				"and 20 more",
			},
			"a request of over 4 MiB": {
				object{"text": strings.Repeat("x", 4<<20)}, "at most 4194304 are allowed",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s.mustRefuse(t, fixture.With(s.mail(fetches), c.mail), http.StatusOK, c.want)
			})
		}
	})
}

// TestBadBodies: a field of a wrong JSON type gets 400 and an error that names the field.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"recipients no array": {
				object{"recipients": object{"email": "a@example.org"}},
				"recipients must be an array of objects",
			},
			"a recipient that is a string": {
				object{"recipients": array{"a@example.org"}}, "recipients[0] must be an object",
			},
			"a recipient that is null": {object{"recipients": array{nil}}, "recipients[0] must be an object"},
			"an address that is a number": {
				object{"recipients": array{object{"email": 1}}}, "recipients[0].email must be a string",
			},
			"ccs no array": {object{"ccs": "a@example.org"}, "ccs must be an array of objects"},
			"a name in bccs that is true": {
				object{"bccs": array{object{"email": "a@example.org", "name": true}}},
				"bccs[0].name must be a string",
			},
			"a sender that is a string":  {object{"sender": "a@example.com"}, "sender must be an object"},
			"a subject that is a number": {object{"subject": 1}, "subject must be a string"},
			"html that is an array":      {object{"html": array{}}, "html must be a string"},
			"htmlurl, even beside html":  {object{"html": "x", "htmlurl": 1}, "htmlurl must be a string"},
			"text that is an object":     {object{"text": object{}}, "text must be a string"},
			"texturl, even beside text":  {object{"texturl": false}, "texturl must be a string"},
			"an attachment that is a URL": {
				object{"attachments": array{s.files.URL}}, "attachments[0] must be an object",
			},
			"a cid that is a number": {
				object{"attachments": attachment(s.files.URL, object{"cid": 1})},
				"attachments[0].cid must be a string",
			},
			"placeholders as a map": {
				object{"placeholders": object{"NAME": "x"}}, "placeholders must be an array of objects",
			},
			"a placeholder's value": {
				object{"placeholders": array{object{"name": "x", "value": true}}},
				"placeholders[0].value must be a string or a number",
			},
			"config that is a string": {object{"config": "allowempty"}, "config must be an array of strings"},
			// Each element costs memory and time before anything is known of the client.
			"an array of 10,001 elements": {
				object{"placeholders": slices.Repeat(array{object{}}, 10_001)},
				"placeholders must not have more than 10000 elements",
			},
			"a config key that is null": {object{"config": array{nil}}, "config[0] must be a string"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				fetches := fixture.With(object{"htmlurl": s.files.URL + "/hello.html"}, c.mail)
				s.mustRefuse(t, s.mail(fetches), http.StatusBadRequest, c.want)
			})
		}
		// What is no JSON object has no fields, and so no mail key: 400 comes before 401.
		for name, body := range map[string]string{
			"nothing": "", "no JSON": "key=x", "an array": "[]", "null": "null", "broken off": `{"key":"` + s.key,
			"two objects": "{}{}",
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.post(t, nil, body)
				r.Is(t, http.StatusBadRequest, object{"status": "error"})
				expect.HasPrefix(t, r.Error, "body ")
			})
		}
	})
}

// TestAMailOverItsLimitIsNotRead: a body of one byte more than 4 MiB is refused before it is parsed, and without a read
// of the table. Its brackets would nest four million deep.
func TestAMailOverItsLimitIsNotRead(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const limit, want = 4 << 20, "the request is too large: it has 4194305 bytes; at most 4194304 are allowed"
		r := s.post(t, nil, strings.Repeat("[", limit+1))
		r.Is(t, http.StatusOK, nil)
		expect.Equal(t, r.Error, want, "one byte more")
		expect.Equal(t, s.Actions(r.Answer), nil, "one byte more")
		if r := s.post(t, nil, strings.Repeat("[", limit)); r.Status != http.StatusBadRequest {
			t.Errorf("as many as are allowed: %+v", r)
		}
	})
}

// faultsOf returns the error of addresses with an encoded-word, from fields and addresses in turn.
func faultsOf(fields ...string) string {
	var all []string
	for pair := range slices.Chunk(fields, 2) {
		all = append(all, pair[0]+`.email "`+pair[1]+
			`" is not a valid e-mail address: the part before the @ must not contain =?`)
	}
	return strings.Join(all, "; ")
}
