package invisible_test

import (
	"strings"
	"testing"
	"unicode"

	"frontdesk/internal/base/invisible"
	"frontdesk/internal/prove/expect"
)

// TestWhatNobodySeesIsBlank, whatever it is made of.
func TestWhatNobodySeesIsBlank(t *testing.T) {
	for text, blank := range map[string]bool{
		"": true, " \t\u00a0": true, "\u00ad": true, "\u200b\u200c\u200d\u2060\ufeff": true, " \u200e \u202e": true,
		"\u3164": true, "\u115f\u1160": true, "\ufe0f": true, "\U000e0041": true, "\u2800": true, "\u034f": true,
		"\u200ba": false, "👨\u200d👩": false, "\u0600": false, "0": false, "\u0301": false,
	} {
		expect.Equal(t, invisible.Blank(text), blank, "blank "+strings.ToValidUTF8(text, "?"))
	}
}

// TestEndsLoseWhatNobodySees, and keep what shapes the character before it. The inside stays as it is.
func TestEndsLoseWhatNobodySees(t *testing.T) {
	const family, scotland = "👨\u200d👩\u200d👧", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
	for text, want := range map[string]string{
		"Ada": "Ada", " Ada ": " Ada ", "\u200bAda\u200b": "Ada", "\ufeffAda\u00ad\u2060": "Ada", "Ada\u200d": "Ada",
		"A\u200bda": "A\u200bda", family: family, family + "\u200d": family, "Ada ❤\ufe0f": "Ada ❤\ufe0f",
		"❤\ufe0f\ufe0f": "❤\ufe0f", "\ufe0fAda": "Ada", "葛\U000e0100": "葛\U000e0100", scotland: scotland,
		"Ada\U000e0067\U000e007f": "Ada", "Ada\U000e0067": "Ada", "ന\u0d4d\u200d": "ന\u0d4d\u200d",
		"\u202eAda\u202c": "Ada", " \ufe0f": " ", "\u200b": "",
	} {
		expect.Equal(t, invisible.CutEnds(text), want, "the ends of "+text)
	}
}

// FuzzEnds: a text without its ends is part of it, begins and ends with nothing more to cut, and loses only what is
// invisible.
func FuzzEnds(f *testing.F) {
	f.Add("\u200bAda\u200b")
	f.Add("🏴\U000e0067\U000e007f")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		cut := invisible.CutEnds(text)
		before, after, found := strings.Cut(text, cut)
		if !found || invisible.CutEnds(cut) != cut || invisible.Blank(cut) != invisible.Blank(text) {
			t.Fatalf("%q becomes %q", text, cut)
		}
		if cut != "" && strings.ContainsFunc(before+after, func(c rune) bool { return !invisible.Is(c) }) {
			t.Errorf("%q becomes %q", text, cut)
		}
		if trimmed := invisible.TrimWithSpace(text); strings.TrimFunc(trimmed, unicode.IsSpace) != trimmed {
			t.Errorf("%q becomes %q", text, trimmed)
		}
	})
}
