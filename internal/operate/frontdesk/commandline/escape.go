package commandline

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"frontdesk/internal/base/invisible"
)

// obeyed are the characters that a terminal obeys instead of showing them, or that change where a line ends: the
// control characters C0, DEL and C1, and the separators of lines and paragraphs.
var obeyed = []*unicode.RangeTable{unicode.Cc, unicode.Zl, unicode.Zp}

// shortEscapes are the two-letter escapes of JSON for characters that occur in usual text.
var shortEscapes = map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}

// escape replaces the characters of [obeyed], except those in keep, by the escapes of JSON, such as \u001b. It also
// replaces those that nobody sees, outside of emoji: they make two texts look like one. So text within JSON keeps its
// value. A byte that is not UTF-8 becomes U+FFFD, as in JSON.
func escape(text, keep string) string {
	var shown strings.Builder
	var before rune
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		after, _ := utf8.DecodeRuneInString(rest)
		hidden := invisible.Is(r) && !invisible.OfEmoji(before, r, after)
		before = r
		switch {
		case !unicode.In(r, obeyed...) && !hidden || strings.ContainsRune(keep, r):
			shown.WriteRune(r)
		case shortEscapes[r] != "":
			shown.WriteString(shortEscapes[r])
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&shown, `\u%04x`, unit)
			}
		}
	}
	return shown.String()
}

// escaped is an argument of a format that prints escaped text.
type escaped struct{ value any }

// Format implements [fmt.Formatter].
func (e escaped) Format(s fmt.State, verb rune) {
	io.WriteString(s, escape(fmt.Sprintf(fmt.FormatString(s, verb), e.value), ""))
}

// escaper escapes what is written to it, except line feeds and tabs. Each Write must hold whole characters: half of
// one would become U+FFFD.
type escaper struct{ w io.Writer }

// Write returns the length of p, although more bytes may have been written: callers compare it with what they gave.
func (e escaper) Write(p []byte) (int, error) {
	if _, err := io.WriteString(e.w, escape(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}
