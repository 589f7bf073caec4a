package compose

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Field is a header field beside those that every message has.
type Field struct{ Name, Value string }

// MaxName is the length of a field's name in bytes: the longest one that SES takes for a header.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html
const MaxName = 126

// texts are the fields of free text, beside Subject and those that begin with X-. Encoded-words stand in such
// fields alone (RFC 2047 section 5): in a field with a syntax, such as References or List-Unsubscribe, they would
// be read as they are.
var texts = []string{"Comments", "Organization", "Thread-Topic"}

// isText reports whether the value is free text. A field that is not known is not taken for one.
func (f Field) isText() bool {
	known := func(name string) bool { return strings.EqualFold(f.Name, name) }
	return hasPrefixFold(f.Name, "X-") || slices.ContainsFunc(texts, known)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Check says why a field cannot be written so that a reader gets it back to the byte, with spaces for TABs. The error
// reads on from the field's name; it is nil if there is nothing wrong. CR, LF and NUL in the value are for [CheckValue]
// to find.
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
		return fmt.Errorf("must be printable ASCII: other characters are for X-*, %s alone", strings.Join(texts, ", "))
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

// CheckValue says why a text can be in no header field: with CR or LF the field would end there, and a reader may
// ignore what is behind NUL. The error reads on from the name of what the text is for; it is nil if there is
// nothing wrong.
func CheckValue(text string) error {
	if strings.ContainsAny(text, "\r\n\x00") {
		return errors.New("must not contain CR, LF or NUL")
	}
	return nil
}

// column is where the value begins in the first line.
func (f Field) column() int { return len(f.Name) + len(": ") }

// write writes the value, which begins behind the name.
func (f Field) write() string {
	if f.isText() {
		return unstructured(f.column(), f.Value)
	}
	return fold(f.column(), spaced(f.Value))
}
