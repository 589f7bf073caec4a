// Package invisible knows the characters that nobody sees, and what a reader sees of a text that has some. Names that
// look alike, or like nothing, mislead people.
package invisible

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden are the characters that nobody sees: format characters, with those of bidirectional text, and the characters
// that are not shown by default (Unicode 15, section 5.21), which are variation selectors, fillers and joiners.
// https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
var hidden = []*unicode.RangeTable{
	unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// Is reports whether a character is invisible. White space and control characters are not: they have rules of their
// own. Of the format characters some signs of Arabic and other scripts are seen.
func Is(c rune) bool {
	return c > unicode.MaxASCII && unicode.In(c, hidden...) && !unicode.Is(unicode.Prepended_Concatenation_Mark, c)
}

// empty reports whether a reader sees nothing at the place of a character. Braille has a blank pattern.
func empty(c rune) bool { return unicode.IsSpace(c) || Is(c) || c == '\u2800' }

// OfEmoji reports whether an invisible character between two others is part of an emoji: the joiner between two
// pictures, or the selector that makes a picture of a sign. https://www.unicode.org/reports/tr51/#Emoji_Sequences
func OfEmoji(before, c, after rune) bool {
	const joiner, selector = '\u200d', '\ufe0f'
	switch c {
	case joiner:
		return (unicode.In(before, unicode.So, unicode.Sk) || before == selector) && unicode.Is(unicode.So, after)
	case selector:
		return unicode.Is(unicode.So, before)
	}
	return false
}

// Blank reports whether a reader sees nothing of a text: it is empty, or has only white space and invisible characters.
func Blank(text string) bool { return strings.TrimFunc(text, empty) == "" }

// TrimWithSpace cuts white space and invisible characters off the ends of a text.
func TrimWithSpace(text string) string {
	return strings.TrimFunc(text, func(c rune) bool { return unicode.IsSpace(c) || Is(c) })
}

// CutEnds cuts invisible characters off the ends of a text, but not what shapes the character before it: a variation
// selector, the tags of a flag, or a joiner behind a combining mark, as in Malayalam. White space stays.
func CutEnds(text string) string {
	text = strings.TrimLeftFunc(text, Is)
	for {
		c, size := utf8.DecodeLastRuneInString(text)
		if !Is(c) || shapes(text[:len(text)-size], c) {
			return text
		}
		text = text[:len(text)-size]
	}
}

// CheckName returns an error if a name is blank, or has invisible characters at an end: two names would look like one.
// The text of the error continues the name of the field.
func CheckName(name string) error {
	switch {
	case Blank(name):
		return errors.New("must not be blank")
	case CutEnds(name) != name:
		return errors.New("must not begin or end with invisible characters")
	}
	return nil
}

// shapes reports whether an invisible character changes how the end of a text is shown.
func shapes(text string, c rune) bool {
	const cancelTag, flag = '\U000e007f', "🏴"
	before, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case unicode.Is(unicode.Variation_Selector, c):
		return !empty(before)
	case c == '\u200c' || c == '\u200d':
		return unicode.Is(unicode.M, before) && !Is(before)
	case c == cancelTag:
		return strings.HasSuffix(strings.TrimRightFunc(text, isTag), flag)
	}
	return false
}

// isTag reports whether a character is a tag, of which the flags of England, Scotland and Wales are made.
func isTag(c rune) bool { return 0xe0020 <= c && c <= 0xe007e }
