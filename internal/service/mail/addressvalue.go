package mail

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/placeholder"
)

// addressValueWarnings names the placeholders within addresses of the HTML that have a value which may change where a
// link leads: values are inserted as they are. There is one warning for each name.
func (m *Mail) addressValueWarnings(html string) (warnings []string) {
	signs := map[string]sign{}
	for _, list := range append([][]Placeholder{m.Placeholders}, m.PerRecipient...) {
		for _, p := range list {
			found, changes := changesLink(p.Value)
			if _, known := signs[p.Name]; changes && !known && p.Name != addressPlaceholder {
				signs[p.Name] = found
			}
		}
	}
	if len(signs) == 0 { // the usual case, without reading the HTML
		return nil
	}
	names := map[string]bool{}
	for name := range signs {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(placeholder.WithinAddresses(html, names))) {
		if len(warnings) == maxListed {
			break
		}
		has := signs[name]
		warnings = append(warnings, fmt.Sprintf("{%s} stands within an address of html, and its value has %s, "+
			"which may change the link: an address has %s for it", api.Brief(name), has.name, has.escaped))
	}
	return warnings
}

// sign is a character with a meaning of its own in an address, and its escape (RFC 3986 section 2.1).
type sign struct{ name, escaped string }

// changesLink finds the first character of a value that may change an address. A % is one unless it begins an escape.
func changesLink(value string) (sign, bool) {
	for i, c := range value {
		switch {
		case unicode.IsSpace(c):
			return sign{"white space", "%20"}, true
		case c == '&':
			return sign{`"&"`, "%26"}, true
		case c == '#':
			return sign{`"#"`, "%23"}, true
		case c == '%' && !beginsEscape(value[i+1:]):
			return sign{`"%"`, "%25"}, true
		}
	}
	return sign{}, false
}

// beginsEscape reports whether two hexadecimal digits come next.
func beginsEscape(s string) bool {
	const hex = "0123456789abcdefABCDEF"
	return len(s) >= 2 && strings.IndexByte(hex, s[0]) >= 0 && strings.IndexByte(hex, s[1]) >= 0
}
