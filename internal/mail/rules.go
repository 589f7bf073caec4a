package mail

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/address"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/fetch"
	"frontdesk/internal/mail/rejection"
)

// maxListed is the number of faults, or of unknown fields, that one answer lists.
const maxListed = 20

// faults gathers what is wrong with a mail, so that its sender learns all of it at once.
type faults struct {
	listed []string
	more   int
}

func (f *faults) add(field, format string, args ...any) {
	if len(f.listed) == maxListed {
		f.more++
		return
	}
	f.listed = append(f.listed, field+" "+fmt.Sprintf(format, args...))
}

func (f *faults) check(field string, err error) {
	if err != nil {
		f.add(field, "%s", err)
	}
}

func (f *faults) rejection() error {
	if len(f.listed) == 0 {
		return nil
	}
	if f.more > 0 {
		f.listed = append(f.listed, fmt.Sprintf("and %d more", f.more))
	}
	return &rejection.Error{Reason: strings.Join(f.listed, "; ")}
}

// check holds a mail against every rule that needs nothing but the mail itself.
func (m *Mail) check() error {
	var f faults
	m.checkRecipients(&f)
	m.checkReplyTo(&f)
	m.checkHeaders(&f)
	m.checkTags(&f)
	f.check("subject", compose.CheckValue(m.Subject))
	f.check("htmlurl", checkOptionalURL(m.HTML.fetched(m.on(URLBeforeString))))
	f.check("texturl", checkOptionalURL(m.Text.fetched(m.on(URLBeforeString))))
	m.checkAttachments(&f)
	m.checkPlaceholders(&f)
	for i, s := range m.Switches {
		if !slices.Contains(switches, s) {
			f.add(fmt.Sprintf("config[%d]", i), "%q is not known; allowed are %s", rejection.Brief(string(s)), list(switches))
		}
	}
	return f.rejection()
}

func (m *Mail) checkRecipients(f *faults) {
	if len(m.Recipients) == 0 {
		f.add("recipients", "must name at least one recipient")
	}
	if n := len(m.Recipients) + len(m.CCs) + len(m.BCCs); n > MaxRecipients {
		f.add("recipients", "are too many: recipients, ccs and bccs are %d together; at most %d are allowed", n, MaxRecipients)
		return
	}
	for _, group := range []struct {
		field string
		list  []compose.Mailbox
	}{{"recipients", m.Recipients}, {"ccs", m.CCs}, {"bccs", m.BCCs}} {
		checkMailboxes(f, group.field, group.list)
	}
	if m.Sender != nil {
		checkMailbox(f, "sender", m.Sender)
	}
}

func checkMailboxes(f *faults, field string, list []compose.Mailbox) {
	for i := range list {
		checkMailbox(f, fmt.Sprintf("%s[%d]", field, i), &list[i])
	}
}

// checkMailbox holds a mailbox against the rules, and brings its address into the form that it has in headers and in
// the envelope.
func checkMailbox(f *faults, field string, box *compose.Mailbox) {
	var err error
	box.Address, err = address.Parse(box.Address)
	f.check(field+".email", err)
	f.check(field+".name", compose.CheckValue(box.Name))
}

func (m *Mail) checkAttachments(f *faults) {
	if n := len(m.Attachments); n > MaxAttachments {
		f.add("attachments", "are too many: %d; at most %d are allowed", n, MaxAttachments)
		return
	}
	cids := map[string]bool{}
	for i, a := range m.Attachments {
		field := fmt.Sprintf("attachments[%d]", i)
		a.checkSource(f, field)
		f.check(field+".filename", compose.CheckValue(a.Filename))
		switch {
		case strings.IndexFunc(a.CID, func(c rune) bool { return c <= ' ' || c > '~' || c == '<' || c == '>' }) >= 0:
			f.add(field+".cid", "must be visible ASCII characters other than < and >")
		case len(a.CID) > maxCID:
			f.add(field+".cid", "is longer than %d bytes", maxCID)
		case a.CID != "" && cids[a.CID]:
			f.add(field+".cid", "%q is used by another attachment", rejection.Brief(a.CID))
		}
		cids[a.CID] = true
	}
}

// maxCID keeps a Content-ID field, which cannot be folded, on one line of at most 998 bytes (RFC 5322
// section 2.1.1).
const maxCID = 900

func (m *Mail) checkPlaceholders(f *faults) {
	names := map[string]bool{}
	for i, p := range m.Placeholders {
		field := fmt.Sprintf("placeholders[%d].name", i)
		switch {
		case p.Name == "":
			f.add(field, "is missing")
		case strings.ContainsAny(p.Name, "{}"):
			f.add(field, "must not contain a brace")
		case names[p.Name]:
			f.add(field, "%q is given twice (names are compared in upper case)", rejection.Brief(p.Name))
		}
		names[p.Name] = true
	}
}

// checkOptionalURL is the rule for a field that holds a URL to fetch, or nothing.
func checkOptionalURL(s string) error {
	if s == "" {
		return nil
	}
	return fetch.CheckURL(s)
}

func list[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = string(item)
	}
	return strings.Join(words, ", ")
}
