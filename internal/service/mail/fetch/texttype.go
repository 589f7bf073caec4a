package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// errControl is the error of a file that is no text, and whose server does not say that it is one.
var errControl = errors.New("answers no text: it has control characters")

// markup are types of texts that do not begin with text/ (RFC 7303).
var markup = []string{"application/xhtml+xml", "application/xml"}

// Text returns a file that is to be used as a text, in UTF-8, with its type. The type is that of the server, else that
// of the first bytes; guessed says which. The error's text continues a sentence that begins with the name of what held
// the URL.
func (f File) Text() (text, base string, guessed bool, err error) {
	base, guessed, err = f.textType()
	if err != nil {
		return "", "", false, err
	}
	text, err = f.decoded()
	if err != nil {
		return "", "", false, err
	}
	if (guessed || slices.Contains(markup, base)) && strings.ContainsFunc(text, isControl) {
		return "", "", false, errControl
	}
	return text, base, guessed, nil
}

// textType returns the type of a text: the server's, else that of its first bytes.
func (f File) textType() (base string, guessed bool, err error) {
	beginning, _, _ := strings.Cut(f.contentType, ";")
	base, _, err = mime.ParseMediaType(beginning)
	switch {
	case err != nil, !isOneType(base), slices.Contains(vague, base):
		body := bytes.TrimPrefix(f.Body, []byte("\uFEFF")) // behind it, DetectContentType looks no further
		base, _, _ = strings.Cut(http.DetectContentType(body), ";")
		if !strings.HasPrefix(base, "text/") {
			return "", true, fmt.Errorf("answers no text: it begins as %s does", base)
		}
		return base, true, nil
	case strings.HasPrefix(base, "text/"), slices.Contains(markup, base):
		return base, false, nil
	}
	return "", false, fmt.Errorf("answers %s, which is no text", base)
}

// isControl reports whether a character is in no text. ESC is in those of ISO-2022.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r < 0x80 && !strings.ContainsRune("\t\n\v\f\r\x1b", r)
}
