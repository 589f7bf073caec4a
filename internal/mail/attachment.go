package mail

import (
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/fetch"
)

// inline reports whether the attachment is in the request itself, and not fetched.
func (a Attachment) inline() bool { return len(a.Content) > 0 }

// checkSource holds an attachment against the rule that it comes from one place.
func (a Attachment) checkSource(f *faults, field string) {
	switch {
	case a.inline() && a.URL != "":
		f.add(field, "must have a url or content, not both")
	case !a.inline() && a.URL == "":
		f.add(field, "must have a url or content")
	}
	f.check(field+".url", checkOptionalURL(a.URL))
}

// part is an attachment as the message has it, of a file that came with the mail or that was fetched.
func (a Attachment) part(f fetch.File) *compose.File {
	name, contentType := f.Describe(a.Filename)
	return &compose.File{Name: name, ContentType: contentType, CID: a.CID, Body: f.Body}
}

// inlineBytes is the size of all attachments that are in the request.
func (m *Mail) inlineBytes() int64 {
	n := 0
	for _, a := range m.Attachments {
		n += len(a.Content)
	}
	return int64(n)
}
