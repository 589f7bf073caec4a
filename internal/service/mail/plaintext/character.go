package plaintext

// The kinds of characters. Mails hide padding after their preview text so that the inbox shows nothing else there.
const (
	visible = iota
	blank   // spaces, tabs and line ends
	noBreak // spaces that are kept if they are single
	joining // joiners and direction marks, which change their neighbours
	padding // characters without width or shape
)

// kindOf returns the kind of a character. Most padding has the Unicode property Default_Ignorable_Code_Point. That
// includes letters without a shape, such as U+3164.
func kindOf(r rune) int {
	switch r {
	case ' ', '\t', '\n', '\r', '\f', '\u2028', '\u2029', '\u0085':
		return blank
	case '\u00a0', '\u2007', '\u202f', '\u3000':
		return noBreak
	case '\u200c', '\u200d', '\u200e', '\u200f', '\u061c':
		return joining
	case '\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u180e', '\u200b', '\u3164', '\ufeff', '\uffa0':
		return padding
	}
	switch {
	case r < ' ' || r == 0x7f, r >= '\u2060' && r <= '\u2064', r >= '\u206a' && r <= '\u206f':
		return padding
	case r >= '\u2000' && r <= '\u200a', r == '\u205f', r == '\u1680':
		return blank
	}
	return visible
}
