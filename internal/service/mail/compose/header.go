package compose

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/base/invisible"
)

// Line lengths of header fields in bytes, without CRLF.
const (
	foldAt      = 78  // a line should not be longer, RFC 5322 section 2.1.1
	maxLine     = 998 // a line must not be longer, RFC 5322 section 2.1.1
	maxWord     = 75  // an encoded-word, RFC 2047 section 2
	maxWordLine = 76  // a line with encoded-words, RFC 2047 section 2

	// maxUnfolded is the longest stretch that fold can write after the first one. It gets a line of its own, after
	// a space.
	maxUnfolded = maxLine - len(" ")
)

// newLine continues a header field on the next line: CRLF and a space fold it, RFC 5322 section 2.2.3.
const newLine = "\r\n "

// spaced returns a value with spaces for TABs, because readers show a TAB as a space.
func spaced(s string) string { return strings.ReplaceAll(s, "\t", " ") }

// unstructured returns the value of a free-text field such as Subject, which begins at the given column. ASCII is
// folded, other text becomes encoded-words. So does ASCII that a reader would change: with "=?", which starts an
// encoded-word, with spaces at an end, or with a stretch that is too long for a line. Either way a reader gets s back
// byte by byte, apart from TABs, which become spaces.
func unstructured(column int, s string) string {
	s = spaced(s)
	if !printable(s) || strings.Contains(s, "=?") || s != strings.TrimSpace(s) ||
		longest(s) > maxUnfolded || column+stretch(s) > maxLine {
		return encodedWords(column, s)
	}
	return fold(column, s)
}

// fold breaks a value of printable ASCII at foldable spaces, so that lines keep to foldAt where they can. The first
// line always has some of the value: some servers take a first line without one for a line of white space, and end
// the header there.
func fold(column int, s string) string {
	var out strings.Builder
	for column+len(s) > foldAt {
		at := stretch(s) // the first foldable space, then the last one that keeps the line short
		for next := at; column+next <= foldAt && next < len(s); next += stretch(s[next:]) {
			at = next
		}
		if at == len(s) {
			break
		}
		out.WriteString(s[:at] + "\r\n")
		s, column = s[at:], 0
	}
	return out.String() + s
}

// foldable reports whether a line may begin with the byte at i, which must be a single space. If a line is folded
// within several spaces, readers keep only one of them.
func foldable(s string, i int) bool {
	return s[i] == ' ' && (i == 0 || s[i-1] != ' ') && (i+1 == len(s) || s[i+1] != ' ')
}

// stretch returns the length of the first piece of a value that fold cannot break, including the space that it
// begins with.
func stretch(s string) int {
	for i := 1; i < len(s); i++ {
		if foldable(s, i) {
			return i
		}
	}
	return len(s)
}

// longest returns the length of the longest such piece of a value, without the space before it.
func longest(s string) int {
	most := 0
	for s = " " + s; s != ""; {
		n := stretch(s)
		most, s = max(most, n-len(" ")), s[n:]
	}
	return most
}

// encodedWords writes s as one or more encoded-words (RFC 2047), in the Q or the B encoding, whichever is shorter.
// The Q encoding escapes all characters that a phrase does not allow, so that the result is valid in every field. The
// first word begins at the given column, after the field's name. If that name leaves no room, the first word has a
// single character, and its line is longer than maxWordLine.
func encodedWords(column int, s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	encoded, open := 0, "=?utf-8?q?"
	for i := range len(s) {
		encoded += len(qEncoding(s[i]))
	}
	inB := encoded > base64.StdEncoding.EncodedLen(len(s))
	if inB {
		open = "=?utf-8?b?"
	}
	const overhead = len("=?utf-8?q??=")

	var out strings.Builder
	for first := true; first || s != ""; first = false {
		// n is the number of bytes of s that fit into this word, which must end between two characters (RFC 2047
		// section 5 (3)).
		room := min(maxWord, maxWordLine-column) - overhead
		n := 0
		for used := 0; n < len(s); {
			_, width := utf8.DecodeRuneInString(s[n:])
			if inB {
				used = base64.StdEncoding.EncodedLen(n + width)
			} else {
				for i := range width {
					used += len(qEncoding(s[n+i]))
				}
			}
			if used > room {
				break
			}
			n += width
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
		} else if at := strings.LastIndexByte(s[:n], ' '); n < len(s) && at > 0 {
			n = at + 1 // a reader that adds a space between two words adds it at a space
		}
		if !first {
			out.WriteString(newLine)
		}
		column = len(" ")
		out.WriteString(open)
		if inB {
			out.WriteString(base64.StdEncoding.EncodeToString([]byte(s[:n])))
		} else {
			for i := range n {
				out.WriteString(qEncoding(s[i]))
			}
		}
		out.WriteString("?=")
		s = s[n:]
	}
	return out.String()
}

// qEncoding returns a byte in the Q encoding of a phrase, RFC 2047 section 5 (3).
func qEncoding(c byte) string {
	const (
		literal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!*+-/"
		digits  = "0123456789ABCDEF"
	)
	switch {
	case c == ' ':
		return "_"
	case strings.IndexByte(literal, c) >= 0:
		return string(rune(c))
	}
	return string([]byte{'=', digits[c>>4], digits[c&15]})
}

// addressList returns the mailboxes of a field (RFC 5322 section 3.4), one on each line.
func addressList(column int, list []Mailbox) string {
	var out strings.Builder
	for i, m := range list {
		if i > 0 {
			out.WriteString("," + newLine)
			column = len(" ")
		}
		out.WriteString(m.write(column))
	}
	return out.String()
}

// write returns the mailbox. The address goes on the next line if it does not fit after the name, with the comma that
// may follow.
func (m Mailbox) write(column int) string {
	if invisible.Blank(m.Name) {
		return m.Address
	}
	name, most := phrase(column, spaced(m.Name)), foldAt
	if strings.Contains(name, "=?") {
		most = maxWordLine
	}
	address := "<" + m.Address + ">"
	if at := strings.LastIndex(name, newLine); at >= 0 {
		// The name has several lines: make column+len(name) the length of the last one.
		column = -at - len("\r\n")
	}
	if column+len(name)+len(" ")+len(address)+len(",") > most {
		return name + newLine + address
	}
	return name + " " + address
}

// phrase returns a display name: as atoms, as a quoted string, or in encoded-words. A quoted string is not folded, so
// only short names get one.
func phrase(column int, name string) string {
	const maxQuoted = 60
	switch {
	case !printable(name) || strings.Contains(name, "=?") || len(name) > maxQuoted || name != strings.TrimSpace(name):
		return encodedWords(column, name)
	case strings.ContainsAny(name, `"(),.:;<>@[\]`) || strings.Contains(name, "  "):
		return quoted(name)
	}
	return name
}

// quoted returns printable ASCII as a quoted string, RFC 5322 section 3.2.4.
func quoted(s string) string { return `"` + escapeQuotes.Replace(s) + `"` }

var escapeQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// filename returns the parameter for the name of a file, on a line of its own. An ASCII name stands as it is. Any
// other name stands in the form of RFC 2231, with an ASCII approximation for readers that do not know that form. The
// same holds for a name with "=?": some readers decode encoded-words where none is allowed, and would take the name
// for one.
//
// The plain form is always quoted, because Python's parser loses an unquoted name with an apostrophe. The other form
// must not be quoted (RFC 8187 section 3.2). The order of parameters has no meaning (RFC 2045 section 5), but
// Python's email package uses the first of the two, so the exact form comes first.
func filename(name string) string {
	if printable(name) && !strings.Contains(name, "=?") {
		return ";" + newLine + "filename=" + quoted(name)
	}
	return ";" + newLine + "filename*=utf-8''" + extended(name) + ";" + newLine + `filename="` + approximate(name) + `"`
}

// approximate returns a name in ASCII. Underscores replace all other characters, and those that readers may take for
// the start of an escape (RFC 6266 appendix D) or of an encoded-word.
func approximate(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || strings.ContainsRune(`"\%=`, c) {
			return '_'
		}
		return c
	}, name)
}

// extended returns a value in the form of RFC 2231 section 4. It escapes every byte but letters and digits.
func extended(s string) string {
	var out strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
