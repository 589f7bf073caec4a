package user

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// replaceSurrogates replaces, where it stands in a JSON text, each escape of half a character by the escape of U+FFFD:
// that of a UTF-16 surrogate that is not one of a pair. Go's parser reads such a text so; those of PHP, Ruby and jq
// refuse all of it. RFC 8259 section 8.2
func replaceSurrogates(text []byte) {
	for rest := text; ; {
		at := bytes.IndexByte(rest, '\\')
		if at < 0 {
			return
		}
		rest = rest[at:]
		length := 2 // of the escape, or of both escapes of a pair
		if first, isCode := codeUnit(rest); isCode {
			length = 6
			if second, _ := codeUnit(rest[length:]); utf16.DecodeRune(first, second) != utf8.RuneError {
				length = 12
			} else if utf16.IsSurrogate(first) {
				copy(rest, `\ufffd`)
			}
		}
		rest = rest[length:]
	}
}

// codeUnit is the UTF-16 code unit of an escape such as \ud83d, if a JSON text begins with one.
func codeUnit(text []byte) (unit rune, ok bool) {
	if !bytes.HasPrefix(text, []byte(`\u`)) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
