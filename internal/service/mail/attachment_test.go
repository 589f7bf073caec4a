package mail_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// content is a list of one attachment whose bytes come with the request.
func content(body string, more object) array {
	return array{fixture.With(object{"content": base64.StdEncoding.EncodeToString([]byte(body))}, more)}
}

// TestAttachmentsThatComeWithTheMail shows which name, type and charset a file gets from the request, its extension or
// its first bytes.
func TestAttachmentsThatComeWithTheMail(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		// MIME writes base64 in lines of 76 characters (RFC 2045 section 6.8). PHP's chunk_split does so, too.
		var lines strings.Builder
		encoded := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("0123456789"), 30))
		for line := range slices.Chunk([]byte(encoded), 76) {
			lines.Write(line)
			lines.WriteString("\r\n")
		}
		large := bytesOf(2_900_000)
		for name, c := range map[string]struct {
			attachments array
			want        leaf
		}{
			"a type by extension": {
				content("%PDF-1.7", object{"filename": "invoice.pdf"}),
				leaf{contentType: "application/pdf", filename: "invoice.pdf", body: "%PDF-1.7"},
			},
			"a text by extension": {
				content("grüß", object{"filename": "a.csv"}),
				leaf{contentType: "text/csv", charset: "utf-8", filename: "a.csv", body: "grüß"},
			},
			"a type by its first bytes": {
				content(string(logo), object{"filename": "logo"}),
				leaf{contentType: "image/png", filename: "logo", body: string(logo)},
			},
			"no name": {
				content(string(logo), nil),
				leaf{contentType: "image/png", filename: "attachment.png", body: string(logo)},
			},
			"no name and no type": {
				content("\x00\x01\xff", nil),
				leaf{contentType: "application/octet-stream", filename: "attachment", body: "\x00\x01\xff"},
			},
			// Somebody saves the file: a name must not lead out of the folder.
			"a name that is a path": {
				content("x", object{"filename": "../../etc/passwd"}),
				leaf{contentType: "text/plain", charset: "utf-8", filename: "passwd", body: "x"},
			},
			"a name beyond ASCII": {
				content("x", object{"filename": "Übersicht.txt"}),
				leaf{contentType: "text/plain", charset: "utf-8", filename: "Übersicht.txt", body: "x"},
			},
			"in lines": {
				array{object{"content": lines.String(), "filename": "a.bin"}},
				leaf{
					contentType: "text/plain", charset: "utf-8", filename: "a.bin",
					body: strings.Repeat("0123456789", 30),
				},
			},
			// Buffer.toString("base64url") and other encoders leave out the padding.
			"base64 without padding": {
				array{object{"content": "eHg", "filename": "a.txt"}},
				leaf{contentType: "text/plain", charset: "utf-8", filename: "a.txt", body: "xx"},
			},
			"base64 in the alphabet of URLs": {
				array{object{"content": "_-8=", "filename": "a.bin", "type": "application/octet-stream"}},
				leaf{contentType: "application/octet-stream", filename: "a.bin", body: "\xff\xef"},
			},
			// FileReader.readAsDataURL in browsers makes these.
			"a data: URL": {
				array{object{"content": "data:text/html;base64,eA==", "filename": "a.txt"}},
				leaf{contentType: "text/plain", charset: "utf-8", filename: "a.txt", body: "x"},
			},
			// Clients with a fixed structure send the empty string for the field that they do not use.
			"beside an empty url": {
				content("x", object{"url": "", "filename": "a.txt"}),
				leaf{contentType: "text/plain", charset: "utf-8", filename: "a.txt", body: "x"},
			},
			"a url beside empty content": {
				attachment(s.files.URL+"/logo.png", object{"content": ""}),
				leaf{contentType: "image/png", filename: "logo.png", body: string(logo)},
			},
			// RFC 2046 section 5.2.1 allows no base64 for message/rfc822. The part is written as it is.
			"a message, which stays one": {
				content("Subject: x\r\n\r\nx", object{"filename": "a.eml"}),
				leaf{contentType: "message/rfc822", filename: "a.eml", body: "Subject: x\r\n\r\nx"},
			},
			"a type": {
				content("BEGIN", object{"filename": "a.txt", "type": "text/calendar; component=vevent"}),
				leaf{
					contentType: "text/calendar", charset: "utf-8", params: "component=vevent",
					filename: "a.txt", body: "BEGIN",
				},
			},
			"a type with a charset": {
				content("gr\xfc\xdf", object{"type": "TEXT/CSV; Charset=\"iso-8859-1\"; header=present"}),
				leaf{
					contentType: "text/csv", charset: "iso-8859-1", params: "header=present",
					filename: "attachment.csv", body: "grüß",
				},
			},
			"a type with a parameter beyond ASCII": {
				content("x", object{"filename": "a", "type": "application/pdf; x=\"grün; rot\""}),
				leaf{contentType: "application/pdf", params: "x=grün; rot", filename: "a.pdf", body: "x"},
			},
			// image/jpg is not a registered type. image/jpeg is.
			"a type by another name": {
				content("x", object{"filename": "a", "type": "image/jpg"}),
				leaf{contentType: "image/jpeg", filename: "a.jpg", body: "x"},
			},
			// From a server this type says nothing, and the extension counts. A sender who writes it means it.
			"a type that is bytes, as its sender wants": {
				content("%PDF", object{"filename": "a.pdf", "type": "application/octet-stream"}),
				leaf{contentType: "application/octet-stream", filename: "a.pdf", body: "%PDF"},
			},
			"a type that is empty": {
				content("x", object{"filename": "a.pdf", "type": ""}),
				leaf{contentType: "application/pdf", filename: "a.pdf", body: "x"},
			},
			"a message by its type": {
				content("Subject: x\n\nx", object{"filename": "Re", "type": "message/rfc822; charset=utf-8"}),
				leaf{contentType: "message/rfc822", filename: "Re.eml", body: "Subject: x\r\n\r\nx"},
			},
			// Mail servers without 8BITMIME would have to encode it, which section 5.2.1 forbids. So the file is sent
			// as bytes.
			"a message in 8bit by its type": {
				content("Subject: x\n\nü", object{"filename": "Re", "type": "message/rfc822"}),
				leaf{contentType: "application/octet-stream", filename: "Re.eml", body: "Subject: x\n\nü"},
			},
			"of 2.9 MB": {
				content(large, object{"filename": "a.bin"}),
				leaf{contentType: "application/octet-stream", filename: "a.bin", body: large},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, reply := s.mustSend(t, s.mail(object{"attachments": c.attachments}))
				c.want.disposition = "attachment"
				if len(m.leaves) != 2 || m.leaves[1] != c.want {
					t.Errorf("%.300q, want %.300q", fmtLeaf(m.leaves, 1), c.want)
				}
				if reply.Warning != nil {
					t.Errorf("warnings %q", reply.Warning)
				}
			})
		}
		// Downloads end in any order. The order of the files is that of the mail.
		localtest.Case(t, "in their order among those that are fetched", func(t testing.TB) {
			m, _ := s.mustSend(t, s.mail(object{"attachments": slices.Concat(
				content("1", object{"filename": "1.txt"}),
				attachment(s.files.URL+"/hello.txt", object{"filename": "2.txt"}),
				content("3", object{"filename": "3.txt"}),
			)}))
			for i, want := range []string{"1.txt", "2.txt", "3.txt"} {
				if m.leaves[i+1].filename != want {
					t.Errorf("%d is %s", i, m.leaves[i+1].filename)
				}
			}
		})
	})
}

// TestAFileIsInlineWhereTheHTMLNamesIt: a file that the HTML does not refer to is an ordinary attachment
// without a Content-ID. Some readers believe that a file with a Content-ID is shown, and leave it out of their
// list of attachments.
func TestAFileIsInlineWhereTheHTMLNamesIt(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, c := range map[string]struct {
			html   any
			cid    string
			inline bool
		}{
			"an image": {`<img src="cid:logo@x">`, "logo@x", true},
			// RFC 2392: a cid URL has the Content-ID percent-encoded. The scheme of a URL ignores case (RFC 3986).
			"an image, percent-encoded": {`<img src=CID:logo%40x%2525>`, "logo@x%25", true},
			"a background":              {`<td background='cid:bg'>`, "bg", true},
			"a style":                   {`<p style="background: url('cid:bg')">`, "bg", true},
			"a style sheet":             {`<style>p { background: url(cid:bg) }</style>`, "bg", true},
			"a link":                    {`<a href="cid:terms">`, "terms", true},
			// The HTML is searched after its placeholders are replaced.
			"a placeholder's value": {`{IMAGE}`, "logo", true},
			// Content-IDs are compared whole and exactly. A search for the text alone would find logo in logo2.
			"an ID that holds another": {`<img src="cid:logo2">`, "logo", false},
			"in other letters":         {`<img src="cid:Logo">`, "logo", false},
			"text alone":               {`<p>cid:logo`, "logo", false},
			"a comment for no reader":  {`<p>x<!-- logo -->`, "logo", false},
			"HTML that names no file":  {`<p>x`, "logo", false},
			"no HTML":                  {nil, "logo", false},
			"HTML that is blank":       {` `, "logo", false},
			// Outlook on Windows shows what stands in such a comment.
			"a conditional comment's picture": {`<!--[if mso]><v:fill src="cid:bg"/><![endif]--><p>x`, "bg", true},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				m, r := s.mustSend(t, s.mail(object{
					"html": c.html, "attachments": content(string(logo), object{"cid": c.cid}),
					"placeholders": array{object{"name": "IMAGE", "value": `<img src="cid:logo">`}},
				}))
				unnamed := "attachments have a cid that html does not name: " + c.cid
				expect.Equal(t, slices.Contains(r.Warning, unnamed), !c.inline, "it warns")
				file := m.leaves[len(m.leaves)-1]
				shape, disposition, id := "multipart/mixed(", "attachment", ""
				if c.inline {
					shape = "multipart/alternative(text/plain multipart/related("
					disposition, id = "inline", "<"+c.cid+">"
				}
				expect.HasPrefix(t, m.shape, shape)
				expect.Equal(t, file.disposition, disposition)
				expect.Equal(t, file.cid, id)
			})
		}
	})
}

// TestFilesThatTheHTMLShowsInVain: a warning names what the HTML shows and no attachment has, also where the attachment
// could not be downloaded, and what no HTML names. A mail for each recipient has its warnings once.
func TestFilesThatTheHTMLShowsInVain(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		file := func(cid string) array { return content(string(logo), object{"cid": cid}) }
		var many, listed []string
		for i := range 25 {
			many = append(many, fmt.Sprintf("<img src=cid:a%d>", i))
			listed = append(listed, fmt.Sprintf("a%d", i))
		}
		const shown, unnamed = "html shows files by a cid that no attachment has: ",
			"attachments have a cid that html does not name: "
		for name, c := range map[string]struct {
			mail object
			want []string
		}{
			"another name": {
				object{"html": "<img src=cid:logo.png>", "attachments": file("logo")},
				[]string{shown + "logo.png", unnamed + "logo"},
			},
			"no attachments": {
				object{"html": `<td background="cid:bg"><img src=cid:logo>`}, []string{shown + "bg, logo"},
			},
			"more than 20": {
				object{"html": strings.Join(many, "")},
				[]string{shown + strings.Join(listed[:20], ", ") + " and 5 more"},
			},
			"a placeholder that is left": {
				object{"html": "<img src=cid:{LOGO}>"},
				[]string{"html still has placeholders that were not given: {LOGO}"},
			},
			"one that was left out": {
				object{
					"html": "<img src=cid:logo>", "config": array{"ignoredlfails"},
					"attachments": attachment(s.files.URL+"/status/404", object{"cid": "logo"}),
				},
				[]string{
					"attachments[0] is left out: its url could not be downloaded: the server answered 404 Not Found",
					shown + "logo",
				},
			},
			"no HTML": {object{"attachments": file("logo")}, []string{unnamed + "logo"}},
			"both":    {object{"html": "<img src=cid:logo>", "attachments": file("logo")}, nil},
			"some recipients without HTML, and some without a text": {
				object{
					"html": "{HTML}", "text": "{TEXT}", "attachments": file("logo"), "config": array{"separate"},
					"recipients": array{
						object{"email": "a@example.org", "placeholders": array{
							object{"name": "TEXT", "value": "x"}, object{"name": "HTML", "value": ""},
						}},
						object{"email": "b@example.org", "placeholders": array{
							object{"name": "TEXT", "value": "x"}, object{"name": "HTML", "value": "<img src=cid:b>"},
						}},
						object{"email": "c@example.org", "placeholders": array{
							object{"name": "TEXT", "value": ""}, object{"name": "HTML", "value": "<img src=cid:b>"},
						}},
					},
				},
				[]string{shown + "b", unnamed + "logo"},
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				_, r := s.mustSend(t, s.mail(c.mail))
				expect.Equal(t, slices.DeleteFunc(r.Warning, func(w string) bool {
					return strings.HasSuffix(w, "it has no text") // of HTML that is an image alone
				}), c.want, "the warnings")
			})
		}
	})
}

// TestAttachmentsThatComeWithTheMailAndAreRefused: a fault is an error, and ignoredlfails does not turn it into a
// warning. The bad attachment is the second one, so that the error must name the right index.
func TestAttachmentsThatComeWithTheMailAndAreRefused(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		fetched := s.files.URL + "/hello.txt"
		config := array{"ignoredlfails"} // which is for downloads alone
		for name, c := range map[string]struct {
			attachment object
			status     int
			want       string
		}{
			"a url as well": {
				object{"url": fetched, "content": "eA=="}, 200, "attachments[1] must have a url or content, not both",
			},
			"neither": {object{"filename": "a.txt"}, 200, "attachments[1] must have a url or content"},
			"null and an empty string": {
				object{"url": nil, "content": ""}, 200, "attachments[1].content is empty",
			},
			// Both faults are in one answer: the client corrects them in one go.
			"a url that is none, as well": {
				object{"url": "ftp://x", "content": "eA=="}, 200,
				"attachments[1] must have a url or content, not both; attachments[1].url must be an http or https URL",
			},
			"a line break in the name": {
				object{"content": "eA==", "filename": "a\r\nBcc: x"},
				200, "attachments[1].filename must not contain CR, LF or NUL",
			},
			"a line break in the type": {
				object{"content": "eA==", "type": "text/plain\r\nBcc: x"},
				200, "attachments[1].type must not contain CR, LF or NUL",
			},
			"a word that is no type": {
				object{"content": "eA==", "type": "pdf"},
				200,
				"attachments[1].type must be a media type, such as application/pdf or text/calendar; method=REQUEST",
			},
			// Only the header Accept has ranges (RFC 9110 section 12.5.1).
			"a range of types": {
				object{"content": "eA==", "type": "image/*"}, 200, "attachments[1].type must be a media type",
			},
			"a type with half a parameter": {
				object{"content": "eA==", "type": "text/calendar; method"}, 200,
				"attachments[1].type must be a media type",
			},
			// RFC 2045 does not say which of the two counts, so two readers may show two different things.
			"a type with a parameter twice": {
				object{"content": "eA==", "type": "text/calendar; method=A; method=B"},
				200, "attachments[1].type must be a media type",
			},
			"a type with a parameter without name": {
				object{"content": "eA==", "type": "text/plain; *=utf-8''x"},
				200, "attachments[1].type must be a media type",
			},
			"a multipart": {
				object{"content": "eA==", "type": "multipart/mixed; boundary=x"}, 200,
				"attachments[1].type must not be multipart/*, nor message/* other than message/rfc822: " +
					"a file is encoded in base64, and these may not be (RFC 2045 section 6.4)",
			},
			// A message/partial must be 7bit (RFC 2046 section 5.2.2).
			"a part of a message": {
				object{"content": "eA==", "type": "message/partial; id=x"},
				200, "attachments[1].type must not be multipart/*",
			},
			// Some readers prefer this name to the filename: a .pdf for the sender would be an .exe for the recipient.
			"a name in the type": {
				object{"content": "eA==", "type": "application/pdf; name*=utf-8''x.exe"},
				200, "attachments[1].type must not have the parameter name: use filename",
			},
			"a type of 256 bytes": {
				object{"content": "eA==", "type": "text/" + strings.Repeat("x", 251)},
				200, "attachments[1].type is longer than 255 bytes",
			},
			"a type that is no string": {
				object{"content": "eA==", "type": 1}, 400, "attachments[1].type must be a string",
			},
			"what is no base64": {
				object{"content": "Hello!"}, 400, "attachments[1].content must be base64; character 6 is '!'",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				attachments := array{object{"url": fetched}, c.attachment}
				s.mustRefuse(t, s.mail(object{"config": config, "attachments": attachments}), c.status, c.want)
			})
		}
		localtest.Case(t, "51 of them", func(t testing.TB) {
			many := slices.Repeat(content("x", nil), 51)
			s.mustRefuse(t, s.mail(object{"attachments": many}), http.StatusOK, "attachments are too many: 51")
		})
		// Files in the request and downloads share one budget: the message cannot have more than SES takes.
		localtest.Case(t, "it leaves less for downloads", func(t testing.TB) {
			file := attachment(s.files.URL+"/bytes/41000000", nil)
			r := s.send(t, s.mail(object{"attachments": slices.Concat(content(bytesOf(1_000_000), nil), file)}))
			want := "attachments[1].url is too large: all downloads and attachments of a mail together may have at " +
				"most 41943040 bytes"
			if r.Error != want {
				t.Errorf("answer %+v, want %q", r, want)
			}
			r = s.send(t, s.mail(object{"attachments": file})) // by itself it is only too large once it is encoded
			if want := "the message is too large"; !strings.HasPrefix(r.Error, want) {
				t.Errorf("answer %+v, want %q", r, want)
			}
		})
	})
}
