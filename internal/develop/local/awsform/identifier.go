package awsform

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"
)

// RequestID returns a request id like API Gateway's: 16 characters that end in "=".
func RequestID() string { return base64.URLEncoding.EncodeToString(randomBytes(11)) }

// TraceID returns the root of an X-Ray tracing header for a request that arrived at this time.
func TraceID(at time.Time) string {
	return fmt.Sprintf("Root=1-%08x-%x", at.Unix(), randomBytes(12))
}

// UUID returns a random UUID (RFC 9562, version 4), which is the form of Lambda's request ids.
func UUID() string {
	b := randomBytes(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Token returns a secret of 64 hexadecimal characters.
func Token() string { return hex.EncodeToString(randomBytes(32)) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}
