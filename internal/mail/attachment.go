package mail

import (
	"fmt"
	"strings"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/contentid"
	"frontdesk/internal/mail/fetch"
)

// Limits of the attachments of a mail.
const (
	MaxAttachments = 50
	// maxCID, in bytes, keeps a Content-ID field, which cannot be folded, on one line of at most 998 bytes (RFC 5322
	// section 2.1.1).
	maxCID = 900
)

// Attachment is a file that came with the request, or one that is fetched when the mail is sent.
type Attachment struct {
	URL      string
	Content  []byte // in place of the URL
	Filename string // "" lets the download decide
	Type     string // likewise
	CID      string // Content-ID without its angle brackets; "" for a file that the HTML does not refer to
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
		f.check(field+".type", a.checkType())
		switch {
		case strings.IndexFunc(a.CID, func(c rune) bool { return c <= ' ' || c > '~' || c == '<' || c == '>' }) >= 0:
			f.add(field+".cid", "must be visible ASCII characters other than < and >")
		case len(a.CID) > maxCID:
			f.add(field+".cid", "is longer than %d bytes", maxCID)
		case a.CID != "" && cids[a.CID]:
			f.add(field+".cid", "%q is used by another attachment", api.Brief(a.CID))
		}
		cids[a.CID] = true
	}
}

// inline reports whether the attachment came with the request.
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

func (a Attachment) checkType() error {
	if err := compose.CheckValue(a.Type); err != nil || a.Type == "" {
		return err
	}
	return fetch.CheckType(a.Type)
}

// file is the attachment as the message has it, given the file that came with the request or was fetched.
func (a Attachment) file(f fetch.File) *compose.File {
	name, contentType := f.Describe(a.Filename, a.Type)
	return &compose.File{Name: name, ContentType: contentType, CID: a.CID, Body: f.Body}
}

// attachUnnamed makes ordinary attachments, which no Content-ID hides from the reader's list, of files that the HTML
// does not name.
func attachUnnamed(files []compose.File, html *string) {
	var ids []string
	for _, f := range files {
		if f.CID != "" {
			ids = append(ids, f.CID)
		}
	}
	var named map[string]bool
	if html != nil && len(ids) > 0 {
		named = contentid.Named(*html, ids)
	}
	for i := range files {
		if !named[files[i].CID] {
			files[i].CID = ""
		}
	}
}

// inlineBytes is the size of all attachments that came with the request.
func (m *Mail) inlineBytes() int64 {
	n := 0
	for _, a := range m.Attachments {
		n += len(a.Content)
	}
	return int64(n)
}
