package console

import (
	"net/http"
	"net/mail"
	"strings"
	"sync"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/ses"
)

// summary is what the list shows of a mail besides the outbox's entry.
type summary struct {
	digest
	Warnings []string `json:"warnings"` // of the API, in its answer to the request that sent the mail
}

// digest is what the list needs of a message, which never changes.
type digest struct {
	People   map[string]string `json:"people"`   // people with a name, as "Ada <ada@example.org>", by bare address
	Files    int               `json:"files"`    // attachments that the HTML does not show
	Troubles []string          `json:"troubles"` // problems for its readers
}

// newDigest takes a message apart for the list.
func newDigest(raw []byte) digest {
	d := digest{People: map[string]string{}}
	m := readMessage(raw)
	d.Troubles = m.Troubles
	for _, file := range m.Attachments {
		if !file.InHTML {
			d.Files++
		}
	}
	for _, h := range m.Headers {
		switch strings.ToLower(h.Name) {
		case "from", "to", "cc", "bcc", "reply-to":
			// Raw, because a decoded name could contain a comma, which would split the list.
			d.name(h.Raw)
		}
	}
	return d
}

// name adds the people in a list of addresses (RFC 5322 section 3.4). It ignores what is no such list.
func (d digest) name(list string) {
	people, _ := (&mail.AddressParser{WordDecoder: decoder()}).ParseList(list)
	for _, p := range people {
		if p.Name != "" {
			d.People[strings.ToLower(p.Address)] = p.Name + " <" + p.Address + ">"
		}
	}
}

// digests caches the digests of existing mails, because a list is read again after each change. The zero value is
// empty. It is safe for concurrent use.
type digests struct {
	mu   sync.Mutex
	byID map[string]digest
}

// digest returns the digest of a mail, and makes it if it is not cached.
func (d *digests) digest(id string, raw []byte) digest {
	d.mu.Lock()
	known, ok := d.byID[id]
	d.mu.Unlock()
	if ok {
		return known
	}
	// Without the lock: a message of 40 MB takes a while. Two requests may make the same digest, which does no harm.
	made := newDigest(raw)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byID == nil {
		d.byID = map[string]digest{}
	}
	d.byID[id] = made
	return made
}

// keepOnly drops the digests of all other mails.
func (d *digests) keepOnly(mails []ses.Mail) {
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

// summary combines what the message says with the API's warnings.
func (s screen) summary(m ses.Mail, raw []byte, warnings map[string][]string) summary {
	// The list is never null in JSON.
	return summary{s.digests.digest(m.ID, raw), append([]string{}, warnings[m.RequestID]...)}
}

// serveSummaries answers with the summaries of all mails, by id.
func (s screen) serveSummaries(w http.ResponseWriter, r *http.Request) {
	mails, warnings := s.mails(), s.warnings()
	s.digests.keepOnly(mails)
	all := make(map[string]summary, len(mails))
	for _, m := range mails {
		if r.Context().Err() != nil {
			return
		}
		if raw, ok := s.raw(m.ID); ok {
			all[m.ID] = s.summary(m, raw, warnings)
		}
	}
	httpserver.WriteJSON(w, all)
}
