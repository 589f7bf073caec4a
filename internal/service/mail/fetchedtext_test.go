package mail_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// answers is the URL of a file of that type and content. A type of "" is none.
func (s *stack) answers(contentType, body string) string {
	return s.files.URL + "/answer?" + url.Values{"type": {contentType}, "body": {body}}.Encode()
}

// TestWhatATextURLAnswers: a type that is no text is an error, and with urlbeforestring a warning beside the string. A
// text of another kind than its use is sent with a warning. No type, and the default of S3, count as text if they are.
func TestWhatATextURLAnswers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const page = "<!doctype html><p>Grüße</p>"
		for name, c := range map[string]struct {
			field, contentType, body string
			fails, warns             string // behind the field's name
		}{
			"a page":                  {"htmlurl", "text/html; charset=utf-8", page, "", ""},
			"a page in capitals":      {"htmlurl", "Text/HTML", page, "", ""},
			"XHTML":                   {"htmlurl", "application/xhtml+xml", page, "", ""},
			"no type":                 {"htmlurl", "", page, "", ""},
			"the default of S3":       {"htmlurl", "binary/octet-stream", page, "", ""},
			"a part of a page, of S3": {"htmlurl", "application/octet-stream", "Hello <b>Ada</b>", "", ""},
			"a type that is none":     {"htmlurl", "html", page, "", ""},
			"JSON": {
				"htmlurl", "application/json", `{"error":"no"}`, "answers application/json, which is no text", "",
			},
			"an error in JSON": {
				"texturl", "application/problem+json", `{}`, "answers application/problem+json, which is no text", "",
			},
			"a PDF": {
				"htmlurl", "application/pdf", "%PDF-1.7", "answers application/pdf, which is no text", "",
			},
			"an image": {
				"htmlurl", "image/png", string(logo), "answers image/png, which is no text", "",
			},
			"an image of text": {
				"htmlurl", "image/svg+xml", "<svg/>", "answers image/svg+xml, which is no text", "",
			},
			"a form": {
				"texturl", "multipart/form-data; boundary=x", "x", "answers multipart/form-data, which is no text", "",
			},
			"a PDF without a type": {
				"htmlurl", "", "%PDF-1.7", "answers no text: it begins as application/pdf does", "",
			},
			"an image in S3": {
				"texturl", "binary/octet-stream", string(logo), "answers no text: it begins as image/png does", "",
			},
			"bytes without a type": {
				"texturl", "", "\x01\x02\xff", "answers no text: it begins as application/octet-stream does", "",
			},
			"bytes far behind": {
				"texturl", "", strings.Repeat("a ", 1000) + "\x00", "answers no text: it has control characters", "",
			},
			"bytes as XHTML": {
				"htmlurl", "application/xhtml+xml", "<html>\x00", "answers no text: it has control characters", "",
			},
			"a text as HTML": {
				"htmlurl", "text/plain", "Hello", "", "answers text/plain, which is sent as HTML",
			},
			"a style sheet as HTML": {"htmlurl", "text/css", "p{}", "", "answers text/css, which is sent as HTML"},
			"XML as HTML": {
				"htmlurl", "application/xml", "<html>Hello</html>", "",
				"answers application/xml, which is sent as HTML",
			},
			"a text":                {"texturl", "text/plain", "Grüße", "", ""},
			"Markdown":              {"texturl", "text/markdown; charset=utf-8", "# Hi", "", ""},
			"a text without a type": {"texturl", "", "Grüße", "", ""},
			"a text in UTF-16":      {"texturl", "", "\xff\xfeH\x00i\x00", "", ""},
			"a page as text": {
				"texturl", "text/html", page, "", "answers text/html, which is sent as plain text",
			},
			"XHTML as text": {
				"texturl", "application/xhtml+xml", page, "",
				"answers application/xhtml+xml, which is sent as plain text",
			},
			"a page of S3 as text": {
				"texturl", "binary/octet-stream", page, "", "answers text/html, which is sent as plain text",
			},
			"a page with a mark, as text": {
				"texturl", "", "\uFEFF" + page, "", "answers text/html, which is sent as plain text",
			},
			"a list as text": {
				"texturl", "text/csv", "a,b", "", "answers text/csv, which is sent as plain text",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				mail := s.mail(object{"text": nil, c.field: s.answers(c.contentType, c.body)})
				r := s.send(t, mail)
				if c.fails != "" {
					r.Is(t, http.StatusOK, object{
						"status": "error", "code": "download_failed", "error": c.field + " " + c.fails, "warning": nil,
					})
					mail["config"] = array{"urlbeforestring"}
					mail[strings.TrimSuffix(c.field, "url")] = "Hello"
					_, r = s.mustSend(t, mail)
					expect.Equal(t, r.Warning, []string{
						c.field + " " + c.fails + "; " + strings.TrimSuffix(c.field, "url") + " is used instead",
					}, "the warning")
					return
				}
				r.Is(t, http.StatusOK, object{"status": "success"})
				var want []string
				if c.warns != "" {
					want = []string{c.field + " " + c.warns}
				}
				expect.Equal(t, r.Warning, want, "the warnings")
			})
		}
	})
}

// TestFetchedHTMLHasAbsoluteAddresses: they are resolved against the URL after redirects, in the HTML and in the plain
// text made of it. A string is not changed: nobody knows where it is from.
func TestFetchedHTMLHasAbsoluteAddresses(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const page = `<p><a href="../a?b=1&c=2">Order {ID}</a> <img src=/logo.png> <a href="{LINK}">x</a> ` +
			`<a href="#y">y</a></p>`
		ids := array{object{"name": "ID", "value": "7"}, object{"name": "LINK", "value": "https://b.example/"}}
		folder := s.files.URL
		localtest.Case(t, "behind a redirect", func(t testing.TB) {
			to := s.files.URL + "/redirect-to?url=" + url.QueryEscape(s.answers("text/html", page))
			m, r := s.mustSend(t, s.mail(object{"text": nil, "htmlurl": to, "placeholders": ids}))
			expect.Equal(t, r.Warning, nil, "the warnings")
			expect.Equal(t, m.leaves[0].body,
				"Order 7 ( "+folder+"/a?b=1&c=2 ) x ( https://b.example/ ) y", "the text")
			expect.Equal(t, m.leaves[1].body, `<p><a href="`+folder+`/a?b=1&c=2">Order 7</a> <img src=`+folder+
				`/logo.png> <a href="https://b.example/">x</a> <a href="#y">y</a></p>`, "the HTML")
		})
		localtest.Case(t, "a base", func(t testing.TB) {
			based := `<base href="https://c.example/d/"><a href=e>f</a>`
			m, r := s.mustSend(t, s.mail(object{"text": nil, "htmlurl": s.answers("text/html", based)}))
			expect.Equal(t, r.Warning, nil, "the warnings")
			expect.Equal(t, m.leaves[0].body, "f ( https://c.example/d/e )", "the text")
		})
		localtest.Case(t, "a base that leads nowhere", func(t testing.TB) {
			based := `<base href="{BASE}"><a href=/e>f</a><img src=g>`
			m, r := s.mustSend(t, s.mail(object{"text": nil, "htmlurl": s.answers("text/html", based)}))
			expect.Equal(t, r.Warning, []string{
				"htmlurl answers HTML with relative addresses, which lead nowhere in a mail, because its base is no " +
					"web address: /e, g",
				"html still has placeholders that were not given: {BASE}",
			}, "the warnings")
			expect.Equal(t, m.leaves[1].body, based, "the HTML")
		})
		localtest.Case(t, "a string", func(t testing.TB) {
			m, _ := s.mustSend(t, s.mail(object{"html": "<a href=/x>y</a>"}))
			expect.Equal(t, m.leaves[1].body, "<a href=/x>y</a>", "the HTML")
		})
		localtest.Case(t, "too many of them", func(t testing.TB) {
			long := `<base href="https://e.example/` + strings.Repeat("b", 60_000) + `/">` +
				strings.Repeat("<a href=x>", 1000)
			r := s.send(t, s.mail(object{"text": nil, "htmlurl": s.answers("text/html", long)}))
			r.Is(t, http.StatusOK, object{
				"status": "error", "code": "too_large",
				"error": "htmlurl is too large: with its relative addresses resolved it has over 4194304 bytes",
			})
		})
	})
}

// TestAnAttachmentThatComesAsAPage: servers answer pages of errors and of logins in place of a file. A warning tells
// that a file's name and its server's type differ.
func TestAnAttachmentThatComesAsAPage(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			contentType string
			attachment  object
			want        string
		}{
			"a report that is a page": {
				"text/html; charset=utf-8", object{"filename": "report.pdf"},
				`attachments[0] is named "report.pdf" and comes as text/html: its server may have answered an error`,
			},
			"an image that is JSON": {
				"application/json", object{"filename": "Logo.PNG"},
				`attachments[0] is named "Logo.PNG" and comes as application/json: ` +
					"its server may have answered an error",
			},
			"the mail's own type": {
				"text/html", object{"filename": "report.pdf", "type": "application/pdf"},
				`attachments[0] is named "report.pdf" and comes as text/html: its server may have answered an error`,
			},
			"a page":                         {"text/html", object{"filename": "report.html"}, ""},
			"a page of the other name":       {"application/xhtml+xml", object{"filename": "report.htm"}, ""},
			"JSON":                           {"application/json", object{"filename": "report.json"}, ""},
			"a report":                       {"application/pdf", object{"filename": "report.pdf"}, ""},
			"a report of S3":                 {"binary/octet-stream", object{"filename": "report.pdf"}, ""},
			"a name without an extension":    {"text/html", object{"filename": "report"}, ""},
			"an extension that nobody knows": {"text/html", object{"filename": "report.xyz"}, ""},
			"two types of one kind of file":  {"text/plain", object{"filename": "report.csv"}, ""},
			"a file that comes with the mail": {
				"", object{"url": nil, "content": "PGh0bWw+", "filename": "report.pdf"}, "",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				file := attachment(s.answers(c.contentType, "<html>"), c.attachment)
				_, r := s.mustSend(t, s.mail(object{"attachments": file}))
				var want []string
				if c.want != "" {
					want = []string{c.want}
				}
				expect.Equal(t, r.Warning, want, "the warnings")
			})
		}
	})
}
