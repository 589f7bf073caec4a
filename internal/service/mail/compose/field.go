package compose

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Field is a header field that the client adds to those of every message.
type Field struct{ Name, Value string }

// MaxName is the greatest length of a field's name in bytes. SES accepts no longer name for a header.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html
const MaxName = 126

// texts are the fields of free text, besides Subject and those that begin with X-. Only such fields may have
// encoded-words (RFC 2047 section 5). In a field with a syntax, such as References or List-Unsubscribe, readers would
// not decode them.
var texts = []string{"Comments", "Organization", "Thread-Topic"}

// isText reports whether the value is free text. Unknown fields may have a syntax, so they are not free text.
func (f Field) isText() bool {
	known := func(name string) bool { return strings.EqualFold(f.Name, name) }
	return hasPrefixFold(f.Name, "X-") || slices.ContainsFunc(texts, known)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Check returns an error if a reader could not get the field back byte by byte, apart from TABs, which become spaces.
// The error's text continues a sentence that begins with the field's name. Check does not look for CR, LF and NUL in
// the value: [CheckValue] does.
func (f Field) Check() error {
	value := spaced(f.Value)
	switch {
	case f.Name == "" || strings.ContainsFunc(f.Name, notOfName):
		return errors.New("is not a field name: visible ASCII characters other than the colon")
	case len(f.Name) > MaxName:
		return fmt.Errorf("has a name of over %d bytes", MaxName)
	case f.isText():
		return nil
	case !printable(value):
		return fmt.Errorf("must be printable ASCII: other characters are only allowed in X-*, %s",
			strings.Join(texts, ", "))
	case value != strings.TrimSpace(value):
		return errors.New("must not begin or end with a space")
	case f.column()+stretch(value) > maxLine:
		return fmt.Errorf("begins with over %d bytes without a single space, at which a line can be folded",
			maxLine-f.column())
	case longest(value) > maxUnfolded:
		return fmt.Errorf("has over %d bytes without a single space, at which a line can be folded", maxUnfolded)
	}
	return nil
}

func notOfName(c rune) bool { return c <= ' ' || c > '~' || c == ':' } // RFC 5322 section 2.2

// CheckValue returns an error if a text can be in no header field: CR or LF would end the field, and a reader may
// ignore what follows NUL. The error's text continues a sentence that begins with the name of the text.
func CheckValue(text string) error {
	if strings.ContainsAny(text, "\r\n\x00") {
		return errors.New("must not contain CR, LF or NUL")
	}
	return nil
}

// column returns the column of the first line in which the value begins.
func (f Field) column() int { return len(f.Name) + len(": ") }

// write returns the value as it stands after the name and ": ".
func (f Field) write() string {
	if f.isText() {
		return unstructured(f.column(), f.Value)
	}
	return fold(f.column(), spaced(f.Value))
}
