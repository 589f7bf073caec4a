package api

import "unicode/utf8"

// Brief shortens a text that somebody sent, for an error that repeats it: at most 100 bytes, then an ellipsis. That is
// enough for the sender to recognize the text.
func Brief(s string) string { return Shorten(s, 100) }

// Shorten returns s if it has at most that many bytes. Otherwise it returns as many whole characters from the start of
// s as fit, and an ellipsis, which does not count.
func Shorten(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	for bytes > 0 && !utf8.RuneStart(s[bytes]) {
		bytes--
	}
	return s[:bytes] + "…"
}
