package fetch

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// Text is a downloaded text in UTF-8. It is decoded by its byte order mark, the charset of its Content-Type, or the one
// that its HTML declares, in this order (the WHATWG's encoding sniffing). Without any it is taken for UTF-8 if it is
// valid, else for windows-1252. An error reads on from the name of what held the URL.
func (f File) Text() (string, error) {
	encoding, name, certain := charset.DetermineEncoding(f.Body, f.contentType)
	// DetermineEncoding looks at the first 1,024 bytes alone.
	if !certain && name == "windows-1252" && utf8.Valid(f.Body) {
		return string(f.Body), nil
	}
	if name == "replacement" { // encodings that the WHATWG has retired, because they hide markup
		return "", errors.New("is in an encoding that is not supported")
	}
	text, err := encoding.NewDecoder().Bytes(f.Body)
	if err != nil {
		return "", fmt.Errorf("is not valid %s: %w", name, err)
	}
	return trimBOM(string(text)), nil
}

// trimBOM removes a byte order mark, which is for the decoder and not for the reader.
func trimBOM(s string) string {
	const bom = "\uFEFF"
	if len(s) >= len(bom) && s[:len(bom)] == bom {
		return s[len(bom):]
	}
	return s
}
