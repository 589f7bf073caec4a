package fetch

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// decoded returns a downloaded text in UTF-8. The charset is that of the byte order mark, of the Content-Type, or of
// the declaration in the HTML, in this order (the encoding sniffing of the WHATWG). If none of them names one, valid
// UTF-8 is UTF-8, and anything else is windows-1252. The error's text continues a sentence that begins with the name
// of what held the URL.
func (f File) decoded() (string, error) {
	encoding, name, certain := charset.DetermineEncoding(f.Body, f.contentType)
	// DetermineEncoding sees only the first 1,024 bytes, so check the whole text.
	if !certain && name == "windows-1252" && utf8.Valid(f.Body) {
		return string(f.Body), nil
	}
	if name == "replacement" { // encodings that the WHATWG has retired, because markup can hide in them
		return "", errors.New("is in an encoding that is not supported")
	}
	text, err := encoding.NewDecoder().Bytes(f.Body)
	if err != nil {
		return "", fmt.Errorf("is not valid %s: %w", name, err)
	}
	return trimBOM(string(text)), nil
}

// trimBOM removes a byte order mark. It was for the decoder, and is no part of the text.
func trimBOM(s string) string {
	const bom = "\uFEFF"
	if len(s) >= len(bom) && s[:len(bom)] == bom {
		return s[len(bom):]
	}
	return s
}
