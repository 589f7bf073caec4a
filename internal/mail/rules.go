package mail

import (
	"fmt"
	"slices"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/rejection"
)

// check holds a mail against every rule that needs nothing but the mail itself.
func (m *Mail) check() error {
	var f faults
	m.checkRecipients(&f)
	m.checkReplyTo(&f)
	m.checkHeaders(&f)
	m.checkTags(&f)
	f.check("subject", compose.CheckValue(m.Subject))
	f.check("htmlurl", checkOptionalURL(m.HTML.urlToFetch(m.on(URLBeforeString))))
	f.check("texturl", checkOptionalURL(m.Text.urlToFetch(m.on(URLBeforeString))))
	m.checkAttachments(&f)
	m.checkPlaceholders(&f)
	m.checkSeparate(&f)
	for i, s := range m.Switches {
		if !slices.Contains(switches, s) {
			f.add(fmt.Sprintf("config[%d]", i), "%q is not known; allowed are %s",
				rejection.Brief(string(s)), list(switches))
		}
	}
	return f.rejection()
}
