package mail

import (
	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/delivery"
)

// check checks every rule that needs nothing but the mail itself. The order of the calls is the order in the answer.
func (m *Mail) check() error {
	f := api.Faults{Between: "; ", Most: maxListed}
	m.checkNames(&f)
	badRecipients := m.checkRecipients(&f)
	m.checkReplyTo(&f)
	m.checkHeaders(&f)
	m.checkTags(&f)
	f.Check("subject", compose.CheckValue(m.Subject))
	f.Check("htmlurl", checkOptionalURL(m.HTML.urlToFetch(m.on(URLBeforeString))))
	f.Check("texturl", checkOptionalURL(m.Text.urlToFetch(m.on(URLBeforeString))))
	m.checkAttachments(&f)
	m.checkPlaceholders(&f)
	m.checkSeparate(&f)
	m.checkUnsubscribe(&f)
	m.checkSwitches(&f)
	code := Invalid
	if f.Len() == badRecipients {
		code = InvalidRecipient // a program may drop these, and send the mail to the others
	}
	if err := f.Err(); err != nil {
		return delivery.Rejectf(code, "%s", err)
	}
	return nil
}
