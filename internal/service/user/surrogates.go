package user

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// replaceSurrogates replaces in a JSON text, in place, each escape of half a character with the escape of U+FFFD. Half
// a character is a UTF-16 surrogate that is not part of a pair. Go's parser reads such a text in the same way, while
// those of PHP, Ruby and jq refuse all of it. RFC 8259 section 8.2
func replaceSurrogates(text []byte) {
	for rest := text; ; {
		at := bytes.IndexByte(rest, '\\')
		if at < 0 {
			return
		}
		rest = rest[at:]
		length := 2 // bytes of the escape, or of both escapes of a pair
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

// codeUnit returns the UTF-16 code unit of an escape such as \ud83d, if the text begins with one.
func codeUnit(text []byte) (unit rune, ok bool) {
	if !bytes.HasPrefix(text, []byte(`\u`)) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
