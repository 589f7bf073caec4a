package compose

import "bytes"

// messageType is the type of a message inside another one. RFC 2046 section 5.2.1 forbids base64 and quoted-printable
// for such a part, and Thunderbird and Outlook show it as empty if it has one of them. Of the encodings that the RFC
// allows, SES accepts only 7bit.
// https://docs.aws.amazon.com/ses/latest/dg/send-email-raw.html
const messageType = "message/rfc822"

// messageSize returns the length that [buffer.message] writes. It is 0 if the message cannot be written as it is: its
// text does not begin with a header field, or is not 7bit, which means lines of at most 998 bytes of ASCII without
// NUL and lone CR (RFC 2045 section 2.7). To encode such a message anew would change it, and break its signatures.
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

// message appends a message as it is, except that its line ends become CRLF.
func (b *buffer) message(message []byte) {
	for line := range bytes.Lines(message) {
		text := trimLineEnd(line)
		b.bytes = append(b.bytes, text...)
		if len(text) < len(line) {
			b.append("\r\n")
		}
	}
}

// trimLineEnd returns the line without its LF or CRLF. A CR without LF stays.
func trimLineEnd(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}
