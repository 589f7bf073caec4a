package mail

import (
	"fmt"
	"slices"

	"frontdesk/internal/base/api"
)

// Switch is a word in the field config. Each one changes a default.
type Switch string

const (
	AllowEmpty      Switch = "allowempty"      // allow an empty body
	IgnoreDLFails   Switch = "ignoredlfails"   // leave out an attachment that cannot be downloaded
	NoConversion    Switch = "noconversion"    // make no plain text from the HTML
	URLBeforeString Switch = "urlbeforestring" // prefer the URL of a source to its string

	SubjectPlaceholders Switch = "subjectplaceholders" // replace placeholders in the subject, too
	EscapePlaceholders  Switch = "escapeplaceholders"  // escape values in the HTML

	Separate    Switch = "separate"    // send each recipient a mail of his own
	Unsubscribe Switch = "unsubscribe" // give it a link to unsubscribe; needs Separate
)

var switches = []Switch{
	AllowEmpty, IgnoreDLFails, NoConversion, URLBeforeString, SubjectPlaceholders, EscapePlaceholders, Separate,
	Unsubscribe,
}

// checkSwitches refuses unknown switches. An unknown field is only a warning, but a misspelt "separate" would show the
// recipients to each other.
func (m *Mail) checkSwitches(f *api.Faults) {
	for i, s := range m.Switches {
		if !slices.Contains(switches, s) {
			f.AddTo(fmt.Sprintf("config[%d]", i), "%q is not known; allowed are %s",
				api.Brief(string(s)), list(switches))
		}
	}
}

// on reports whether the mail's config has a switch.
func (m *Mail) on(s Switch) bool {
	return slices.Contains(m.Switches, s)
}
