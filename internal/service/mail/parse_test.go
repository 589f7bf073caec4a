package mail_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset"
	gomail "github.com/emersion/go-message/mail"
)

// parsed is a message as emersion/go-message reads it, with the envelope that SES got.
type parsed struct {
	raw    []byte
	header gomail.Header
	shape  string // of the tree: multipart/mixed(text/plain application/pdf)
	leaves []leaf
	from   string   // envelope
	to     []string // envelope
}

// leaf is a part of a message that has no parts of its own. Its body is decoded.
type leaf struct {
	contentType string
	charset     string
	params      string // the type's others, sorted
	disposition string
	filename    string
	cid         string
	body        string
}

// parse reads a message, and fails the test if the parser finds a fault in it.
func parse(t testing.TB, raw []byte) parsed {
	t.Helper()
	root, err := message.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, raw)
	}
	p := parsed{raw: raw, header: gomail.Header{Header: root.Header}}
	p.shape = p.walk(t, root)
	return p
}

// walk appends the leaves of a part, and returns its shape.
func (p *parsed) walk(t testing.TB, e *message.Entity) (shape string) {
	t.Helper()
	contentType, params, err := e.Header.ContentType()
	if err != nil {
		t.Fatalf("content type of a part: %v", err)
	}
	parts := e.MultipartReader()
	if parts == nil {
		body, err := io.ReadAll(e.Body)
		if err != nil {
			t.Fatalf("body of a part: %v", err)
		}
		// Without the header field both are empty, as the invitation needs.
		disposition, dparams, _ := mime.ParseMediaType(e.Header.Get("Content-Disposition"))
		var listed []string
		for _, name := range slices.Sorted(maps.Keys(params)) {
			if name != "charset" {
				listed = append(listed, name+"="+params[name])
			}
		}
		p.leaves = append(p.leaves, leaf{
			contentType: contentType, charset: params["charset"], params: strings.Join(listed, "; "),
			disposition: disposition,
			filename:    dparams["filename"], cid: e.Header.Get("Content-Id"), body: string(body),
		})
		return contentType
	}
	shape = contentType + "("
	for i := 0; ; i++ {
		part, err := parts.NextPart()
		if err == io.EOF {
			return shape + ")"
		}
		if err != nil {
			t.Fatalf("part %d of %s: %v", i, contentType, err)
		}
		if i > 0 {
			shape += " "
		}
		shape += p.walk(t, part)
	}
}

// text returns the body of the first leaf of a type, "" if there is none.
func (p *parsed) text(contentType string) string {
	for _, l := range p.leaves {
		if l.contentType == contentType {
			return l.body
		}
	}
	return ""
}

// readMail is a message as Python's email package reads it.
type readMail struct {
	Subject string
	From    []string
	To      []string
	Cc      []string
	ReplyTo []string
	Fields  map[string]string
	Defects []string
	Parts   []readPart
}

// readPart is a leaf as Python reads it. It has a digest in place of the body, which may be no text.
type readPart struct {
	Type, Disposition, Filename, CID, SHA256 string

	Parameters map[string]string // of the type
}

// readByPython reads a message with Python's email package. It returns false if Python is not installed.
func readByPython(t testing.TB, raw []byte) (got readMail, ok bool) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		return readMail{}, false
	}
	path := filepath.Join(t.TempDir(), "mail.eml")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "testdata/read.py", path).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got, true
}

// digest returns the SHA-256 that Python should find in a part: of a file's bytes, or of a text whose line ends Python
// has turned into line feeds.
func digest(l leaf) string {
	body := l.body
	if l.charset != "" {
		body = strings.ReplaceAll(body, "\r\n", "\n")
	}
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}
