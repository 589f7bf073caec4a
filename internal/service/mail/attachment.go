package mail

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/compose"
	"frontdesk/internal/service/mail/contentid"
	"frontdesk/internal/service/mail/fetch"
)

// Limits of the attachments of a mail.
const (
	MaxAttachments = 50
	// maxCID is in bytes. A Content-ID field cannot be folded, so it must fit on one line of at most 998 bytes (RFC
	// 5322 section 2.1.1).
	maxCID = 900
)

// Attachment is a file. Its content comes with the request, or from a URL while the mail is sent.
type Attachment struct {
	URL      string
	Content  []byte // in place of the URL; nil if it is not given
	Filename string // "" lets the download decide
	Type     string // likewise
	CID      string // Content-ID without its angle brackets; "" for a file that the HTML does not refer to
}

// checkAttachments checks the attachments one by one, unless there are too many. A Content-ID may occur only once:
// otherwise a reader has to guess which file the HTML means.
func (m *Mail) checkAttachments(f *api.Faults) {
	if n := len(m.Attachments); n > MaxAttachments {
		f.AddTo("attachments", "are too many: %d; at most %d are allowed", n, MaxAttachments)
		return
	}
	cids := map[string]bool{}
	for i, a := range m.Attachments {
		field := fmt.Sprintf("attachments[%d]", i)
		a.checkSource(f, field)
		f.Check(field+".filename", compose.CheckValue(a.Filename))
		f.Check(field+".type", a.checkType())
		switch {
		case strings.IndexFunc(a.CID, func(c rune) bool { return c <= ' ' || c > '~' || c == '<' || c == '>' }) >= 0:
			f.AddTo(field+".cid", "must be visible ASCII characters other than < and >")
		case len(a.CID) > maxCID:
			f.AddTo(field+".cid", "is longer than %d bytes", maxCID)
		case a.CID != "" && cids[a.CID]:
			f.AddTo(field+".cid", "%q is used by another attachment", api.Brief(a.CID))
		}
		cids[a.CID] = true
	}
}

// inline reports whether the attachment's bytes came with the request. Empty content counts as not given.
func (a Attachment) inline() bool { return len(a.Content) > 0 }

// checkSource checks that an attachment has either content or a URL.
func (a Attachment) checkSource(f *api.Faults, field string) {
	switch {
	case a.inline() && a.URL != "":
		f.AddTo(field, "must have a url or content, not both")
	case !a.inline() && a.URL == "" && a.Content != nil:
		f.AddTo(field+".content", "is empty: give the file in base64, or a url in its place")
	case !a.inline() && a.URL == "":
		f.AddTo(field, "must have a url or content: where the file is, or the file in base64")
	}
	f.Check(field+".url", checkOptionalURL(a.URL))
}

// checkType checks the media type. An empty one is good: the download, the name or the bytes decide then.
func (a Attachment) checkType() error {
	if err := compose.CheckValue(a.Type); err != nil || a.Type == "" {
		return err
	}
	return fetch.CheckType(a.Type)
}

// file describes an attachment for the message, given its content. The name and type of the request win over those of
// the server.
func (a Attachment) file(f fetch.File) *compose.File {
	name, contentType := f.Describe(a.Filename, a.Type)
	return &compose.File{Name: name, ContentType: contentType, CID: a.CID, Body: f.Body}
}

// dropUnusedContentIDs returns the files, without the Content-IDs that the HTML does not use. Some mail readers hide a
// file with a Content-ID from their list of attachments: nobody would find it. Warnings name these files, and those
// that the HTML shows although the mail does not have them.
func dropUnusedContentIDs(given []compose.File, html string) (files []compose.File, warnings []string) {
	files = slices.Clone(given)
	var ids, unused []string
	for _, f := range files {
		if f.CID != "" {
			ids = append(ids, f.CID)
		}
	}
	named, unknown := contentid.Find(html, ids)
	for i, f := range files {
		if f.CID != "" && !named[f.CID] {
			unused = append(unused, f.CID)
			files[i].CID = ""
		}
	}
	if len(unknown) > 0 {
		cut := len(unknown) == contentid.MaxUnknown
		warnings = append(warnings,
			"html shows files by a cid that no attachment has: "+listSome(brief(unknown), cut))
	}
	if len(unused) > 0 {
		warnings = append(warnings,
			"attachments have a cid that html does not name: "+listSome(brief(unused), false))
	}
	return files, warnings
}

// brief shortens texts of a client for a warning.
func brief(texts []string) (short []string) {
	for _, text := range texts {
		short = append(short, api.Brief(text))
	}
	return short
}

// inlineBytes counts the bytes of the attachments that came with the request. They use up the same budget
// as downloads.
func (m *Mail) inlineBytes() int64 {
	n := 0
	for _, a := range m.Attachments {
		n += len(a.Content)
	}
	return int64(n)
}
