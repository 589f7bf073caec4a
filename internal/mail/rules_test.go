package mail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/credential"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/mail/mailkey"
)

// TestContentRules holds what SES got against the rules of content. Want is the shape of the message; text
// and html are its parts of these types.
func TestContentRules(t *testing.T) {
	s := start(t)
	reopened := "<p>" // of which the parser opens 500 elements anew for each paragraph
	for i := range 500 {
		reopened += fmt.Sprintf("<i a=%d>", i)
	}
	reopened += strings.Repeat("<p>x", 30_000)
	const page = "<p>Hello from a <b>page</b>, {NAME}</p>"
	for name, c := range map[string]struct {
		mail       object
		shape      string
		text, html string
		warning    string
	}{
		"text alone is one text/plain": {
			mail:  object{"text": "a"},
			shape: "text/plain", text: "a",
		},
		"text alone, with noconversion": {
			mail:  object{"text": "a", "config": array{"noconversion"}},
			shape: "text/plain", text: "a",
		},
		"text by URL": {
			mail:  object{"text": nil, "texturl": s.files.URL + "/hello.txt"},
			shape: "text/plain", text: "Hello from a file",
		},
		"HTML alone gets a plain text": {
			mail:  object{"text": nil, "html": "<p>T</p><p>a</p>"},
			shape: "multipart/alternative(text/plain text/html)", text: "T\r\n\r\na", html: "<p>T</p><p>a</p>",
		},
		"HTML alone, with noconversion": {
			mail:  object{"text": nil, "html": "<p>a</p>", "config": array{"noconversion"}},
			shape: "text/html", html: "<p>a</p>",
		},
		"HTML by URL gets a plain text": {
			mail:  object{"text": nil, "htmlurl": s.files.URL + "/hello.html"},
			shape: "multipart/alternative(text/plain text/html)", text: "Hello from a *page* , {NAME}", html: page,
		},
		"HTML by URL, with noconversion": {
			mail:  object{"text": nil, "htmlurl": s.files.URL + "/hello.html", "config": array{"noconversion"}},
			shape: "text/html", html: page,
		},
		"HTML and text": {
			mail:  object{"html": "<p>b</p>", "text": "a"},
			shape: "multipart/alternative(text/plain text/html)", text: "a", html: "<p>b</p>",
		},
		"HTML and text, with noconversion": {
			mail:  object{"html": "<p>b</p>", "text": "a", "config": array{"noconversion"}},
			shape: "multipart/alternative(text/plain text/html)", text: "a", html: "<p>b</p>",
		},
		"HTML and text by URL": {
			mail:  object{"text": nil, "htmlurl": s.files.URL + "/hello.html", "texturl": s.files.URL + "/hello.txt"},
			shape: "multipart/alternative(text/plain text/html)", text: "Hello from a file", html: page,
		},
		"html wins over htmlurl, which is not fetched": {
			mail:  object{"html": "<p>b</p>", "htmlurl": s.files.URL + "/status/500"},
			shape: "multipart/alternative(text/plain text/html)", text: "Hello", html: "<p>b</p>",
		},
		"text wins over texturl, which is not fetched": {
			mail:  object{"text": "a", "texturl": s.files.URL + "/status/500"},
			shape: "text/plain", text: "a",
		},
		"text wins over texturl, which may be no URL": {
			mail:  object{"text": "a", "texturl": "no URL"},
			shape: "text/plain", text: "a",
		},
		"an empty html counts as not given": {
			mail: object{
				"text": nil, "html": "", "htmlurl": s.files.URL + "/hello.html", "config": array{"noconversion"},
			},
			shape: "text/html", html: page,
		},
		"urlbeforestring prefers the HTML's URL": {
			mail: object{
				"html": "<p>b</p>", "htmlurl": s.files.URL + "/hello.html", "config": array{"urlbeforestring"},
			},
			shape: "multipart/alternative(text/plain text/html)", text: "Hello", html: page,
		},
		"urlbeforestring prefers the text's URL": {
			mail:  object{"text": "a", "texturl": s.files.URL + "/hello.txt", "config": array{"urlbeforestring"}},
			shape: "text/plain", text: "Hello from a file",
		},
		"urlbeforestring without a URL takes the string": {
			mail:  object{"text": "a", "config": array{"urlbeforestring"}},
			shape: "text/plain", text: "a",
		},
		"urlbeforestring falls back with a warning": {
			mail:  object{"text": "a", "texturl": s.files.URL + "/status/404", "config": array{"urlbeforestring"}},
			shape: "text/plain", text: "a",
			warning: "texturl could not be downloaded: the server answered 404 Not Found; text is used instead",
		},
		"urlbeforestring falls back from an empty file": {
			mail:  object{"text": "a", "texturl": s.files.URL + "/empty", "config": array{"urlbeforestring"}},
			shape: "text/plain", text: "a", warning: "texturl is empty; text is used instead",
		},
		"a blank html counts as not given, its URL is used": {
			mail: object{
				"text": nil, "html": " ", "htmlurl": s.files.URL + "/hello.html", "config": array{"noconversion"},
			},
			shape: "text/html", html: page,
		},
		"a page that takes too much to parse: HTML alone": {
			mail:  object{"text": nil, "html": reopened},
			shape: "text/html", html: reopened,
			warning: "html was not converted to plain text: it takes too much memory or time to parse",
		},
		"an empty HTML file counts as not given": {
			mail:  object{"text": "a", "htmlurl": s.files.URL + "/empty"},
			shape: "text/plain", text: "a",
		},
		"blank HTML counts as not given": {
			mail:  object{"text": "a", "html": " \n"},
			shape: "text/plain", text: "a",
		},
		"blank text beside HTML counts as not given": {
			mail:  object{"text": " ", "html": "<p>b</p>"},
			shape: "multipart/alternative(text/plain text/html)", text: "b", html: "<p>b</p>",
		},
		"HTML of placeholders alone may turn out empty": {
			mail:  object{"text": "a", "html": "{X}", "placeholders": array{object{"name": "x"}}},
			shape: "text/plain", text: "a",
		},
		"allowempty sends an empty text/plain": {
			mail:  object{"text": nil, "config": array{"allowempty"}},
			shape: "text/plain",
		},
		"allowempty sends an empty text/plain for blank": {
			mail:  object{"text": " ", "config": array{"allowempty"}},
			shape: "text/plain",
		},
		"allowempty with attachments": {
			mail: object{
				"text": nil, "config": array{"allowempty"}, "attachments": attachment(s.files.URL+"/hello.txt", nil),
			},
			shape: "multipart/mixed(text/plain text/plain)",
		},
		"a downloaded text is decoded": {
			mail:  object{"text": nil, "texturl": s.files.URL + "/latin1.txt"},
			shape: "text/plain", text: "grüß",
		},
		"placeholders before conversion": {
			mail: object{
				"text": nil, "html": "<p>{X}</p>", "placeholders": array{object{"name": "x", "value": "<b>y</b>"}},
			},
			shape: "multipart/alternative(text/plain text/html)", text: "*y*", html: "<p><b>y</b></p>",
		},
		"placeholders in downloaded content": {
			mail: object{
				"text": nil, "htmlurl": s.files.URL + "/hello.html", "config": array{"noconversion"},
				"placeholders": array{object{"name": "Name", "value": "Ada"}},
			},
			shape: "text/html", html: "<p>Hello from a <b>page</b>, Ada</p>",
		},
		"placeholders not in the subject": {
			mail:  object{"subject": "{X}", "text": "{X}", "placeholders": array{object{"name": "x", "value": "y"}}},
			shape: "text/plain", text: "y",
		},
		"null counts as not given": {
			mail:  object{"html": null, "htmlurl": null, "subject": null, "ccs": null, "config": null, "sender": null},
			shape: "text/plain", text: "Hello",
		},
		"the same switch twice": {
			mail:  object{"text": nil, "html": "<p>b</p>", "config": array{"noconversion", "noconversion"}},
			shape: "text/html", html: "<p>b</p>",
		},
		"line ends become CRLF": {
			mail:  object{"text": "a\nb\r\nc\rd"},
			shape: "text/plain", text: "a\r\nb\r\nc\r\nd",
		},
		"an inline file goes with the HTML": {
			mail: object{
				"text": nil, "html": "<img src=cid:x>", "config": array{"noconversion"},
				"attachments": attachment(s.files.URL+"/logo.png", object{"cid": "x"}),
			},
			shape: "multipart/related(text/html image/png)", html: "<img src=cid:x>",
		},
		"a cid without HTML is an ordinary attachment": {
			mail:  object{"attachments": attachment(s.files.URL+"/logo.png", object{"cid": "x"})},
			shape: "multipart/mixed(text/plain image/png)", text: "Hello",
		},
		"an attachment goes beside the rest": {
			mail:  object{"html": "<p>b</p>", "attachments": attachment(s.files.URL+"/logo.png", nil)},
			shape: "multipart/mixed(multipart/alternative(text/plain text/html) image/png)", text: "Hello",
			html: "<p>b</p>",
		},
		"500 b inside each other: HTML alone, with a warning": {
			mail:  object{"text": nil, "html": strings.Repeat("<b>", 500) + strings.Repeat("hello world ", 300_000)},
			shape: "text/html", html: strings.Repeat("<b>", 500) + strings.Repeat("hello world ", 300_000),
			warning: "html was not converted to plain text: it is over 1048576 bytes",
		},
		"500 blockquote: HTML alone, with a warning": {
			mail:  object{"text": nil, "html": strings.Repeat("<blockquote>", 500) + "x"},
			shape: "text/html", html: strings.Repeat("<blockquote>", 500) + "x",
			warning: "html was not converted to plain text: headings, bold text or quotations are nested over 16 " +
				"deep",
		},
		"240 h1 and div: HTML alone, with a warning": {
			mail:  object{"text": nil, "html": strings.Repeat("<h1><div>", 240) + "x"},
			shape: "text/html", html: strings.Repeat("<h1><div>", 240) + "x",
			warning: "html was not converted to plain text: headings, bold text or quotations are nested over 16 " +
				"deep",
		},
		"an unknown field is a warning": {
			mail:  object{"htlm": "<p>"},
			shape: "text/plain", text: "Hello", warning: "unknown field htlm is ignored",
		},
		"an unknown field of a recipient is a warning": {
			mail:  object{"recipients": array{object{"email": "a@example.org", "mail": 1}}},
			shape: "text/plain", text: "Hello", warning: "unknown field recipients[0].mail is ignored",
		},
		"names are case-sensitive": {
			mail:  object{"Subject": "x"},
			shape: "text/plain", text: "Hello", warning: "unknown field Subject is ignored",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, reply := s.mustSend(t, s.mail(c.mail))
			if m.shape != c.shape {
				t.Errorf("shape %s, want %s", m.shape, c.shape)
			}
			if text := m.text("text/plain"); text != c.text {
				t.Errorf("text %.300q, want %.300q", text, c.text)
			}
			if html := m.text("text/html"); html != c.html {
				t.Errorf("html %.300q, want %.300q", html, c.html)
			}
			if warning := strings.Join(reply.Warning, "; "); warning != c.warning {
				t.Errorf("warning %q, want %q", warning, c.warning)
			}
			if _, has := reply.Body["error"]; has {
				t.Errorf("a success has the field error: %v", reply.Body)
			}
			if _, has := reply.Body["warning"]; has != (c.warning != "") {
				t.Errorf("the field warning: %v", reply.Body)
			}
		})
	}
}

// TestAnAnswerIsNeverTooLarge: a mail that was sent is answered as sent, whatever the warnings.
func TestAnAnswerIsNeverTooLarge(t *testing.T) {
	s := start(t)
	body, err := json.Marshal(s.mail(object{strings.Repeat(`"`, 1_900_000): 1}))
	if err != nil {
		t.Fatal(err)
	}
	// In base64, as API Gateway hands over what is no text, it is small enough for an event.
	r := s.post(t, http.Header{"Content-Type": {"application/octet-stream"}}, string(body))
	if r.Outcome != "success" || len(r.Warning) != 1 || len(r.Warning[0]) > 200 {
		t.Errorf("answer %d %s %q, warnings %.300q", r.Status, r.Outcome, r.Error, r.Warning)
	}
}

// TestBadMails are understood and against a rule: 200, an error that names field and rule, and nothing is
// sent or fetched. Each would fetch a file if it were not refused first.
func TestBadMails(t *testing.T) {
	s := start(t)
	fetches := object{"htmlurl": s.files.URL + "/hello.html", "attachments": attachment(s.files.URL+"/hello.txt", nil)}
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
		"a quoted local part":            {to(`"a b"@example.org`), "recipients[0].email"},
		"a local part beyond ASCII":      {to("grüße@example.org"), "the part before the @ must be ASCII"},
		"a local part of 65 bytes": {
			to(strings.Repeat("a", 65) + "@example.org"), "the part before the @ is longer than 64 bytes",
		},
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
		"a cid too long for a line": {
			attach(object{"cid": strings.Repeat("a", 901)}), "attachments[0].cid is longer than 900 bytes",
		},
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
			`config[1] "nosuch" is not known; allowed are allowempty, ignoredlfails, noconversion, urlbeforestring`,
		},
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
		"a placeholder twice": {
			object{"placeholders": array{object{"name": "a"}, object{"name": "A"}}},
			`placeholders[1].name "A" is given twice`,
		},
		"a sender of another domain": {
			object{"sender": object{"email": "a@example.org"}},
			`sender.email "a@example.org" is not one that this key may send as; it may send as example.com`,
		},
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
		"a very long config key": {
			object{"config": array{strings.Repeat("\"", 1_000_000)}},
			`config[0] "\"\"`,
		},
		"100 faults": {
			object{"ccs": slices.Repeat(array{object{"email": "x"}}, 40)},
			"and 20 more",
		},
		"a request of over 4 MiB": {
			object{"text": strings.Repeat("x", 4<<20)}, "at most 4194304 are allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.mustRefuse(t, fixture.With(s.mail(fetches), c.mail), http.StatusOK, c.want)
		})
	}
}

// TestBadBodies are nearly mails: 400 with the field that is wrong.
func TestBadBodies(t *testing.T) {
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
		"a sender that is a string":   {object{"sender": "a@example.com"}, "sender must be an object"},
		"a subject that is a number":  {object{"subject": 1}, "subject must be a string"},
		"html that is an array":       {object{"html": array{}}, "html must be a string"},
		"htmlurl, even beside html":   {object{"html": "x", "htmlurl": 1}, "htmlurl must be a string"},
		"text that is an object":      {object{"text": object{}}, "text must be a string"},
		"texturl, even beside text":   {object{"texturl": false}, "texturl must be a string"},
		"an attachment that is a URL": {object{"attachments": array{s.files.URL}}, "attachments[0] must be an object"},
		"a cid that is a number": {
			object{"attachments": attachment(s.files.URL, object{"cid": 1})},
			"attachments[0].cid must be a string",
		},
		"placeholders as a map": {
			object{"placeholders": object{"NAME": "x"}}, "placeholders must be an array of objects",
		},
		"a placeholder's value": {
			object{"placeholders": array{object{"name": "x", "value": 7}}},
			"placeholders[0].value must be a string",
		},
		"config that is a string": {object{"config": "allowempty"}, "config must be an array of strings"},
		"an array of 10,001 elements": {
			object{"placeholders": slices.Repeat(array{object{}}, 10_001)},
			"placeholders must not have more than 10000 elements",
		},
		"a config key that is null": {object{"config": array{nil}}, "config[0] must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			fetches := fixture.With(object{"htmlurl": s.files.URL + "/hello.html"}, c.mail)
			s.mustRefuse(t, s.mail(fetches), http.StatusBadRequest, c.want)
		})
	}
	for name, body := range map[string]string{
		"nothing": "", "no JSON": "key=x", "an array": "[]", "null": "null", "broken off": `{"key":"` + s.key,
		"two objects": "{}{}",
	} {
		t.Run(name, func(t *testing.T) {
			r := s.post(t, nil, body)
			if r.Status != http.StatusBadRequest || r.Outcome != "error" || !strings.HasPrefix(r.Error, "body ") {
				t.Errorf("answer %+v", r)
			}
		})
	}
}

// TestTheKeyComesFirst: whatever is wrong with a key is the same 401, before anything else that is wrong, and
// after at most one read.
func TestTheKeyComesFirst(t *testing.T) {
	s := start(t)
	revoked, revokedText := s.NewMailKey(t, mailkey.Key{Name: "revoked", From: []string{"*"}})
	if _, err := s.keys.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	unknown, _ := credential.Mint(credential.MailKey, id.New())
	wrong, _ := credential.Mint(credential.MailKey, s.id)
	otherKind, _ := credential.Mint(credential.PlatformApp, s.id)
	for name, c := range map[string]struct {
		key   any
		reads int
	}{
		"missing":                 {nil, 0},
		"empty":                   {"", 0},
		"a number":                {7, 0},
		"an array":                {array{s.key}, 0},
		"malformed":               {"secret", 0},
		"of another kind":         {otherKind, 0},
		"with space around":       {s.key + " ", 0},
		"unknown":                 {unknown, 1},
		"with the wrong secret":   {wrong, 1},
		"revoked":                 {revokedText, 1},
		"a path instead of a key": {"../" + s.key, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bad := s.mail(object{"key": c.key, "recipients": "none", "htmlurl": s.files.URL + "/hello.html"})
			const want = "key is missing or not a valid API key"
			s.mustRefuse(t, bad, http.StatusUnauthorized, want)
			r := s.send(t, bad)
			if r.Error != want || len(r.Body) != 2 {
				t.Errorf("answer %v", r.Body)
			}
			if actions := s.Actions(r.Answer); len(actions) != c.reads {
				t.Errorf("round trips %q, want %d", actions, c.reads)
			}
		})
	}
}

func TestSender(t *testing.T) {
	for name, c := range map[string]struct {
		key     mailkey.Key
		service string // DEFAULT_SENDER
		sender  any
		from    string // header
		refusal string
	}{
		"the mail's": {
			key: mailkey.Key{From: []string{"example.com"}}, sender: object{"email": "a@example.com", "name": "A"},
			from: `A <a@example.com>`,
		},
		"the mail's, before the key's": {
			key:    mailkey.Key{Sender: mail.Address{Address: "k@example.com"}},
			sender: object{"email": "a@example.com"}, from: "a@example.com",
		},
		"the key's": {
			key:     mailkey.Key{Sender: mail.Address{Address: "k@example.com", Name: "Këy"}},
			service: "d@example.net", from: "Këy <k@example.com>",
		},
		"the service's": {
			key:     mailkey.Key{From: []string{"example.com"}},
			service: "Desk <d@example.net>", from: "Desk <d@example.net>",
		},
		"none": {key: mailkey.Key{From: []string{"example.com"}}, refusal: "sender is missing"},
		"an address that the key may send as": {
			key: mailkey.Key{From: []string{"a@example.com"}}, sender: object{"email": "A@EXAMPLE.com"},
			from: "A@example.com",
		},
		"another address of that domain": {
			key: mailkey.Key{From: []string{"a@example.com"}}, sender: object{"email": "b@example.com"},
			refusal: "it may send as a@example.com",
		},
		"any": {
			key: mailkey.Key{From: []string{"*"}}, sender: object{"email": "b@example.net"}, from: "b@example.net",
		},
		"a domain in punycode": {
			key: mailkey.Key{From: []string{"bücher.example"}}, sender: object{"email": "b@xn--bcher-kva.example"},
			from: "b@xn--bcher-kva.example",
		},
		"beside the key's own sender, another domain": {
			key:    mailkey.Key{Sender: mail.Address{Address: "k@example.com"}},
			sender: object{"email": "k@example.net"}, refusal: "it may send as example.com",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, defaultSender(c.service))
			c.key.Name = name
			_, key := s.NewMailKey(t, c.key)
			m := s.mail(object{"key": key, "sender": c.sender})
			if c.refusal != "" {
				s.mustRefuse(t, m, http.StatusOK, c.refusal)
				return
			}
			got, _ := s.mustSend(t, m)
			if from, err := got.header.Text("From"); err != nil || from != c.from {
				t.Errorf("From %q, %v; want %q", from, err, c.from)
			}
			if !strings.Contains(c.from, got.from) || strings.ContainsAny(got.from, "<> ") {
				t.Errorf("envelope from %q", got.from)
			}
		})
	}
}
