package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Bytes returns the request's body as the client sent it, decoded if API Gateway encoded it in base64. The error is of
// kind [Malformed].
func (r *Request) Bytes() ([]byte, error) {
	if !r.IsBase64Encoded {
		return []byte(r.Body), nil
	}
	body, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil {
		return nil, Errorf(Malformed, "body is not valid base64")
	}
	return body, nil
}

// bodySize returns the size of the body in bytes, without decoding it.
func (r *Request) bodySize() int {
	if !r.IsBase64Encoded {
		return len(r.Body)
	}
	padding := len(r.Body) - len(strings.TrimRight(r.Body, "="))
	return base64.StdEncoding.DecodedLen(len(r.Body)) - padding
}

// ParseObject is the function [ParseObject] for the request's body. The raw bytes are checked first: parsers of JSON
// replace bytes that are not UTF-8 without an error. An error says what the body is in place of JSON.
func (r *Request) ParseObject(body []byte) (*Object, error) {
	body = blankMark(body)
	if err := r.checkBody(body); err != nil {
		return nil, err
	}
	return ParseObject(body)
}

// blankMark replaces a byte order mark by white space, so that errors count bytes as they were sent. RFC 8259 section
// 8.1 lets a reader ignore the mark.
func blankMark(body []byte) []byte {
	const mark = "\ufeff"
	if rest, marked := bytes.CutPrefix(body, []byte(mark)); marked {
		return append(bytes.Repeat([]byte(" "), len(mark)), rest...)
	}
	return body
}

var (
	errEmpty = Errorf(Malformed, "body is empty; it must be one JSON object")
	errUTF16 = Errorf(Malformed, "body is in UTF-16; JSON must be in UTF-8")
	errUTF32 = Errorf(Malformed, "body is in UTF-32; JSON must be in UTF-8")
	errTwice = Errorf(Malformed, "body is JSON within a JSON string; encode it once")
	// errForm answers a form: what browsers send, and PHP and curl too unless told otherwise.
	errForm = Errorf(Malformed,
		"body must be a JSON object with Content-Type application/json; form fields are not read")
)

func errCompressed(coding string) error {
	return Errorf(Malformed, "body is compressed with %s; send it uncompressed", Brief(coding))
}

// signatures are the first bytes of what is not JSON in UTF-8. In UTF-16 and UTF-32 zeros fill up ASCII characters. The
// first signature that fits counts: those of UTF-32 begin with ones of UTF-16.
var signatures = []struct {
	begin string
	err   error
}{
	{"\xff\xfe\x00\x00", errUTF32}, {"\x00\x00\xfe\xff", errUTF32},
	{"{\x00\x00\x00", errUTF32}, {"\x00\x00\x00{", errUTF32},
	{"\xff\xfe", errUTF16}, {"\xfe\xff", errUTF16},
	{"{\x00", errUTF16}, {"\x00{", errUTF16},
	{"\x1f\x8b", errCompressed("gzip")},
	{"\x28\xb5\x2f\xfd", errCompressed("zstd")},
}

// checkBody refuses a body that is certainly no JSON object in UTF-8. JSON is taken under any content type and content
// coding: curl -d sends it as a form, and a proxy may have decompressed it.
func (r *Request) checkBody(body []byte) error {
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return errEmpty
	}
	for _, s := range signatures {
		if bytes.HasPrefix(text, []byte(s.begin)) {
			return s.err
		}
	}
	if text[0] != '{' {
		coding := strings.TrimSpace(r.Headers["content-encoding"])
		switch {
		case coding != "" && !strings.EqualFold(coding, "identity"):
			return errCompressed(coding)
		case r.isForm() && !json.Valid(text):
			return errForm
		case isEncodedTwice(text):
			return errTwice
		}
	}
	if !utf8.Valid(body) {
		return Errorf(Malformed, "body is not UTF-8 at byte %d", len(validPrefix(body))+1)
	}
	return nil
}

// isForm reports whether the content type is one of a form.
func (r *Request) isForm() bool {
	kind, _, _ := strings.Cut(strings.ToLower(r.Headers["content-type"]), ";")
	kind = strings.TrimSpace(kind)
	return kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data"
}

// isEncodedTwice reports whether a text is a JSON string that contains a JSON object.
func isEncodedTwice(text []byte) bool {
	var inside string
	return text[0] == '"' && json.Unmarshal(text, &inside) == nil &&
		strings.HasPrefix(strings.TrimLeft(inside, " \t\r\n"), "{") && json.Valid([]byte(inside))
}

// validPrefix returns the bytes before the first one that is not UTF-8.
func validPrefix(text []byte) []byte {
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && size == 1 {
			return text[:at]
		}
		at += size
	}
	return text
}
