package httpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// ReadBody reads a body into one buffer. Size is the expected number of bytes; a negative size means unknown.
func ReadBody(r io.Reader, size int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(max(size, 0)) + bytes.MinRead) // a single allocation even for a mail of 50 MB
	_, err := body.ReadFrom(r)
	return body.Bytes(), err
}

// WriteJSON answers with a value as JSON. The value must be one that can be encoded.
func WriteJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(value)
}

// WriteError answers with a status and a message, which must be ASCII, in the form of API Gateway's own errors plus a
// line feed.
func WriteError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"message\":%q}\n", message)
}
