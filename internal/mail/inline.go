package mail

import "frontdesk/internal/mail/compose"

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
	f.check(field+".url", checkURL(a.URL))
}

// file is an attachment that is in the request, under the rules for one that was fetched without a word on its
// name or type.
func (a Attachment) file() *compose.File {
	contentType := typeOf("", []string{a.Filename}, a.Content)
	return &compose.File{Name: filename(a, file{}, contentType), ContentType: contentType, CID: a.CID, Body: a.Content}
}

// inlineBytes is the size of all attachments that are in the request.
func (m *Message) inlineBytes() int64 {
	n := 0
	for _, a := range m.Attachments {
		n += len(a.Content)
	}
	return int64(n)
}
