package compose

import "bytes"

// messageType is the type of a whole message in another one. Its part may not be in base64 or quoted-printable
// (RFC 2046 section 5.2.1): Thunderbird and Outlook show one that is as an empty one. Of the encodings that it may
// have, SES takes 7bit alone. https://docs.aws.amazon.com/ses/latest/dg/send-email-raw.html
const messageType = "message/rfc822"

// messageSize is the length of a message once written by [buffer.message]. It is 0 where that cannot be, because the
// text does not begin with a header field or is not in 7bit: lines of at most 998 bytes of ASCII, without NUL and lone
// CR (RFC 2045 section 2.7). To encode such a message anew would change it, and void its signatures.
func messageSize(message []byte) int {
	if colon := bytes.IndexByte(message, ':'); colon < 1 || bytes.ContainsFunc(message[:colon], notOfName) {
		return 0
	}
	size := 0
	not7bit := func(c rune) bool { return c == 0 || c == '\r' || c > 0x7f }
	for line := range bytes.Lines(message) {
		text := trimLineEnd(line)
		if len(text) > maxLine || bytes.ContainsFunc(text, not7bit) {
			return 0
		}
		size += len(text)
		if len(text) < len(line) {
			size += len("\r\n")
		}
	}
	return size
}

// message appends a message as it is. Its line ends become CRLF.
func (b *buffer) message(message []byte) {
	for line := range bytes.Lines(message) {
		text := trimLineEnd(line)
		b.bytes = append(b.bytes, text...)
		if len(text) < len(line) {
			b.append("\r\n")
		}
	}
}

func trimLineEnd(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}
