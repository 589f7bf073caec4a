package local

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"
)

// newRequestID is an identifier in the form of API Gateway's: 16 characters that end in "=".
func newRequestID() string {
	return base64.URLEncoding.EncodeToString(randomBytes(11))
}

// newTraceID is an X-Ray root for a request that arrived at that time (X-Ray, "Tracing header").
func newTraceID(at time.Time) string {
	return fmt.Sprintf("Root=1-%08x-%x", at.Unix(), randomBytes(12))
}

// newUUID is a random UUID (RFC 9562, version 4), the form of Lambda's request ids.
func newUUID() string {
	b := randomBytes(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newToken is what nobody guesses, in 64 characters.
func newToken() string { return hex.EncodeToString(randomBytes(32)) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}
