package mail

import (
	"fmt"
	"slices"

	"frontdesk/internal/api"
)

// Switch changes default behaviour.
type Switch string

const (
	AllowEmpty      Switch = "allowempty"      // a mail may have an empty body
	IgnoreDLFails   Switch = "ignoredlfails"   // an attachment that cannot be downloaded is left out
	NoConversion    Switch = "noconversion"    // no plain text is made from the HTML
	URLBeforeString Switch = "urlbeforestring" // a source's URL is preferred to its string

	SubjectPlaceholders Switch = "subjectplaceholders" // placeholders are replaced in the subject, too
	EscapePlaceholders  Switch = "escapeplaceholders"  // values have HTML's escapes in the HTML

	Separate    Switch = "separate"    // each recipient gets a mail of his own
	Unsubscribe Switch = "unsubscribe" // which has an address by which he unsubscribes
)

var switches = []Switch{
	AllowEmpty, IgnoreDLFails, NoConversion, URLBeforeString, SubjectPlaceholders, EscapePlaceholders, Separate,
	Unsubscribe,
}

func (m *Mail) checkSwitches(f *faults) {
	for i, s := range m.Switches {
		if !slices.Contains(switches, s) {
			f.add(fmt.Sprintf("config[%d]", i), "%q is not known; allowed are %s",
				api.Brief(string(s)), list(switches))
		}
	}
}

// on reports whether the mail's config has a switch.
func (m *Mail) on(s Switch) bool {
	return slices.Contains(m.Switches, s)
}
