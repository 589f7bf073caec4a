package api

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// base64Text reads a string of base64. Unlike a plain []byte, for which encoding/json also accepts an array of numbers,
// it accepts strings only. An empty string is no nil slice.
type base64Text []byte

// UnmarshalText implements [encoding.TextUnmarshaler]. encoding/json removes the escapes first.
//
// Base64 is read as programs write it: in the standard alphabet or that of URLs, with or without padding (RFC 4648
// sections 4 and 5), in lines, as MIME encoders write it, and behind the head of a data: URL (RFC 2397). The error
// continues the name of the field.
func (b *base64Text) UnmarshalText(text []byte) error {
	decoded, err := base64.StdEncoding.AppendDecode([]byte{}, text)
	if err == nil {
		*b = decoded
		return nil
	}
	begin, err := dataHead(text)
	if err != nil {
		return err
	}
	digits, err := base64Digits(text, begin)
	if err != nil {
		return err
	}
	*b, err = base64.RawStdEncoding.AppendDecode([]byte{}, digits)
	return err
}

// dataHead returns the length of the head of a data: URL, 0 without one.
func dataHead(text []byte) (int, error) {
	const scheme = "data:"
	if len(text) < len(scheme) || !strings.EqualFold(string(text[:len(scheme)]), scheme) {
		return 0, nil
	}
	head, _, found := bytes.Cut(text, []byte(","))
	if !found || !bytes.HasSuffix(bytes.ToLower(head), []byte(";base64")) {
		return 0, wrongValue("must be base64; a data: URL must have ;base64, before its base64")
	}
	return len(head) + 1, nil
}

// base64Digits returns the digits of a text from a place on, in the standard alphabet and without padding. The error
// counts characters from 1.
func base64Digits(text []byte, begin int) ([]byte, error) {
	digits := make([]byte, 0, len(text)-begin)
	padded := false
	for i := begin; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\r' || c == '\n':
			continue
		case c == '=':
			padded = true
			continue
		case c == '-':
			c = '+'
		case c == '_':
			c = '/'
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
		default:
			wrong, _ := utf8.DecodeRune(text[i:])
			return nil, wrongValue(fmt.Sprintf("must be base64; character %d is %q, which base64 does not have",
				utf8.RuneCount(text[:i])+1, wrong))
		}
		if padded {
			return nil, wrongValue(fmt.Sprintf("must be base64; at character %d it goes on behind its padding (=)",
				utf8.RuneCount(text[:i])+1))
		}
		digits = append(digits, c)
	}
	if len(digits)%4 == 1 {
		return nil, wrongValue(fmt.Sprintf(
			"must be base64; it is cut off: %d characters make no whole number of bytes", len(digits)))
	}
	return digits, nil
}
