package mail_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestErrorsSayWhatToSendInstead: each input is one that callers of mail APIs really send. The error is read by
// somebody who knows PHP or Ruby and not this API, and has to be enough for the next request to be right.
func TestErrorsSayWhatToSendInstead(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const (
			notKeyed = `, not an object with the key "0" (array_values in PHP and values in Ruby make an array of it)`
			noMail   = " is not a valid e-mail address: "
			no64     = "attachments[0].content must be base64; "
			others   = "it is several addresses; give one alone, and each of the others in an object of its own"
		)
		to := func(email string) object { return object{"recipients": array{object{"email": email}}} }
		from := func(email string) object { return object{"sender": object{"email": email}} }
		file := func(content any) object { return object{"attachments": array{object{"content": content}}} }
		for name, c := range map[string]struct {
			mail   object
			status int
			want   string
		}{
			"a recipient's address alone": {
				object{"recipients": "ada@example.org"}, 400,
				"recipients must be an array of objects" + asIn(asRecipients),
			},
			"a list of addresses": {
				object{"recipients": array{"ada@example.org"}}, 400,
				"recipients[0] must be an object" + asIn(asRecipients),
			},
			"a recipient outside of a list": {
				object{"recipients": object{"email": "ada@example.org"}}, 400,
				"recipients must be an array of objects" + asIn(asRecipients),
			},
			// PHP's json_encode writes an array so after array_filter or unset, or with JSON_FORCE_OBJECT.
			"recipients with numbers for keys": {
				object{"recipients": object{"0": object{"email": "ada@example.org"}}}, 400,
				"recipients must be an array of objects" + notKeyed + asIn(asRecipients),
			},
			"a sender's address alone": {
				object{"sender": "ada@example.com"}, 400, "sender must be an object" + asIn(asSender),
			},
			"a sender in a list": {
				object{"sender": array{object{"email": "a@example.com"}}}, 400,
				"sender must be an object" + asIn(asSender),
			},
			"a copy's address alone": {
				object{"ccs": "a@example.org"}, 400, "ccs must be an array of objects" + asIn(asCCs),
			},
			"copies that are addresses": {
				object{"ccs": array{"a@example.org"}}, 400, "ccs[0] must be an object" + asIn(asCCs),
			},
			"copies with numbers for keys": {
				object{"ccs": object{"0": object{"email": "a@example.org"}}}, 400,
				"ccs must be an array of objects" + notKeyed + asIn(asCCs),
			},
			"a blind copy's address alone": {
				object{"bccs": "a@example.org"}, 400, "bccs must be an array of objects" + asIn(asBCCs),
			},
			"an address for answers alone": {
				object{"replyto": "a@example.org"}, 400, "replyto must be an array of objects" + asIn(asReplyTo),
			},
			"an address for answers outside of a list": {
				object{"replyto": object{"email": "a@example.org"}}, 400,
				"replyto must be an array of objects" + asIn(asReplyTo),
			},
			"a list of addresses for answers": {
				object{"replyto": array{"a@example.org"}}, 400, "replyto[0] must be an object" + asIn(asReplyTo),
			},
			"placeholders by name": {
				object{"placeholders": object{"NAME": "x"}}, 400,
				"placeholders must be an array of objects" + asIn(asPlaceholders),
			},
			"a recipient's placeholders by name": {
				object{"recipients": array{object{"email": "a@example.org", "placeholders": object{"NAME": "x"}}}}, 400,
				"recipients[0].placeholders must be an array of objects" + asIn(asPlaceholders),
			},
			"a file's address alone": {
				object{"attachments": array{"https://www.example.com/a.pdf"}}, 400,
				"attachments[0] must be an object, " +
					`as in "attachments": [{"url": "https://www.example.com/a.pdf", "filename": "a.pdf"}]`,
			},
			"lines of a header": {
				object{"headers": array{"X-Ticket: 4711"}}, 400,
				`headers must be an object of strings, as in "headers": {"X-Ticket": "4711"}`,
			},
			"tags in a list": {
				object{"tags": array{"news"}}, 400,
				`tags must be an object of strings, as in "tags": {"campaign": "news"}`,
			},
			"one word of config": {
				object{"config": "separate"}, 400,
				`config must be an array of strings, as in "config": ["noconversion"]`,
			},

			"a name and an address": {
				to("Ada <ada@example.org>"), 200, `recipients[0].email "Ada <ada@example.org>"` + noMail +
					`give "ada@example.org" alone, without the name, and "Ada" as recipients[0].name`,
			},
			"a sender's name and address": {
				from(`"Lovelace, Ada" <ada@example.com>`), 200,
				`sender.email "\"Lovelace, Ada\" <ada@example.com>"` + noMail +
					`give "ada@example.com" alone, without the name, and "Lovelace, Ada" as sender.name`,
			},
			"an address in angle brackets": {
				to("<ada@example.org>"), 200, `recipients[0].email "<ada@example.org>"` + noMail +
					`give "ada@example.org" alone, without angle brackets`,
			},
			"white space around an address": {
				to(" ada@example.org\n"), 200, `recipients[0].email " ada@example.org\n"` + noMail +
					`give "ada@example.org" alone, without white space around it`,
			},
			"two addresses in one": {
				to("a@example.org, d@example.org"), 200,
				`recipients[0].email "a@example.org, d@example.org"` + noMail + others,
			},
			"two addresses with a semicolon, as in Outlook": {
				object{"ccs": array{object{"email": "a@example.org;d@example.org"}}}, 200,
				`ccs[0].email "a@example.org;d@example.org"` + noMail + others,
			},
			"two senders in one": {
				from("a@example.com, d@example.com"), 200, `sender.email "a@example.com, d@example.com"` + noMail +
					"it is several addresses; give one alone",
			},
			"a link for mails": {
				to("mailto:ada@example.org"), 200, `recipients[0].email "mailto:ada@example.org"` + noMail +
					`give "ada@example.org" alone, without mailto:`,
			},
			"a final dot": {
				to("ada@example.org."), 200, `recipients[0].email "ada@example.org."` + noMail +
					`give "ada@example.org" alone, without the dot at its end`,
			},
			"an address that cannot be guessed": {
				to("ada lovelace@example.org"), 200, `recipients[0].email "ada lovelace@example.org"` + noMail +
					`the part before the @ must not contain " "`,
			},

			"a file as it is": {file("Hello, Ada"), 400, no64 + "character 6 is ',', which base64 does not have"},
			"base64 whose + a form has made a space": {
				file("AP 8"), 400, no64 + "character 3 is ' ', which base64 does not have",
			},
			"base64 that is cut off": {
				file("YWJjZ"), 400, no64 + "it is cut off: 5 characters make no whole number of bytes",
			},
			"two texts of base64 in one": {
				file("YQ==YQ=="), 400, no64 + "at character 5 it goes on behind its padding (=)",
			},
			"a data: URL without base64": {
				file("data:text/plain,Hello"), 400, no64 + "a data: URL must have ;base64, before its base64",
			},
			"bytes in a list": {file(array{72, 105}), 400, "attachments[0].content must be a string of base64"},
			"an empty file": {
				file(""), 200, "attachments[0].content is empty: give the file in base64, or a url in its place",
			},
			"a data: URL of an empty file": {
				file("data:text/plain;base64,"), 200,
				"attachments[0].content is empty: give the file in base64, or a url in its place",
			},
			"no file": {
				file(nil), 200,
				"attachments[0] must have a url or content: where the file is, or the file in base64",
			},
			"a placeholder's value in a list": {
				object{"placeholders": array{object{"name": "A", "value": array{"x"}}}}, 400,
				"placeholders[0].value must be a string or a number",
			},

			"no key": {
				object{"key": nil}, 401,
				`key is missing; give the mail key in the body, as in "key": "fdm_…": no header is looked at`,
			},
			"an empty key": {
				object{"key": ""}, 401,
				`key is missing; give the mail key in the body, as in "key": "fdm_…": no header is looked at`,
			},
			"a misspelt key": {
				object{"key": nil, "api_key": s.key}, 401,
				`key is missing; give the mail key in the body, as in "key": "fdm_…": no header is looked at`,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				mail := fixture.With(s.mail(object{"htmlurl": s.files.URL + "/hello.html"}), c.mail)
				s.mustRefuse(t, mail, c.status, c.want)
				expect.Equal(t, s.send(t, mail).Error, c.want)
			})
		}
	})
}

// asIn is the end of an error that shows one right value.
func asIn(as string) string {
	_, example, _ := strings.Cut(as, ", ")
	return ", " + example
}

// TestABodyThatTurnsOutEmptyIsNamed: the request had a text, and the error says what became of it.
func TestABodyThatTurnsOutEmptyIsNamed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const empty, give = "the body is empty: ", "; give html, htmlurl, text or texturl, or allowempty in config"
		for name, c := range map[string]struct {
			mail object
			want string
		}{
			"nothing is given": {
				object{}, "the body is empty: give html, htmlurl, text or texturl, or allowempty in config",
			},
			"white space":      {object{"text": " \n"}, empty + "text is only white space" + give},
			"an empty htmlurl": {object{"htmlurl": "/empty"}, empty + "htmlurl leads to an empty document" + give},
			"a blank texturl":  {object{"texturl": "/blank"}, empty + "texturl leads to an empty document" + give},
			"both of them": {
				object{"htmlurl": "/empty", "texturl": "/blank"}, empty +
					"htmlurl leads to an empty document; texturl leads to an empty document" + give,
			},
			"a placeholder without a value": {
				object{"html": "{BODY}", "placeholders": array{object{"name": "BODY"}}},
				empty + "html has nothing but placeholders whose values are empty: {BODY}" + give,
			},
			"placeholders of white space": {
				object{"text": "{B} {A}", "placeholders": array{
					object{"name": "a", "value": ""}, object{"name": "b", "value": " "},
					object{"name": "c", "value": "x"},
				}},
				empty + "text has nothing but placeholders whose values are empty: {A}, {B}" + give,
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				for _, field := range []string{"htmlurl", "texturl"} {
					if path, given := c.mail[field].(string); given {
						c.mail[field] = s.files.URL + path
					}
				}
				r := s.send(t, fixture.With(s.mail(object{"text": nil}), c.mail))
				r.Is(t, http.StatusOK, object{"status": "error", "code": "empty_body", "error": c.want})
			})
		}
	})
}

// TestValuesOfPlaceholdersMayBeNumbers: they are text as the request writes them.
func TestValuesOfPlaceholdersMayBeNumbers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for _, number := range []string{"7", "-0.50", "1e3", "12345678901234567890"} {
			m, r := s.mustSend(t, s.mail(object{
				"text": "{N}.", "placeholders": array{object{"name": "n", "value": json.RawMessage(number)}},
			}))
			expect.Equal(t, r.Warning, nil, "warnings")
			expect.Equal(t, strings.TrimSpace(m.text("text/plain")), number+".")
		}
	})
}
