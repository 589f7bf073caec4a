// Package httpbody reads and writes the bodies of HTTP messages, for every server of the stack.
package httpbody

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Read reads a body into one buffer. The size is that which is expected, in bytes; less than zero: it is not known.
func Read(r io.Reader, size int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(max(size, 0)) + bytes.MinRead) // one allocation for a mail of 50 MB
	_, err := body.ReadFrom(r)
	return body.Bytes(), err
}

// WriteJSON answers with a value that can be encoded.
func WriteJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(value)
}

// WriteError answers with a status and a message of ASCII, in the form of API Gateway's own errors, and a line feed.
func WriteError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"message\":%q}\n", message)
}
