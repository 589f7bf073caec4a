package compose

import "frontdesk/internal/mail/base64"

// Base64 in lines, RFC 2045 section 6.8.
const (
	base64Line  = 76                 // characters, without CRLF
	base64Input = base64Line / 4 * 3 // bytes that a line holds
)

// base64Size is the length of n bytes in lines of base64.
func base64Size(n int) int {
	lines := (n + base64Input - 1) / base64Input
	return base64.EncodedLen(n) + lines*len("\r\n")
}

// encodeLines writes src in lines of base64 to dst, which has base64Size(len(src)) bytes at least.
func encodeLines(dst, src []byte) {
	for len(src) > 0 {
		n := min(base64Input, len(src))
		base64.Encode(dst, src[:n])
		end := base64.EncodedLen(n)
		dst[end], dst[end+1] = '\r', '\n'
		dst, src = dst[end+len("\r\n"):], src[n:]
	}
}

// readLines writes what encodeLines would write from a place on, which is before the end: at least one byte of it.
func readLines(p, src []byte, at int) int {
	const size = base64Line + len("\r\n")
	src, skip := src[at/size*base64Input:], at%size
	if lines := len(p) / size; skip == 0 && lines > 0 {
		src = src[:min(lines*base64Input, len(src))]
		encodeLines(p, src)
		return base64Size(len(src))
	}
	var line [size]byte
	src = src[:min(base64Input, len(src))]
	encodeLines(line[:], src)
	return copy(p, line[skip:base64Size(len(src))])
}
