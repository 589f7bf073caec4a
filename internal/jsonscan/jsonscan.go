// Package jsonscan finds the members of a JSON object where they stand, in one pass. encoding/json takes three: it
// looks whether the JSON is valid, cuts it, and copies what it has cut. That is a tenth of what a mail takes.
//
// What a function here does not accept, it says no more of: it may be JSON all the same. encoding/json decides then.
package jsonscan

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth   = 100 // of arrays and objects in one another
	maxMembers = 40  // of an object that is cut
)

// Members cuts an object into its members, whose values are parts of the text. Of members with the same name the last
// one counts, as in encoding/json.
func Members(object []byte) (members map[string]json.RawMessage, ok bool) {
	list, ok := read(object)
	if !ok {
		return nil, false
	}
	members = make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		members[unquote(m.name)] = m.value
	}
	return members, true
}

// CutText is the string that one member of an object is, and the object with null in its place. It is false where the
// object has no such member or several, or it is no string.
func CutText(object []byte, name string) (text string, rest []byte, ok bool) {
	list, ok := read(object)
	if !ok {
		return "", nil, false
	}
	named := func(m member) bool { return unquote(m.name) == name }
	at := slices.IndexFunc(list, named)
	if at < 0 || slices.ContainsFunc(list[at+1:], named) {
		return "", nil, false
	}
	value := list[at].value
	if value[0] != '"' {
		return "", nil, false
	}
	begin := cap(object) - cap(value) // both end where the array does
	return unquote(value), slices.Concat(object[:begin], []byte("null"), object[begin+len(value):]), true
}

// Text is the string that a value is which [Members] or encoding/json has read.
func Text(value []byte) (text string, ok bool) {
	if len(value) < 2 || value[0] != '"' || !utf8.Valid(value) {
		return "", false
	}
	return unquote(value), true
}

// member is a member of an object where it stands: its name, with quotation marks, and its value.
type member struct{ name, value []byte }

// read reads an object that is all of a text. One that is too large, or none, has cost no memory.
func read(text []byte) (members []member, ok bool) {
	s := scanner{in: text}
	n, space := 0, [maxMembers]member{}
	s.space()
	s.list('{', '}', func() {
		if n == maxMembers {
			s.failed = true
			return
		}
		m := &space[n]
		n++
		m.name = s.part(s.text)
		s.colon()
		m.value = s.part(s.value)
	})
	s.space()
	return space[:n], !s.failed && s.at == len(text)
}

// scanner reads JSON (RFC 8259). When it meets what it does not accept, it has failed, and reads no further.
type scanner struct {
	in     []byte
	at     int
	depth  int
	failed bool
}

// peek is the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.failed || s.at >= len(s.in) {
		return 0
	}
	return s.in[s.at]
}

func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.failed = true
		return
	}
	s.at++
}

func (s *scanner) space() {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = s.peek() {
		s.at++
	}
}

func (s *scanner) value() {
	switch c := s.peek(); c {
	case '{':
		s.list('{', '}', func() { s.text(); s.colon(); s.value() })
	case '[':
		s.list('[', ']', s.value)
	case '"':
		s.text()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}

// list reads an object or an array, given what reads a member.
func (s *scanner) list(open, end byte, member func()) {
	s.expect(open)
	s.depth++
	s.failed = s.failed || s.depth > maxDepth
	s.space()
	for first := true; s.peek() != end && !s.failed; first = false {
		if !first {
			s.expect(',')
			s.space()
		}
		member()
		s.space()
	}
	s.depth--
	s.expect(end)
}

// colon reads what stands between a name and a value.
func (s *scanner) colon() {
	s.space()
	s.expect(':')
	s.space()
}

// part is what is read; nil if that has failed.
func (s *scanner) part(read func()) []byte {
	from := s.at
	read()
	if s.failed {
		return nil
	}
	return s.in[from:s.at]
}

// text reads a string in UTF-8.
func (s *scanner) text() {
	s.expect('"')
	from, ascii := s.at, true
	for !s.failed {
		for s.at < len(s.in) && plain[s.in[s.at]] {
			s.at++
		}
		switch c := s.peek(); {
		case c == '"':
			s.failed = !ascii && !utf8.Valid(s.in[from:s.at])
			s.at++
			return
		case c < ' ': // at the end, too
			s.failed = true
		case c == '\\':
			s.escape()
		default:
			ascii = false
			s.at++
		}
	}
}

// plain are the bytes that stand for themselves in a string. Those of other characters than ASCII's are not among them.
var plain = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// escape reads a backslash and what belongs to it.
func (s *scanner) escape() {
	s.at++
	if s.peek() == 'u' {
		s.at++
		for range 4 {
			if hexDigit(s.peek()) < 0 {
				s.failed = true
				return
			}
			s.at++
		}
		return
	}
	s.failed = escaped(s.peek()) == 0
	s.at++
}

// word reads a literal name.
func (s *scanner) word(w string) {
	if s.failed || !bytes.HasPrefix(s.in[s.at:], []byte(w)) {
		s.failed = true
		return
	}
	s.at += len(w)
}

func (s *scanner) number() {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else {
		s.digits()
	}
	if s.peek() == '.' {
		s.at++
		s.digits()
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		s.digits()
	}
}

// digits reads one digit at least.
func (s *scanner) digits() {
	from := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	s.failed = s.failed || s.at == from
}

// unquote is the text of a string that was read.
func unquote(value []byte) string {
	part := value[1 : len(value)-1]
	next := bytes.IndexByte(part, '\\')
	if next < 0 {
		return string(part)
	}
	out := make([]byte, 0, len(part))
	for ; next >= 0; next = bytes.IndexByte(part, '\\') {
		out = append(out, part[:next]...)
		c := part[next+1]
		part = part[next+2:]
		if c != 'u' {
			out = append(out, escaped(c))
			continue
		}
		r := codeUnit(part)
		part = part[4:]
		if utf16.IsSurrogate(r) {
			var second rune
			if bytes.HasPrefix(part, []byte(`\u`)) {
				second = codeUnit(part[2:])
			}
			r = utf16.DecodeRune(r, second) // a half alone is U+FFFD, as in encoding/json
			if r != utf8.RuneError {
				part = part[6:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return string(append(out, part...))
}

// escaped is what a letter behind a backslash stands for, 0 for nothing.
func escaped(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// codeUnit is what four hexadecimal digits are.
func codeUnit(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		r = r<<4 | rune(hexDigit(c))
	}
	return r
}

// hexDigit is the value of a hexadecimal digit, -1 of any other byte.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
