package gateway

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"unicode/utf8"
)

// eventJSON encodes the event with its body, as the function gets it. An empty body is absent, and one that is not text
// is in base64. The body is copied only once, into the result.
func eventJSON(e event, contentType string, body []byte) ([]byte, error) {
	var head bytes.Buffer
	encoder := json.NewEncoder(&head)
	encoder.SetEscapeHTML(false) // such escapes would count against MaxEvent, and API Gateway writes none
	if err := encoder.Encode(e); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	open := bytes.TrimSuffix(head.Bytes(), []byte("}\n"))

	encoded := len(body) > 0 && !isText(contentType, body)
	// A sixteenth is room for the escapes of ordinary text, so that the result is seldom copied to grow.
	size := len(open) + len(body) + len(body)/16
	if encoded {
		size = len(open) + base64.StdEncoding.EncodedLen(len(body))
	}
	out := append(make([]byte, 0, size+64), open...)
	if len(body) > 0 {
		out = append(out, `,"body":`...)
		if encoded {
			out = append(out, '"')
			out = base64.StdEncoding.AppendEncode(out, body)
			out = append(out, '"')
		} else {
			out = appendJSONString(out, body)
		}
	}
	out = append(out, `,"isBase64Encoded":`...)
	out = strconv.AppendBool(out, encoded)
	return append(out, '}'), nil
}

// textTypes are the media types besides text/* whose bodies an HTTP API passes on as text. It encodes all others in
// base64, also form data and bodies without a Content-Type. AWS does not document the list; it was observed.
var textTypes = map[string]bool{
	"application/json":       true,
	"application/javascript": true,
	"application/xml":        true,
}

// isText reports whether a body is passed on as text. It must be UTF-8, because JSON is.
func isText(contentType string, body []byte) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType, _, _ = strings.Cut(contentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	return (strings.HasPrefix(mediaType, "text/") || textTypes[mediaType]) && utf8.Valid(body)
}

// appendJSONString appends text, which must be UTF-8, as a JSON string. encoding/json would make two more copies of up
// to 6 MB: one as a string, and one with the escapes.
func appendJSONString(dst, text []byte) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}
