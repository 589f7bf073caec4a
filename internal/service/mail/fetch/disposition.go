package fetch

import (
	"mime"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// maxDisposition is the number of bytes that are read of a Content-Disposition header. A name of 255 bytes fits in
// every form.
const maxDisposition = 4 << 10

// dispositionNames returns the file names in a Content-Disposition header, the preferred one first: filename*, then
// filename*0, filename*1 … (RFC 2231 section 3), then filename (RFC 6266 section 4.3). A filename* that breaks RFC
// 8187 comes last. Any of them may be empty.
//
// Many servers write a wrong header. It is read as browsers read it, and where browsers give up, for the name that
// was probably meant.
func dispositionNames(header string) []string {
	p := dispositionParameters(header[:min(len(header), maxDisposition)])
	extended, good := decodeExtended(p["filename*"])
	names := []string{joinSections(p), decodePlain(p["filename"])}
	if good {
		return append([]string{extended}, names...)
	}
	return append(names, extended)
}

// dispositionParameters returns the parameters of a Content-Disposition header by their names in lower case. If a
// name occurs more than once, its first value that is not empty counts. The disposition type, and anything else
// without a value, is skipped.
func dispositionParameters(header string) map[string]string {
	parameters := map[string]string{}
	for {
		i := strings.IndexAny(header, "=;,")
		if i < 0 {
			return parameters
		}
		before, isValue := strings.Fields(header[:i]), header[i] == '='
		header = header[i+1:]
		if !isValue {
			continue
		}
		var value string
		value, header = cutValue(strings.TrimLeft(header, " \t"))
		if len(before) > 0 && value != "" {
			// Only the last word is the name: the semicolon after the type or after the last parameter may be missing.
			name := strings.ToLower(before[len(before)-1])
			if parameters[name] == "" {
				parameters[name] = value
			}
		}
	}
}

// cutValue splits a header after the value that it begins with, which may be quoted. Inside quotes a backslash
// escapes only a quote or a backslash. Otherwise it stands for itself, because some servers send Windows paths.
func cutValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := 0
		for end < len(s) && !(strings.IndexByte("; \t,", s[end]) >= 0 && endsValue(s[end:])) {
			end++
		}
		return strings.TrimSuffix(s[:end], `"`), s[end:]
	}
	first, last := -1, -1 // unescaped quotes: the first one inside, and the one that ends the value
	for i := 1; i < len(s) && last < 0; i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		case s[i] == '"' && endsValue(s[i+1:]):
			last = i
		case s[i] == '"' && first < 0:
			first = i
		}
	}
	switch {
	case last < 0 && first < 0:
		value = s[1:]
	case last < 0:
		last = first
		fallthrough
	default:
		value, rest = s[1:last], s[last+1:]
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(value), rest
}

// endsValue reports whether a value may end before s: before a semicolon, or before a comma or white space that a
// known parameter follows. A file name may have commas and spaces without quotes.
func endsValue(s string) bool {
	next := strings.TrimLeft(s, " \t")
	if next == "" || next[0] == ';' {
		return true
	}
	return (next[0] == ',' || len(next) < len(s)) && knownParameter().MatchString(strings.TrimLeft(next, ", \t"))
}

// knownParameter matches the beginning of a parameter of RFC 2183 section 2. It is compiled at its first use, so that
// it does not slow the function's start.
var knownParameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:filename|name|size|[a-z]+-date)\*?\d*\*?[ \t]*=`)
})

// decodePlain decodes a value with things that RFC 6266 does not allow, but that servers write and browsers read:
// encoded-words (RFC 2047), escapes with %, and bytes beyond ASCII.
func decodePlain(s string) string {
	s = decodeBytes(s)
	if strings.Contains(s, "=?") {
		words := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
		if decoded, err := words.DecodeHeader(s); err == nil {
			return decoded
		}
	}
	if decoded, err := url.PathUnescape(s); err == nil && utf8.ValidString(decoded) {
		return decoded
	}
	return s
}

// decodeExtended decodes charset'language'value (RFC 8187 section 3.2). good is false if a piece is missing or the
// value is invalid in its charset; text is then what was probably meant.
func decodeExtended(s string) (text string, good bool) {
	label, value, good := cutLabel(s)
	value = unescape(strings.Trim(value, `"`))
	if good {
		text, good = decodeAs(label, value)
		if good {
			return text, true
		}
	}
	return decodeBytes(value), false
}

// cutLabel splits charset'language'value. good is false if a piece is missing; value is then what follows the
// last apostrophe.
func cutLabel(s string) (label, value string, good bool) {
	if pieces := strings.SplitN(s, "'", 3); len(pieces) == 3 {
		return pieces[0], pieces[2], true
	}
	return "", s[strings.LastIndexByte(s, '\'')+1:], false
}

// joinSections joins filename*0, filename*1 … up to the first missing one. Sections whose name ends in * have
// escapes, and the first of all may name the charset. They are decoded after they are joined, because a character may
// be split between two of them.
func joinSections(parameters map[string]string) string {
	var joined strings.Builder
	label := ""
	for i := 0; ; i++ {
		name := "filename*" + strconv.Itoa(i)
		value, plain := parameters[name]
		if !plain {
			value = parameters[name+"*"]
			if i == 0 {
				label, value, _ = cutLabel(value)
			}
			value = unescape(value)
		}
		if value == "" {
			break
		}
		joined.WriteString(value)
	}
	if text, good := decodeAs(label, joined.String()); good {
		return text
	}
	return decodeBytes(joined.String())
}

// unescape decodes each % that two hexadecimal digits follow, and keeps everything else.
func unescape(s string) string {
	return escape().ReplaceAllStringFunc(s, func(e string) string {
		n, _ := strconv.ParseUint(e[1:], 16, 8) // the pattern allows only such digits
		return string([]byte{byte(n)})
	})
}

var escape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[0-9A-Fa-f]{2}`) })

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
