package mail_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// described is a file that its server or the mail describes, and the part of the message that it must become.
type described struct {
	header     string // of the answer, to the byte; lines end in CRLF
	path       string // of the URL, behind the server's own; "" for /download
	body       string // "" for bytes of no known type
	attachment object // further fields, such as filename
	want       leaf
}

// servedBytes starts a server that sends each file's header and body to the byte. The path of a URL begins with the
// number of the file. net/http would refuse some of these headers, and correct others.
func servedBytes(t testing.TB, files []described) (url string) {
	t.Helper()
	server := localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		number, _, _ := strings.Cut(r.URL.Path[1:], "/")
		i, _ := strconv.Atoi(number)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n%s",
			len(files[i].body), files[i].header, files[i].body)
	}))
	return server.URL + "/"
}

// testDescribed attaches the files of all cases, 50 to a mail, and checks how the messages describe them. A second
// parser, Python's, must read the same.
func testDescribed(t testing.TB, cases map[string]described) {
	s := start(t)
	for names := range slices.Chunk(slices.Sorted(maps.Keys(cases)), 50) {
		files := make([]described, len(names))
		for i, name := range names {
			files[i] = cases[name]
			if files[i].body == "" {
				// Bytes from which no type can be guessed.
				files[i].body = "\x00\x01\xff"
			}
		}
		url := servedBytes(t, files)
		attachments := array{}
		for i, f := range files {
			at := url + strconv.Itoa(i) + "/download"
			if f.path != "" {
				at = url + strconv.Itoa(i) + f.path
			}
			attachments = slices.Concat(attachments, attachment(at, f.attachment))
		}
		m, reply := s.mustSend(t, s.mail(object{"attachments": attachments}))
		if len(m.leaves) != 1+len(files) || reply.Warning != nil {
			t.Fatalf("%d leaves of %d files, warnings %q", len(m.leaves)-1, len(files), reply.Warning)
		}
		read, byPython := readByPython(t, m.raw)
		if len(read.Defects) > 0 {
			t.Errorf("defects %q", read.Defects)
		}
		for i, name := range names {
			localtest.Case(t, name, func(t testing.TB) {
				got, want := m.leaves[1+i], files[i].want
				if want.filename != "" && got.filename != want.filename {
					t.Errorf("name %q, want %q", got.filename, want.filename)
				}
				if want.contentType != "" && (got.contentType != want.contentType || got.charset != want.charset) {
					t.Errorf("type %s, charset %s; want %s, %s",
						got.contentType, got.charset, want.contentType, want.charset)
				}
				expect.Equal(t, got.disposition, "attachment")
				expect.Equal(t, got.body, cmp.Or(want.body, files[i].body))
				if !byPython {
					return
				}
				second := read.Parts[1+i]
				expect.Equal(t, second.Filename, got.filename)
				expect.Equal(t, second.Type, got.contentType)
				expect.Equal(t, second.Parameters["charset"], got.charset)
			})
		}
	}
}

// disposition is a file with a value of Content-Disposition, and the name that it must get.
func disposition(header, want string) described {
	return described{header: "Content-Disposition: " + header + "\r\n", want: leaf{filename: want}}
}

// TestNamesAreReadAsBrowsersReadThem: servers break RFC 6266 in many ways, and browsers read their names all the
// same. So does the service, where it can be told what was meant, and it makes them safe: no folders, no control
// characters. The cases go by kind of
// fault: quoting, separators, filename* (RFC 8187), continuations (RFC 2231) and encoded-words (RFC 2047).
func TestNamesAreReadAsBrowsersReadThem(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		testDescribed(t, map[string]described{
			"a token":              disposition(`attachment; filename=report.pdf`, "report.pdf"),
			"a quoted string":      disposition(`attachment; filename="report 1.pdf"`, "report 1.pdf"),
			"an escaped quote":     disposition(`attachment; filename="a \"b\" c.pdf"`, "a _b_ c.pdf"),
			"an escaped backslash": disposition(`attachment; filename="C:\\dir\\a.pdf"`, "a.pdf"),
			// Old browsers send the whole path of an upload, and servers repeat it: the backslashes are no escapes.
			"a path of Windows":         disposition(`attachment; filename="C:\dir\a.pdf"`, "a.pdf"),
			"a path":                    disposition(`attachment; filename="../../etc/a.pdf"`, "a.pdf"),
			"parameters in capitals":    disposition(`ATTACHMENT; FileName="a.pdf"`, "a.pdf"),
			"spaces around signs":       disposition(`attachment ;  filename  =  "a.pdf"  `, "a.pdf"),
			"a tab":                     disposition("attachment;\tfilename=\"a.pdf\"", "a.pdf"),
			"another disposition":       disposition(`form-data; name="file"; filename="a.pdf"`, "a.pdf"),
			"inline":                    disposition(`inline; filename="a.pdf"`, "a.pdf"),
			"a semicolon inside quotes": disposition(`attachment; filename="a;b.pdf"; size=1`, "a;b.pdf"),
			"a comma inside quotes":     disposition(`attachment; filename="a, b.pdf"`, "a, b.pdf"),

			"unquoted spaces":          disposition(`attachment; filename=my report 2026.pdf`, "my report 2026.pdf"),
			"unquoted spaces and more": disposition(`attachment; filename=my report.pdf ; size=3`, "my report.pdf"),
			"unquoted brackets": disposition(
				`attachment; filename=report [final] (2).pdf`, "report [final] (2).pdf",
			),
			"unquoted comma":             disposition(`attachment; filename=Doe, Jane.pdf`, "Doe, Jane.pdf"),
			"unquoted equals sign":       disposition(`attachment; filename=a=b.pdf`, "a=b.pdf"),
			"unquoted at sign and colon": disposition(`attachment; filename=a@b:c?.pdf`, "a@b_c_.pdf"),
			"unquoted UTF-8":             disposition(`attachment; filename=Übersicht €.pdf`, "Übersicht €.pdf"),
			"quoted UTF-8":               disposition(`attachment; filename="日本語.pdf"`, "日本語.pdf"),
			// Bytes that are not UTF-8 are read as windows-1252, whose printable characters include those of Latin-1.
			"quoted Latin-1": disposition("attachment; filename=\"gr\xfc\xdfe.pdf\"", "grüße.pdf"),
			"unquoted Latin-1": disposition(
				"attachment; filename=gr\xfc\xdfe aus K\xf6ln.pdf", "grüße aus Köln.pdf",
			),
			"windows-1252":                disposition("attachment; filename=\"100 \x80.pdf\"", "100 €.pdf"),
			"quotes inside quotes":        disposition(`attachment; filename="the "best" of.pdf"`, "the"),
			"a quote that never ends":     disposition(`attachment; filename="a b.pdf`, "a b.pdf"),
			"a quote that never begins":   disposition(`attachment; filename=a b.pdf"`, "a b.pdf"),
			"something behind the quotes": disposition(`attachment; filename="a.pdf".exe`, "a.pdf"),

			"two semicolons":         disposition(`attachment;; filename="a.pdf"`, "a.pdf"),
			"semicolons everywhere":  disposition(`;attachment; ;filename="a.pdf";;`, "a.pdf"),
			"a semicolon at the end": disposition(`attachment; filename=a.pdf;`, "a.pdf"),
			// The first one counts, unless it is empty.
			"a repeated parameter": disposition(`attachment; filename="a.pdf"; filename="b.pdf"`, "a.pdf"),
			"a repeated filename*": disposition(
				`attachment; filename*=UTF-8''a.pdf; filename*=UTF-8''b.pdf`, "a.pdf",
			),
			"an empty one, and another":    disposition(`attachment; filename=""; filename="b.pdf"`, "download"),
			"empty without quotes":         disposition(`attachment; filename=; filename="b.pdf"`, "b.pdf"),
			"a parameter without value":    disposition(`attachment; filename; filename="b.pdf"`, "b.pdf"),
			"a parameter without name":     disposition(`attachment; ="x"; filename="b.pdf"`, "b.pdf"),
			"a repeated type":              disposition(`attachment; attachment; filename="a.pdf"`, "a.pdf"),
			"two types":                    disposition(`inline; attachment; filename="a.pdf"`, "a.pdf"),
			"no type":                      disposition(`filename="a.pdf"`, "a.pdf"),
			"no type, and a semicolon":     disposition(`; filename=a.pdf`, "a.pdf"),
			"a type in quotes":             disposition(`"attachment"; filename=a.pdf`, "a.pdf"),
			"no semicolon behind the type": disposition(`attachment filename="a.pdf"`, "a.pdf"),
			"no semicolon behind a name":   disposition(`attachment; filename="a.pdf" size=3`, "a.pdf"),
			"none, and two in quotes":      disposition(`attachment; filename="a.pdf" size="3"`, "a.pdf"),
			"a comma for a semicolon":      disposition(`attachment, filename="a.pdf"`, "a.pdf"),
			"a comma behind a quoted name": disposition(`attachment; filename="a.pdf", size=3`, "a.pdf"),
			"a comma behind an unquoted":   disposition(`attachment; filename=a.pdf, size=3`, "a.pdf, size=3"),
			"a comma before filename*": disposition(
				`attachment; filename=x.pdf, filename*=UTF-8''%C3%A4.pdf`, "ä.pdf",
			),
			"a comma and another value": disposition(`attachment; filename="a.pdf", inline`, "a.pdf"),
			"nothing but a type":        disposition(`attachment`, "download"),
			"nothing":                   disposition(``, "download"),
			"a name that is no name":    disposition(`attachment; filename=".."`, "download"),
			"a name that is none, and other": disposition(
				`attachment; filename*=UTF-8''%2F; filename="a.pdf"`, "download",
			),

			"filename*": disposition(
				`attachment; filename*=UTF-8''na%C3%AFve%20file.pdf`, "naïve file.pdf",
			),
			"filename* last":        disposition(`attachment; filename="a"; filename*=UTF-8''%e2%82%ac`, "€"),
			"filename* first":       disposition(`attachment; filename*=UTF-8''%e2%82%ac; filename="a"`, "€"),
			"filename* with a lang": disposition(`attachment; filename*=utf-8'en'%c2%a3.pdf`, "£.pdf"),
			"filename* in Latin-1":  disposition(`attachment; filename*=ISO-8859-1''gr%FC%DFe.pdf`, "grüße.pdf"),
			"filename* in GBK":      disposition(`attachment; filename*=GBK''%D6%D0.pdf`, "中.pdf"),
			"filename* in quotes":   disposition(`attachment; filename*="UTF-8''gr%C3%BC%C3%9Fe.pdf"`, "grüße.pdf"),
			"its value in quotes": disposition(
				`attachment; filename*=UTF-8''"gr%C3%BC%C3%9Fe 1.pdf"`, "grüße 1.pdf",
			),
			"unescaped space": disposition(
				`attachment; filename*=UTF-8''my report (1).pdf`, "my report (1).pdf",
			),
			"unescaped UTF-8": disposition(`attachment; filename*=UTF-8''grüße.pdf`, "grüße.pdf"),
			"unescaped percent sign": disposition(
				`attachment; filename*=UTF-8''100% gr%C3%BCn.pdf`, "100% gr%C3%BCn.pdf",
			),
			"no charset":           disposition(`attachment; filename*=gr%C3%BCn.pdf`, "grün.pdf"),
			"an empty charset":     disposition(`attachment; filename*=''gr%C3%BCn.pdf`, "grün.pdf"),
			"one apostrophe":       disposition(`attachment; filename*=UTF-8'gr%C3%BCn.pdf`, "grün.pdf"),
			"an unknown charset":   disposition(`attachment; filename*=klingon''gr%C3%BCn.pdf`, "grün.pdf"),
			"Latin-1 called UTF-8": disposition(`attachment; filename*=UTF-8''gr%FCn.pdf`, "grün.pdf"),
			// A filename* that RFC 8187 does not allow is better than no name, and worse than a filename.
			"no charset beside a name": disposition(
				`attachment; filename*=gr%C3%BCn.pdf; filename="a.pdf"`, "a.pdf"),
			"an unknown charset beside a name": disposition(
				`attachment; filename*=klingon''x.pdf; filename="a.pdf"`, "a.pdf"),
			// Escaped line breaks must not reach the header of the mail.
			"control characters in filename*": disposition(
				`attachment; filename*=UTF-8''a%0D%0AX: y%00.pdf`, "aX_ y.pdf",
			),
			"a path in filename*": disposition(`attachment; filename*=UTF-8''..%2F..%5Ca.pdf`, "a.pdf"),
			// U+202E shows the rest backwards: exe.pdf on the screen, and a program on the disk.
			"a right-to-left override": disposition(`attachment; filename*=UTF-8''a%E2%80%AEfdp.exe`, "afdp.exe"),

			"continuations": disposition(`attachment; filename*0="long "; filename*1="name.pdf"`, "long name.pdf"),
			"escaped continuation": disposition(
				`attachment; filename*0*=UTF-8''gr%C3%BC; filename*1*=%C3%9Fe; filename*2=.pdf`, "grüße.pdf",
			),
			"in another order": disposition(`attachment; filename*1=b.pdf; filename*0=a`, "ab.pdf"),
			"with a gap":       disposition(`attachment; filename*0=a.pdf; filename*2=b`, "a.pdf"),
			// The sections are joined before they are decoded: the ü is half in each.
			"cut inside a character": disposition(
				`attachment; filename*0*=UTF-8''gr%C3; filename*1*=%BCn.pdf`, "grün.pdf"),
			"continuations beside a name": disposition(
				`attachment; filename="a.pdf"; filename*0="b"; filename*1=".pdf"`, "b.pdf"),

			"an encoded-word in Q": disposition(
				`attachment; filename="=?UTF-8?Q?gr=C3=BC=C3=9Fe_1.pdf?="`, "grüße 1.pdf",
			),
			"an encoded-word in B": disposition(`inline; filename="=?utf-8?B?Z3LDvMOfZS5wZGY=?="`, "grüße.pdf"),
			"an encoded-word in Latin-1": disposition(
				`attachment; filename="=?iso-8859-1?q?gr=FC=DFe.pdf?="`, "grüße.pdf",
			),
			"an unquoted encoded-word": disposition(`attachment; filename==?UTF-8?Q?gr=C3=BCn.pdf?=`, "grün.pdf"),
			"encoded-words": disposition(
				`attachment; filename="=?UTF-8?Q?gr=C3=BC?= =?UTF-8?Q?n.pdf?="`, "grün.pdf",
			),
			"an encoded-word and more":    disposition(`attachment; filename="=?UTF-8?Q?gr=C3=BCn?=.pdf"`, "grün.pdf"),
			"an encoded-word with a path": disposition(`attachment; filename="=?UTF-8?Q?=2E=2E=2Fa.pdf?="`, "a.pdf"),
			"what is no encoded-word":     disposition(`attachment; filename="=?x.pdf"`, "=_x.pdf"),
			"escapes in filename":         disposition(`attachment; filename="gr%C3%BCn%201.pdf"`, "grün 1.pdf"),
			"percent signs that are none": disposition(`attachment; filename="100% und 5%.pdf"`, "100% und 5%.pdf"),
			"escapes that are not UTF-8":  disposition(`attachment; filename="gr%FCn.pdf"`, "gr%FCn.pdf"),
			"two header fields": {
				header: "Content-Disposition: attachment\r\nContent-Disposition: attachment; filename=a.pdf\r\n",
				want:   leaf{filename: "a.pdf"},
			},
			// Folding is obsolete in HTTP (RFC 9112 section 5.2) and still sent.
			"a header field on two lines": disposition("attachment;\r\n filename=\"a.pdf\"", "a.pdf"),
		})
	})
}

// TestNamesOfURLs shows which name a URL gives, and that the header wins over the URL, and the mail over both. A name
// in the mail is taken as it is: it has no escapes and no encoded-words.
func TestNamesOfURLs(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		url := func(path, want string) described { return described{path: path, want: leaf{filename: want}} }
		testDescribed(t, map[string]described{
			"the last element":  url("/a/b/c.pdf", "c.pdf"),
			"without its query": url("/c.pdf?v=/d.pdf#e/f.pdf", "c.pdf"),
			"before a slash":    url("/a/b.pdf/", "b.pdf"),
			"decoded":           url("/na%C3%AFve%20file.pdf", "naïve file.pdf"),
			// Decoding twice would turn %2525 into a percent sign.
			"decoded once":                url("/100%2525.pdf", "100%25.pdf"),
			"in Latin-1":                  url("/gr%FC%DFe.pdf", "grüße.pdf"),
			"an escaped slash":            url("/o/folder%2Fphoto.pdf?alt=media", "photo.pdf"),
			"an escaped slash at the end": url("/o/folder%2F", "folder"),
			"an escaped backslash":        url("/a%5Cb.pdf", "b.pdf"),
			"escaped dots":                url("/a/%2e%2e%2fb.pdf", "b.pdf"),
			"an escaped question mark":    url("/what%3F.pdf", "what_.pdf"),
			// Java servers put the session into the path.
			"parameters, as browsers do": url("/report.pdf;jsessionid=1/", "report.pdf"),
			"an escaped semicolon":       url("/a%3Bb.pdf", "a;b.pdf"),
			"control characters":         url("/a%00%0Ab.pdf", "ab.pdf"),
			"behind what names nothing":  url("/%2F%2F", "attachment"),
			"the header before the URL": {
				header: "Content-Disposition: inline; filename=x.pdf\r\n", path: "/a.pdf",
				want: leaf{filename: "x.pdf"},
			},
			"the mail before the header": {
				header: "Content-Disposition: inline; filename=x.pdf\r\n", attachment: object{"filename": "ü.pdf"},
				want: leaf{filename: "ü.pdf"},
			},
			// A name in the request is text already. Reading an encoded-word in it would make a path of it.
			"the mail's, which is no word": {
				attachment: object{"filename": "=?utf-8?q?=2E=2E=2Fevil=2Eexe?="},
				want:       leaf{filename: "=_utf-8_q_=2E=2E=2Fevil=2Eexe_="},
			},
			"the mail's, which has no escape": {
				attachment: object{"filename": "100%25.pdf"},
				want:       leaf{filename: "100%25.pdf"},
			},
		})
	})
}

// TestTypesAndExtensions shows which type a file gets, and which extension its name. Many servers send a type that says
// nothing, such as binary/octet-stream: then the name or the bytes decide.
func TestTypesAndExtensions(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		served := func(contentType string, path string, want leaf) described {
			return described{header: "Content-Type: " + contentType + "\r\n", path: path, want: want}
		}
		const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
		pdf, octets := leaf{contentType: "application/pdf"}, leaf{contentType: "application/octet-stream"}
		cases := map[string]described{
			"the server's": served(
				"application/pdf", "/a.png", leaf{contentType: "application/pdf", filename: "a.png"},
			),
			"none":                 {path: "/a.pdf", want: pdf},
			"no type, in capitals": {path: "/A.PDF", want: pdf},
			// These two are common names for image/jpeg that nobody has registered.
			"image/jpg":         served("image/jpg", "", leaf{contentType: "image/jpeg", filename: "download.jpg"}),
			"image/pjpeg":       served("image/pjpeg", "", leaf{contentType: "image/jpeg", filename: "download.jpg"}),
			"any image":         served("image/*", "/a.png", leaf{contentType: "image/png"}),
			"an empty subtype":  served("image/", "/a.png", leaf{contentType: "image/png"}),
			"a type twice":      served("image/png, image/png", "/a.pdf", pdf),
			"a multipart":       served("multipart/mixed; boundary=x", "/a.pdf", octets),
			"a partial message": served("message/partial; id=x", "/a.pdf", octets),
			// Over 255 bytes no type is read.
			"a type beyond reason": served("text/plain; charset="+strings.Repeat("y", 300), "", octets),
			"a name of the server's": served(
				`application/pdf; name="../evil.exe"`, "/a.pdf",
				leaf{contentType: "application/pdf", filename: "a.pdf"},
			),
			"vague and nothing else": served(
				"application/octet-stream", "/x", leaf{contentType: "application/octet-stream", filename: "x"},
			),
			"vague and sniffed": {
				header: "Content-Type: application/octet-stream\r\n", body: string(logo),
				want: leaf{contentType: "image/png", filename: "download"},
			},
			"vague, and by the header's name": {
				header: "Content-Type: binary/octet-stream\r\n" +
					"Content-Disposition: inline; filename=\"Brief 1.docx\"\r\n",
				want: leaf{contentType: docx, filename: "Brief 1.docx"},
			},
			"vague, and by the URL": {
				header: "Content-Type: binary/octet-stream\r\n", path: "/a.docx",
				attachment: object{"filename": "Brief"},
				want:       leaf{contentType: docx, filename: "Brief"},
			},

			"vague, and by a name with space around": {
				header: "Content-Type: binary/octet-stream\r\n", attachment: object{"filename": " Brief.docx "},
				want: leaf{contentType: docx, filename: "Brief.docx"},
			},
			"by a name with a dot at its end": {
				body: "PK\x03\x04", attachment: object{"filename": "Brief.docx."},
				want: leaf{contentType: docx, filename: "Brief.docx"},
			},

			"a name without extension": served(
				"application/pdf", "/report", leaf{contentType: "application/pdf", filename: "report.pdf"},
			),
			"a name that ends in a dot": served("application/pdf", "/report.", leaf{filename: "report.pdf"}),
			// What stands behind a dot is not always an extension: a report of version 1.2 still needs .pdf.
			"a version is no extension":  served("application/pdf", "/report%201.2", leaf{filename: "report 1.2.pdf"}),
			"a sentence is no extension": served("application/pdf", "/Dr.%20No", leaf{filename: "Dr. No.pdf"}),
			"another extension stays":    served("application/pdf", "/a.php", leaf{filename: "a.php"}),
			"a type that the table has not": served(
				"application/x-thing", "/a", leaf{contentType: "application/x-thing", filename: "a"},
			),
			"no name at all": served("application/pdf", "/%2F", leaf{filename: "attachment.pdf"}),
			// Most file systems take 255 bytes for a name. The extension has to fit in.
			"of 255 bytes, with an extension": served(
				"application/pdf", "/"+strings.Repeat("a", 255), leaf{filename: strings.Repeat("a", 251) + ".pdf"},
			),
			"of the mail's, by the server's type": {
				header: "Content-Type: application/pdf\r\n", attachment: object{"filename": "Rechnung 5"},
				want: leaf{contentType: "application/pdf", filename: "Rechnung 5.pdf"},
			},
			"of the server's, by the mail's type": {
				header: "Content-Type: text/plain\r\nContent-Disposition: attachment; filename=Einladung\r\n",
				body:   "BEGIN", attachment: object{"type": "text/calendar"},
				want: leaf{contentType: "text/calendar", charset: "utf-8", filename: "Einladung.ics"},
			},

			"a text in UTF-8": {
				header: "Content-Type: text/csv\r\n", body: "grüße",
				want: leaf{contentType: "text/csv", charset: "utf-8"},
			},
			// Bytes that are not UTF-8 get no charset: a guess would be wrong for somebody.
			"a text in Latin-1": {
				header: "Content-Type: text/csv\r\n", body: "gr\xfc\xdf",
				want: leaf{contentType: "text/csv"},
			},
			"a text in what it says": {
				header: "Content-Type: text/csv; charset=iso-8859-2\r\n", body: "x",
				want: leaf{contentType: "text/csv", charset: "iso-8859-2"},
			},
			// All of its bytes are ASCII, so it passes for UTF-8. The escapes tell.
			"a text in ISO-2022": {
				header: "Content-Type: text/plain\r\n", body: "\x1b$B4A\x1b(B",
				want: leaf{contentType: "text/plain"},
			},
			"a charset twice": {
				header: "Content-Type: text/csv; charset=utf-8; charset=utf-8\r\n", body: "x",
				want: leaf{contentType: "text/csv", charset: "utf-8"},
			},
			"a sniffed text": {
				body: "Hello",
				want: leaf{contentType: "text/plain", charset: "utf-8", filename: "download"},
			},
			"a sniffed text, Latin-1": {body: "gr\xfc\xdf", want: leaf{contentType: "text/plain"}},
			"a sniffed text in UTF-16": {
				body: "\xff\xfea\x00",
				want: leaf{contentType: "text/plain", charset: "utf-16le", body: "\uFEFFa"},
			},

			// RFC 2046 section 5.2.1 allows a message/rfc822 only in 7bit, with lines of at most 998 bytes. All else
			// is bytes.
			"a message": {
				header: "Content-Type: message/rfc822\r\n", body: "Subject: x\r\n\r\nHello\r\n",
				want: leaf{contentType: "message/rfc822", filename: "download.eml"},
			},
			"a message by extension, in lines of Unix": {
				path: "/a.eml", body: "Subject: x\n\nHello\n",
				want: leaf{contentType: "message/rfc822", filename: "a.eml", body: "Subject: x\r\n\r\nHello\r\n"},
			},
			"a message with a line of 998 bytes": {
				path: "/a.eml", body: "Subject: x\r\n\r\n" + strings.Repeat("x", 998),
				want: leaf{contentType: "message/rfc822"},
			},
			"a message with a longer line": {
				path: "/a.eml", body: "Subject: x\r\n\r\n" + strings.Repeat("x", 999),
				want: octets,
			},
			"a message in 8bit":        {path: "/a.eml", body: "Subject: x\r\n\r\ngrüße", want: octets},
			"a message with a lone CR": {path: "/a.eml", body: "Subject: x\r\n\r\na\rb", want: octets},
			"a message with NUL":       {path: "/a.eml", body: "Subject: x\r\n\r\na\x00b", want: octets},
			// A message begins with a header field.
			"what only calls itself a message": {path: "/a.eml", body: "Hello there", want: octets},
		}
		// Servers write these for every file, or so that a browser saves it.
		for _, vague := range []string{
			"*/*", "application/octet-stream", "APPLICATION/OCTET-STREAM", "application/octet-stream; charset=x",
			"binary/octet-stream", "application/force-download", "application/x-force-download",
			"application/x-download",
			"application/download", "application/unknown", "unknown/unknown", "pdf", "no type", "attachment", ";", "",
		} {
			cases[fmt.Sprintf("the type %q says nothing", vague)] = served(vague, "/a.pdf", pdf)
		}
		for extension, contentType := range map[string]string{
			".docx": docx,
			".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
			".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
			".odt":  "application/vnd.oasis.opendocument.text",
			".doc":  "application/msword",
			".zip":  "application/zip",
			".p7s":  "application/pkcs7-signature",
			".heic": "image/heic",
			".webp": "image/webp",
			".ics":  "text/calendar",
			".csv":  "text/csv",
			".vcf":  "text/vcard",
		} {
			want := leaf{contentType: contentType, filename: "a" + extension}
			cases["by the extension "+extension] = described{path: "/a" + extension, want: want}
			cases["an extension by the type of "+extension] = served(contentType, "/a", want)
		}
		testDescribed(t, cases)
	})
}
