package mail

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/fetch"
	"frontdesk/internal/mail/rejection"
)

// maxListed is the number of faults, or of unknown fields, that one answer lists.
const maxListed = 20

// faults gathers what is wrong with a mail, so that its sender learns all of it at once.
type faults struct {
	listed     []string
	more       int
	recipients int // the faults of recipients' addresses
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
	code := rejection.Invalid
	if f.recipients == len(f.listed)+f.more {
		code = rejection.InvalidRecipient
	}
	if f.more > 0 {
		f.listed = append(f.listed, fmt.Sprintf("and %d more", f.more))
	}
	return rejection.Errorf(code, "%s", strings.Join(f.listed, "; "))
}

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

// checkOptionalURL is the rule for a field that holds a URL to fetch, or nothing.
func checkOptionalURL(s string) error {
	if s == "" {
		return nil
	}
	return fetch.CheckURL(s)
}

// list writes words as a sentence has them.
func list[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = string(item)
	}
	return strings.Join(words, ", ")
}
