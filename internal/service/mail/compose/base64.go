package compose

import "frontdesk/internal/service/mail/base64"

// A file in base64 is broken into lines, RFC 2045 section 6.8.
const (
	base64Line  = 76                 // characters, without CRLF
	base64Input = base64Line / 4 * 3 // bytes of the file in a line
)

// base64Size returns the length of n bytes in lines of base64, with the CRLF after each line.
func base64Size(n int) int {
	lines := (n + base64Input - 1) / base64Input
	return base64.EncodedLen(n) + lines*len("\r\n")
}

// encodeLines writes src to dst in lines of base64. dst must have at least base64Size(len(src)) bytes.
func encodeLines(dst, src []byte) {
	for len(src) > 0 {
		n := min(base64Input, len(src))
		base64.Encode(dst, src[:n])
		end := base64.EncodedLen(n)
		dst[end], dst[end+1] = '\r', '\n'
		dst, src = dst[end+len("\r\n"):], src[n:]
	}
}

// readLines copies to p what encodeLines would write from offset at on, at least one byte. at must be before the end
// of the lines. All lines but the last have the same length, so any offset can be computed. Whole lines go directly
// to p; part of a line goes through a buffer.
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
