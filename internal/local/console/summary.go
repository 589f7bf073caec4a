package console

import (
	"net/http"
	"net/mail"
	"strings"
	"sync"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/ses"
)

// summary is what the list shows of a mail beside the outbox's entry.
type summary struct {
	digest
	Warnings []string `json:"warnings"` // of the API, to the request that the mail was sent for
}

// digest is what a message says of itself, which never changes.
type digest struct {
	People   map[string]string `json:"people"`   // those with a name, as "Ada <ada@example.org>", by the bare address
	Files    int               `json:"files"`    // attachments that are not part of the HTML
	Troubles []string          `json:"troubles"` // what would trouble its readers
}

func newDigest(raw []byte) digest {
	d := digest{People: map[string]string{}}
	m := readMessage(raw)
	d.Troubles = m.Troubles
	for _, file := range m.Attachments {
		if file.CID == "" || !m.HTML {
			d.Files++
		}
	}
	for _, h := range m.Headers {
		switch strings.ToLower(h.Name) {
		case "from", "to", "cc", "bcc", "reply-to":
			d.name(h.Raw)
		}
	}
	return d
}

// name adds the people of a list of addresses (RFC 5322 section 3.4), as far as it is one.
func (d digest) name(list string) {
	people, _ := (&mail.AddressParser{WordDecoder: decoder()}).ParseList(list)
	for _, p := range people {
		if p.Name != "" {
			d.People[strings.ToLower(p.Address)] = p.Name + " <" + p.Address + ">"
		}
	}
}

// digests keeps those of the mails that there are: a list is read again with each change. The zero value is empty. It
// is safe for concurrent use.
type digests struct {
	mu   sync.Mutex
	byID map[string]digest
}

// of takes a message apart where it is not known yet.
func (d *digests) of(id string, raw []byte) digest {
	d.mu.Lock()
	known, ok := d.byID[id]
	d.mu.Unlock()
	if ok {
		return known
	}
	made := newDigest(raw)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byID == nil {
		d.byID = map[string]digest{}
	}
	d.byID[id] = made
	return made
}

// keep forgets all others.
func (d *digests) keep(mails []ses.Mail) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept := make(map[string]digest, len(mails))
	for _, m := range mails {
		if one, ok := d.byID[m.ID]; ok {
			kept[m.ID] = one
		}
	}
	d.byID = kept
}

func (s screen) summary(m ses.Mail, raw []byte, warnings map[string][]string) summary {
	return summary{s.digests.of(m.ID, raw), append([]string{}, warnings[m.RequestID]...)} // in JSON, never null
}

// serveSummaries answers with those of all mails, by their ids.
func (s screen) serveSummaries(w http.ResponseWriter, r *http.Request) {
	mails, warnings := s.mails(), s.warnings()
	s.digests.keep(mails)
	all := make(map[string]summary, len(mails))
	for _, m := range mails {
		if r.Context().Err() != nil {
			return
		}
		if raw, ok := s.raw(m.ID); ok {
			all[m.ID] = s.summary(m, raw, warnings)
		}
	}
	httpbody.WriteJSON(w, all)
}
