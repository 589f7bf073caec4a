package mail_test

import (
	"strings"
	"testing"

	"frontdesk/internal/prove/localtest"
)

// TestContentRules shows which texts and parts a message has: which source wins, what counts as empty, when a plain
// text is made, and where attachments go. Shape is the tree of its parts; text and html are the bodies of these types.
func TestContentRules(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		long := strings.Repeat("<b>", 500) + strings.Repeat("hello world ", 100_000) + "<a href=http://e.org>here</a>"
		image := `<p>a<img alt="b" src="data:image/png;base64,` + strings.Repeat("AAAA", 1<<19) + `">`
		const page = "<p>Hello from a <b>page</b>, dear reader</p>"
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
				shape: "multipart/alternative(text/plain text/html)", text: "Hello from a *page*, dear reader",
				html: page,
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
				mail: object{
					"text": nil, "htmlurl": s.files.URL + "/hello.html", "texturl": s.files.URL + "/hello.txt",
				},
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
			// A server that answers 200 with nothing has failed as well.
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
			"an empty HTML file counts as not given, with a warning": {
				mail:  object{"text": "a", "htmlurl": s.files.URL + "/empty"},
				shape: "text/plain", text: "a", warning: "htmlurl is empty",
			},
			"blank HTML counts as not given": {
				mail:  object{"text": "a", "html": " \n"},
				shape: "text/plain", text: "a",
			},
			"blank text beside HTML counts as not given": {
				mail:  object{"text": " ", "html": "<p>b</p>"},
				shape: "multipart/alternative(text/plain text/html)", text: "b", html: "<p>b</p>",
			},
			// What counts is the content after downloads and placeholders.
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
					"text": nil, "config": array{"allowempty"},
					"attachments": attachment(s.files.URL+"/hello.txt", nil),
				},
				shape: "multipart/mixed(text/plain text/plain)",
			},
			// The part is in UTF-8, whatever the server has.
			"a downloaded text is decoded": {
				mail:  object{"text": nil, "texturl": s.files.URL + "/latin1.txt"},
				shape: "text/plain", text: "grüß",
			},
			// A value may hold tags, and the plain text is made of the result.
			"placeholders before conversion": {
				mail: object{
					"text": nil, "html": "<p>{X}</p>", "placeholders": array{object{"name": "x", "value": "<b>y</b>"}},
				},
				shape: "multipart/alternative(text/plain text/html)", text: "*y*", html: "<p><b>y</b></p>",
			},
			"placeholders in downloaded content": {
				mail: object{
					"text": nil, "htmlurl": s.files.URL + "/greeting.html", "config": array{"noconversion"},
					"placeholders": array{object{"name": "Name", "value": "Ada"}},
				},
				shape: "text/html", html: "<p>Hello, Ada</p>",
			},
			"null counts as not given": {
				mail: object{
					"html": null, "htmlurl": null, "replyto": null, "ccs": null, "config": null, "sender": null,
				},
				shape: "text/plain", text: "Hello",
			},
			"the same switch twice": {
				mail:  object{"text": nil, "html": "<p>b</p>", "config": array{"noconversion", "noconversion"}},
				shape: "text/html", html: "<p>b</p>",
			},
			// RFC 5322 section 2.3 allows CR and LF only together.
			"line ends become CRLF": {
				mail:  object{"text": "a\nb\r\nc\rd"},
				shape: "text/plain", text: "a\r\nb\r\nc\r\nd",
			},
			// RFC 2387: a multipart/related holds the HTML and what it shows.
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
				warning: "attachments have a cid that html does not name: x",
			},
			"an attachment goes beside the rest": {
				mail:  object{"html": "<p>b</p>", "attachments": attachment(s.files.URL+"/logo.png", nil)},
				shape: "multipart/mixed(multipart/alternative(text/plain text/html) image/png)", text: "Hello",
				html: "<p>b</p>",
			},
			"over 1 MiB of HTML: the text of its tokens, with a warning": {
				mail:  object{"text": nil, "html": long},
				shape: "multipart/alternative(text/plain text/html)", html: long,
				text:    strings.Repeat("hello world ", 100_000) + "here ( http://e.org )",
				warning: "html was converted to plain text without regard to its style: it is over 1048576 bytes",
			},
			"600 div: the text of its tokens, with a warning": {
				mail:  object{"text": nil, "html": strings.Repeat("<div>", 600) + "x"},
				shape: "multipart/alternative(text/plain text/html)", text: "x",
				html:    strings.Repeat("<div>", 600) + "x",
				warning: "html was converted to plain text without regard to its style: it is nested over 512 deep",
			},
			// 2 MiB of base64 are over the bound of 1 MiB for HTML. The converter skips them.
			"an image in a data: URI does not count against the bounds": {
				mail:  object{"text": nil, "html": image},
				shape: "multipart/alternative(text/plain text/html)", text: "a b", html: image,
			},
			"HTML without text: HTML alone, with a warning": {
				mail:  object{"text": nil, "html": "<p>&nbsp;</p><img src=a.png><p hidden>x</p>"},
				shape: "text/html", html: "<p>&nbsp;</p><img src=a.png><p hidden>x</p>",
				warning: "html was not converted to plain text: it has no text",
			},
			"an unknown field is a warning": {
				mail:  object{"htlm": "<p>"},
				shape: "text/plain", text: "Hello", warning: "unknown field htlm is ignored",
			},
			"an unknown field of a recipient is a warning": {
				mail:  object{"recipients": array{object{"email": "a@example.org", "phone": 1}}},
				shape: "text/plain", text: "Hello", warning: "unknown field recipients[0].phone is ignored",
			},
			"names are case-sensitive": {
				mail:  object{"Subject": "x"},
				shape: "text/plain", text: "Hello", warning: "unknown field Subject is ignored; use subject",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
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
	})
}
