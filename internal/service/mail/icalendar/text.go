package icalendar

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

const (
	utf8Name = "utf-8"
	// fallback is the charset of a calendar that is not in UTF-8 and does not say in what it is. Browsers guess the
	// same for texts.
	fallback = "windows-1252"
)

// marks are the byte order marks, with their charsets.
var marks = []struct{ mark, charset string }{
	{"\xef\xbb\xbf", utf8Name}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
}

// lineEnds converts line ends to CRLF.
var lineEnds = strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n")

// Text returns a calendar as it has to travel: in UTF-8 without a byte order mark, each line ended by CRLF (RFC 5545
// section 3.1, RFC 2046 section 4.1.1). The label names its charset; "" is UTF-8. A byte order mark wins over it. If
// the calendar should be in UTF-8 and is not, it is read as windows-1252, and guessed is true. The error's text
// continues a sentence that begins with the calendar.
func Text(calendar []byte, label string) (text []byte, guessed bool, err error) {
	for _, m := range marks {
		if bytes.HasPrefix(calendar, []byte(m.mark)) {
			calendar, label = calendar[len(m.mark):], m.charset
			break
		}
	}
	if label == "" {
		label = utf8Name
	}
	encoding, name := charset.Lookup(label)
	if encoding == nil || name == "replacement" { // which stands for charsets that browsers have given up
		return nil, false, fmt.Errorf("its charset %q is not known", label)
	}
	guessed = name == utf8Name && !utf8.Valid(calendar)
	if guessed {
		encoding, _ = charset.Lookup(fallback)
	}
	decoded, err := encoding.NewDecoder().Bytes(calendar)
	if err != nil || !guessed && name != utf8Name && bytes.ContainsRune(decoded, utf8.RuneError) {
		return nil, false, fmt.Errorf("it is not valid %q", label)
	}
	text = []byte(lineEnds.Replace(strings.TrimLeft(string(decoded), "\uFEFF"))) // there may be a second mark
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, "\r\n"...)
	}
	return text, guessed, nil
}
