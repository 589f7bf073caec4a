package api

import "unicode/utf8"

// Brief is what an error repeats of a text that somebody sent: at most 100 bytes and an ellipsis, enough to know the
// text again.
func Brief(s string) string { return Shorten(s, 100) }

// Shorten is s where it has at most that many bytes, else its beginning, of whole characters, and an ellipsis.
func Shorten(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes] + "…"
}
