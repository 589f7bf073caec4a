package bench

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	gomessage "github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset"
	"github.com/emersion/go-message/mail"
)

// TestWritersMakeTheSameMessage: a comparison is fair only if the writers' messages differ in nothing but their form.
func TestWritersMakeTheSameMessage(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(inputs())) {
		t.Run(name, func(t *testing.T) {
			m := inputs()[name]
			want := parts(m)
			for _, w := range writers {
				t.Run(w.name, func(t *testing.T) {
					var raw bytes.Buffer
					if err := w.write(m, &raw); err != nil {
						t.Fatal(err)
					}
					header, got, err := read(raw.Bytes())
					if err != nil {
						t.Fatal(err)
					}
					checkHeader(t, header, m)
					if len(got) != len(want) {
						t.Fatalf("it has %d parts, not %d", len(got), len(want))
					}
					for i := range want {
						if got[i].String() != want[i].String() || !bytes.Equal(got[i].body, want[i].body) {
							t.Errorf("part %d is %v, not %v", i, got[i], want[i])
						}
					}
				})
			}
		})
	}
}

// part is a node of a message's tree, in the order of the message.
type part struct {
	path                                                  string // "0.1" is the second part of the first
	contentType, charset, encoding, disposition, filename string
	body                                                  []byte // decoded; none of a multipart
}

func (p part) String() string {
	return fmt.Sprintf("%s %s charset=%s encoding=%s %s %q of %d bytes",
		p.path, p.contentType, p.charset, p.encoding, p.disposition, p.filename, len(p.body))
}

// parts returns the parts that a message must have.
func parts(m *message) []part {
	var list []part
	under := ""
	if len(m.files) > 0 {
		list = append(list, part{contentType: "multipart/mixed"})
		under = "0"
	}
	crlf := func(s string) []byte { return []byte(strings.ReplaceAll(s, "\n", "\r\n")) }
	list = append(list,
		part{path: under, contentType: "multipart/alternative"},
		part{
			path: join(under, 0), contentType: "text/plain", charset: "utf-8",
			encoding: "quoted-printable", body: crlf(m.text),
		},
		part{
			path: join(under, 1), contentType: "text/html", charset: "utf-8",
			encoding: "quoted-printable", body: crlf(m.html),
		},
	)
	for i, f := range m.files {
		list = append(list, part{
			path: join("", i+1), contentType: contentType, encoding: "base64",
			disposition: "attachment", filename: f.name, body: f.body,
		})
	}
	return list
}

func join(path string, i int) string {
	return strings.TrimPrefix(fmt.Sprintf("%s.%d", path, i), ".")
}

// read parses a message with a parser that belongs to neither writer.
func read(raw []byte) (header mail.Header, list []part, err error) {
	root, err := gomessage.Read(bytes.NewReader(raw))
	if err != nil {
		return header, nil, fmt.Errorf("parse: %w", err)
	}
	err = root.Walk(func(path []int, e *gomessage.Entity, err error) error {
		if err != nil {
			return err
		}
		p := part{encoding: strings.ToLower(e.Header.Get("Content-Transfer-Encoding"))}
		for _, i := range path {
			p.path = join(p.path, i)
		}
		var parameters map[string]string
		if p.contentType, parameters, err = e.Header.ContentType(); err != nil {
			return fmt.Errorf("part %s: %w", p.path, err)
		}
		p.charset = strings.ToLower(parameters["charset"])
		if e.Header.Has("Content-Disposition") {
			if p.disposition, _, err = e.Header.ContentDisposition(); err != nil {
				return fmt.Errorf("part %s: %w", p.path, err)
			}
			if p.filename, err = (&mail.AttachmentHeader{Header: e.Header}).Filename(); err != nil {
				return fmt.Errorf("part %s: %w", p.path, err)
			}
		}
		if e.MultipartReader() == nil {
			if p.body, err = io.ReadAll(e.Body); err != nil {
				return fmt.Errorf("part %s: %w", p.path, err)
			}
		}
		list = append(list, p)
		return nil
	})
	return mail.Header{Header: root.Header}, list, err
}

func checkHeader(t *testing.T, h mail.Header, m *message) {
	t.Helper()
	if got, err := h.Subject(); err != nil || got != m.subject {
		t.Errorf("the subject is %q, %v; not %q", got, err, m.subject)
	}
	if got, err := h.Date(); err != nil || !got.Equal(m.date) {
		t.Errorf("the date is %v, %v; not %v", got, err, m.date)
	}
	for field, want := range map[string][]mailbox{"From": {m.from}, "To": m.to} {
		list, err := h.AddressList(field)
		var got []mailbox
		for _, a := range list {
			got = append(got, mailbox{a.Name, a.Address})
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %q, %v; not %q", field, got, err, want)
		}
	}
}
