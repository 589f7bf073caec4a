package relativeurl

import "strings"

// css writes a style. Escape writes an address as text around it is written.
func (w *writer) css(style string, escape func(string) string) {
	for w.Len() <= w.limit {
		function, arguments, found := strings.Cut(style, "(")
		if !found {
			break
		}
		length := 0 // of the address
		if isURL(function) {
			arguments = arguments[beforeAddress(arguments):]
			length = untilAny(arguments, "\"'()"+space)
		}
		w.WriteString(style[:len(style)-len(arguments)])
		w.address(arguments[:length], escape)
		style = arguments[length:]
	}
	w.WriteString(style)
}

// untilAny returns how many bytes of a text stand before the first of some characters.
func untilAny(text, chars string) int {
	if end := strings.IndexAny(text, chars); end >= 0 {
		return end
	}
	return len(text)
}

// isURL reports whether the name of a function, and what stands before it, ends in url.
func isURL(function string) bool {
	at := len(function) - len("url")
	return at >= 0 && strings.EqualFold(function[at:], "url") && (at == 0 || !isWord(function[at-1]))
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// quotes may stand before an address. In an attribute they may be escaped.
var quotes = []string{`"`, "'", "&quot;", "&apos;", "&#34;", "&#034;", "&#x22;", "&#39;", "&#039;", "&#x27;"}

// beforeAddress returns how many bytes stand before the address of a url function: space, and a quote.
func beforeAddress(arguments string) int {
	rest := strings.TrimLeft(arguments, space)
	for _, quote := range quotes {
		if len(rest) >= len(quote) && strings.EqualFold(rest[:len(quote)], quote) {
			rest = rest[len(quote):]
			break
		}
	}
	return len(arguments) - len(rest)
}
