package compose

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Line lengths of header fields in bytes, without CRLF.
const (
	foldAt      = 78  // a line should not be longer, RFC 5322 section 2.1.1
	maxLine     = 998 // a line must not be longer, RFC 5322 section 2.1.1
	maxWord     = 75  // an encoded-word, RFC 2047 section 2
	maxWordLine = 76  // a line that has encoded-words, RFC 2047 section 2

	// maxUnfolded is the longest stretch of a value that fold may meet behind the first one: it has a line of its own,
	// behind a space.
	maxUnfolded = maxLine - len(" ")
)

// newLine continues a header field on the next line.
const newLine = "\r\n "

// spaced is a value as it is written: a TAB is a space, as which readers show it.
func spaced(s string) string { return strings.ReplaceAll(s, "\t", " ") }

// unstructured writes the value of a field such as Subject, which begins at a column of its line: as it is
// and folded if it is ASCII, else in encoded-words. Either way a reader gets s back, to the byte, with spaces for TABs.
func unstructured(column int, s string) string {
	s = spaced(s)
	if !printable(s) || strings.Contains(s, "=?") || s != strings.TrimSpace(s) ||
		longest(s) > maxUnfolded || column+stretch(s) > maxLine {
		return encodedWords(column, s)
	}
	return fold(column, s)
}

// fold breaks a value of printable ASCII at its foldable spaces, where lines would otherwise pass foldAt. It begins
// behind the field's name: a first line without a value is one of white space alone to some servers, at which the
// header ends.
func fold(column int, s string) string {
	var out strings.Builder
	for column+len(s) > foldAt {
		at := stretch(s) // the first space where s can be folded, then the last one that keeps the line short
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

// foldable reports whether a line may begin with the byte at i: a space by itself. Of several in a row, readers
// keep one where the line was folded there.
func foldable(s string, i int) bool {
	return s[i] == ' ' && (i == 0 || s[i-1] != ' ') && (i+1 == len(s) || s[i+1] != ' ')
}

// stretch is the length of the beginning of a value that fold cannot break, with the space that it begins with.
func stretch(s string) int {
	for i := 1; i < len(s); i++ {
		if foldable(s, i) {
			return i
		}
	}
	return len(s)
}

// longest is the length of the longest stretch of a value, without the space that is before it.
func longest(s string) int {
	most := 0
	for s = " " + s; s != ""; {
		n := stretch(s)
		most, s = max(most, n-len(" ")), s[n:]
	}
	return most
}

// encodedWords writes s as one or more encoded-words (RFC 2047), in the Q or the B encoding, whichever is
// shorter. Only characters that a phrase allows stand for themselves, so that the result fits everywhere. The first
// word stands behind the field's name. Behind a long one it has a single character, and its line passes maxWordLine.
func encodedWords(column int, s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	encoded, open := 0, "=?utf-8?q?"
	for i := range len(s) {
		encoded += len(q(s[i]))
	}
	inB := encoded > base64.StdEncoding.EncodedLen(len(s))
	if inB {
		open = "=?utf-8?b?"
	}
	const overhead = len("=?utf-8?q??=")

	var out strings.Builder
	for first := true; first || s != ""; first = false {
		room := min(maxWord, maxWordLine-column) - overhead
		n := 0
		for used := 0; n < len(s); {
			_, width := utf8.DecodeRuneInString(s[n:])
			if inB {
				used = base64.StdEncoding.EncodedLen(n + width)
			} else {
				for i := range width {
					used += len(q(s[n+i]))
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
			n = at + 1 // a reader that puts a space between two words does so where there is one
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
				out.WriteString(q(s[i]))
			}
		}
		out.WriteString("?=")
		s = s[n:]
	}
	return out.String()
}

// q is a byte in the Q encoding of a phrase, RFC 2047 section 5 (3).
func q(c byte) string {
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

// addressList writes the mailboxes of a field (RFC 5322 section 3.4), each on a line of its own.
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

func (m Mailbox) write(column int) string {
	if strings.TrimSpace(m.Name) == "" {
		return m.Address
	}
	name, most := phrase(column, spaced(m.Name)), foldAt
	if strings.Contains(name, "=?") {
		most = maxWordLine
	}
	address := "<" + m.Address + ">"
	if at := strings.LastIndex(name, newLine); at >= 0 {
		column = -at - len("\r\n")
	}
	if column+len(name)+len(" ")+len(address)+len(",") > most {
		return name + newLine + address
	}
	return name + " " + address
}

// phrase writes a display name: as atoms, as a quoted string, or in encoded-words.
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

// quoted is a text of printable ASCII as a quoted string, RFC 5322 section 3.2.4.
func quoted(s string) string { return `"` + escapeQuotes.Replace(s) + `"` }

var escapeQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// filename writes the parameter of a file's name, on a line of its own: as it is in ASCII, else in the form of RFC 2231
// with an approximation in ASCII for readers that do not know that form. It is so as well where readers that decode
// encoded-words where none may be would take the name for one. The plain form is quoted, whatever the name: Python's
// parser loses one with an apostrophe that is not. The other form must not be quoted (RFC 8187 section 3.2).
//
// The order of parameters says nothing (RFC 2045 section 5). Still, Python's email package takes the first of the two.
func filename(name string) string {
	if printable(name) && !strings.Contains(name, "=?") {
		return ";" + newLine + "filename=" + quoted(name)
	}
	return ";" + newLine + "filename*=utf-8''" + extended(name) + ";" + newLine + `filename="` + approximate(name) + `"`
}

// approximate is a name with _ for each character beyond ASCII, and for those that readers may take for the beginning
// of an escape (RFC 6266 appendix D) or of an encoded-word.
func approximate(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || strings.ContainsRune(`"\%=`, c) {
			return '_'
		}
		return c
	}, name)
}

// extended writes a value in the form of RFC 2231 section 4, every byte escaped that is no letter or digit.
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
