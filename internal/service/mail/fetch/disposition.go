package fetch

import (
	"mime"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// maxDisposition is the number of bytes that are read of a Content-Disposition header. A name of 255 bytes fits in
// every form.
const maxDisposition = 4 << 10

// dispositionNames returns the file names in a Content-Disposition header (RFC 6266), the preferred one first:
// filename*, then filename. A filename* that breaks RFC 8187 comes last. Either may be empty.
func dispositionNames(header string) []string {
	header = header[:min(len(header), maxDisposition)]
	extended, good := extendedName(header)
	if good {
		return []string{extended, plainName(header)}
	}
	return []string{plainName(header), extended}
}

// Servers write these parameters with faults for which package mime refuses the whole header, or leaves them out:
// without quotes, with something behind them, in a charset that is not UTF-8. They are compiled at their first use, so
// that they do not slow the function's start.
var (
	extendedParameter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bfilename\*\s*=\s*([^;]*)`)
	})
	plainParameter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bfilename\s*=\s*(?:"([^"]*)|([^;"]+))`)
	})
)

// extendedName returns the value of filename*, charset'language'value (RFC 8187 section 3.2). good is false if a piece
// is missing or the value is invalid in its charset; name is then what was probably meant.
func extendedName(header string) (name string, good bool) {
	found := extendedParameter().FindStringSubmatch(header)
	if found == nil {
		return "", false
	}
	value := strings.Trim(found[1], `" `)
	pieces := strings.SplitN(value, "'", 3)
	if len(pieces) < 3 {
		return decodeBytes(unescaped(value[strings.LastIndexByte(value, '\'')+1:])), false
	}
	value = unescaped(strings.Trim(pieces[2], `"`))
	name, good = decodeAs(pieces[0], value)
	if !good {
		return decodeBytes(value), false
	}
	return name, true
}

// plainName returns the value of filename, with what RFC 6266 does not allow, but servers write and browsers read:
// encoded-words (RFC 2047), escapes with %, and bytes beyond ASCII. Package mime also joins filename*0, filename*1 …
// (RFC 2231 section 3).
func plainName(header string) string {
	name := decodeBytes(writtenName(header))
	words := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	if decoded, err := words.DecodeHeader(name); err == nil && decoded != name {
		return decoded
	}
	if decoded := unescaped(name); utf8.ValidString(decoded) {
		return decoded
	}
	return name
}

// writtenName returns the value of filename, not decoded.
func writtenName(header string) string {
	_, params, err := mime.ParseMediaType(header)
	found := plainParameter().FindStringSubmatch(header)
	if err == nil || found == nil {
		return params["filename"]
	}
	return strings.TrimSpace(found[1] + found[2])
}

// unescaped decodes the escapes with % of a name, unless one of them is wrong.
func unescaped(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil {
		return decoded
	}
	return name
}

// decodeAs decodes the bytes of s by the label of their charset. good is false if the charset is unknown or s is
// invalid in it.
func decodeAs(label, s string) (text string, good bool) {
	encoding, _ := charset.Lookup(label)
	if encoding == nil {
		return "", false
	}
	text, err := encoding.NewDecoder().String(s)
	return text, err == nil && utf8.ValidString(text) && !strings.ContainsRune(text, utf8.RuneError)
}

// decodeBytes decodes bytes without a named charset: as UTF-8 if they are valid, otherwise as windows-1252, which
// includes the characters of Latin-1.
func decodeBytes(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	text, _ := decodeAs("windows-1252", s)
	return text
}
