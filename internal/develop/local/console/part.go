package console

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"frontdesk/internal/develop/local/httpserver"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/textproto"
	"golang.org/x/net/html/charset"
)

// part is a part of a message that has no parts itself.
type part struct {
	number      int // in the order of the message, from 0
	mediaType   string
	contentType string // as it is in the header
	disposition string // "attachment", "inline" or empty
	method      string // of a calendar, from its type; empty if there is none
	name        string // empty if there is none
	cid         string // without < and >
	body        io.Reader
}

// Limits for messages that are made to be hard to read.
const (
	maxDepth = 20
	maxParts = 1000
)

// errStop ends a walk that has found what it looked for.
var errStop = errors.New("seen enough")

// walker calls visit for every part of a message. Visit may read the part's body or leave it. The walk ends at the
// first error; errStop ends it without one.
type walker struct {
	visit func(part) error
	count int
}

// walk visits the parts of a message, and returns its header.
func walk(raw []byte, visit func(part) error) (textproto.Header, error) {
	reader := bufio.NewReader(bytes.NewReader(raw))
	header, err := textproto.ReadHeader(reader)
	if err != nil {
		return header, fmt.Errorf("the header cannot be read: %w", err)
	}
	w := walker{visit: visit}
	if err := w.entity(header, reader, 0); err != nil && !errors.Is(err, errStop) {
		return header, err
	}
	return header, nil
}

// entity visits a part, or the parts of a multipart. A multipart without a boundary cannot be split, so it is
// one part.
func (w *walker) entity(h textproto.Header, body io.Reader, depth int) error {
	contentType := h.Get("Content-Type")
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.Contains(mediaType, "/") {
		mediaType = "text/plain" // RFC 2045, section 5.2
	}
	boundary := parameters["boundary"]
	if !strings.HasPrefix(mediaType, "multipart/") || boundary == "" {
		p := part{
			mediaType: mediaType, contentType: contentType,
			method: parameters["method"], name: decodeWords(parameters["name"]),
		}
		return w.leaf(h, p, body)
	}
	// Each level costs a reader of its own, so a small message could need much memory.
	if depth == maxDepth {
		return fmt.Errorf("parts are nested more than %d deep", maxDepth)
	}
	parts := textproto.NewMultipartReader(body, boundary)
	for {
		next, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("part %d cannot be read: %w", w.count, err)
		}
		if err := w.entity(next.Header, next, depth+1); err != nil {
			return err
		}
	}
}

// leaf reads a part that has no parts itself. Its file name is the one in Content-Disposition; without that, the name
// in Content-Type.
func (w *walker) leaf(h textproto.Header, p part, body io.Reader) error {
	if w.count == maxParts {
		return fmt.Errorf("there are more than %d parts", maxParts)
	}
	p.number = w.count
	w.count++
	// A disposition that cannot be parsed is no reason to hide the part.
	disposition, parameters, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	p.disposition = disposition
	if name := parameters["filename"]; name != "" {
		p.name = decodeWords(name)
	}
	p.name = baseName(p.name)
	p.cid = strings.Trim(strings.TrimSpace(h.Get("Content-Id")), "<>")
	p.body = decoded(h.Get("Content-Transfer-Encoding"), body)
	return w.visit(p)
}

// decoded removes a Content-Transfer-Encoding, or nothing if the encoding is unknown. It keeps the charset, so a
// download has the bytes that were sent.
func decoded(encoding string, body io.Reader) io.Reader {
	var h message.Header
	h.Set("Content-Transfer-Encoding", encoding)
	entity, err := message.New(h, body)
	if err != nil {
		return body
	}
	return entity.Body
}

// decodeWords decodes encoded words (RFC 2047), which some mailers use in parameters too.
func decodeWords(s string) string {
	if decoded, err := decoder().DecodeHeader(s); err == nil {
		return decoded
	}
	return s
}

// decoder decodes words in every charset that browsers know; the standard library knows three.
func decoder() *mime.WordDecoder { return &mime.WordDecoder{CharsetReader: charset.NewReaderLabel} }

// baseName removes folders from a file name, those of Windows too. A name must never lead out of the folder
// of downloads.
func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return name
}

// isBody reports whether the part is a body to read, and not a file to download.
func (p part) isBody(mediaType string) bool {
	return p.mediaType == mediaType && p.disposition != "attachment" && p.name == ""
}

// fileName returns the name under which the part is saved.
func (p part) fileName() string {
	if p.name != "" {
		return p.name
	}
	name := "part-" + strconv.Itoa(p.number)
	if p.mediaType == "message/rfc822" {
		return name + ".eml"
	}
	// The extension lets the system open the file with the right program.
	if extensions, err := mime.ExtensionsByType(p.mediaType); err == nil && len(extensions) > 0 {
		return name + extensions[0]
	}
	return name
}

// servePart serves a part as a download. The sandbox policy is for browsers that show it all the same.
func (s screen) servePart(w http.ResponseWriter, r *http.Request) {
	raw, ok := s.raw(r.PathValue("id"))
	number, err := strconv.Atoi(r.PathValue("number"))
	if !ok || err != nil {
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	found := false
	walk(raw, func(p part) error {
		if p.number != number {
			return nil
		}
		found = true
		// Without the charset, which only a page would need: a browser must not show the part as one.
		w.Header().Set("Content-Type", p.mediaType)
		disposition := mime.FormatMediaType("attachment", map[string]string{"filename": p.fileName()})
		w.Header().Set("Content-Disposition", disposition)
		w.Header().Set("Content-Security-Policy", nothing+"; sandbox")
		io.Copy(w, p.body) // an error breaks the download off; the message's page says why
		return errStop
	})
	if !found {
		httpserver.WriteError(w, http.StatusNotFound, "Not Found")
	}
}
