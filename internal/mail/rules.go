package mail

import "frontdesk/internal/mail/compose"

// check checks every rule that needs nothing but the mail itself. The order of the calls is the order in the answer.
func (m *Mail) check() error {
	var f faults
	m.checkNames(&f)
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
	m.checkUnsubscribe(&f)
	m.checkSwitches(&f)
	return f.rejection()
}
