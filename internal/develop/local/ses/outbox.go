package ses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/develop/local/awsform"
)

// Mail is a message that the SES endpoint accepted. [Outbox.Raw] returns its bytes.
type Mail struct {
	ID         string            `json:"id"`          // SES's message id
	RequestID  string            `json:"request_id"`  // of the API request that sent it; "" if it has none
	From       string            `json:"from"`        // as the function sent it
	To         []string          `json:"to"`          // the envelope: every To, Cc and Bcc recipient
	Cc         []string          `json:"cc"`          // those of To that were sent as Cc
	Bcc        []string          `json:"bcc"`         // those of To that were sent as Bcc
	Tags       map[string]string `json:"tags"`        // SES's message tags
	Subject    string            `json:"subject"`     // of the message, decoded
	Size       int               `json:"size"`        // of the raw message, in bytes
	ReceivedAt time.Time         `json:"received_at"` // UTC
	Status     string            `json:"status"`      // from its events: sent, delivered, bounced, …; or ""
	Reason     string            `json:"reason"`      // if it failed: the detail of the last event with this status
	Outcomes   map[string]string `json:"outcomes"`    // status of each recipient, by bare address
	Events     []Event           `json:"events"`      // by time
}

// filled replaces nil by empty values, so that the JSON contains no null. Mails of earlier versions lack some fields.
func (m Mail) filled() Mail {
	m.Cc, m.Bcc, m.Events = append([]string{}, m.Cc...), append([]string{}, m.Bcc...), append([]Event{}, m.Events...)
	if m.Tags == nil {
		m.Tags = map[string]string{}
	}
	m.Status, m.Outcomes = outcome(m.Events)
	m.Reason = reason(m.Events, m.Status)
	return m
}

// Outbox keeps the mails that functions have sent: in a folder, each as <id>.eml and <id>.json, or in memory. In memory
// it keeps the last 1,000 mails, and at most 256 MB of them.
//
// As an http.Handler it serves the paths in outboxpage.go.
type Outbox struct {
	folder  string // empty keeps mails in memory
	changed func() // called for every new or deleted mail, and for every event
	mux     *http.ServeMux

	mu    sync.Mutex
	mails []Mail            // oldest first
	raw   map[string][]byte // by id, when in memory
	size  int               // of raw, in bytes
}

const (
	// Limits in memory. The oldest mails make room for new ones.
	maxMails     = 1000
	maxMailBytes = 256 << 20
)

// OpenOutbox opens the outbox in a folder, which it creates if necessary. With an empty folder the outbox is in memory.
// It calls changed for every new or deleted mail and for every event. Changed must not call the outbox.
func OpenOutbox(folder string, changed func()) (*Outbox, error) {
	o := &Outbox{folder: folder, changed: changed, mux: http.NewServeMux(), raw: map[string][]byte{}}
	o.handle()
	if folder == "" {
		return o, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make outbox: %w", err)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".json" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read outbox: %w", err)
		}
		var m Mail
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("read outbox: %s: %w", file.Name(), err)
		}
		o.mails = append(o.mails, m.filled())
	}
	// File names do not sort by time within the same millisecond.
	slices.SortFunc(o.mails, func(a, b Mail) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	return o, nil
}

// Mails returns the captured mails, newest first.
func (o *Outbox) Mails() []Mail {
	o.mu.Lock()
	defer o.mu.Unlock()
	mails := slices.Clone(o.mails)
	slices.Reverse(mails)
	return mails
}

// Raw returns a message exactly as the function sent it. It returns false if there is none with this id.
func (o *Outbox) Raw(id string) ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.folder == "" {
		raw, ok := o.raw[id]
		return raw, ok
	}
	// Only ids of known mails become names of files, so an id cannot lead out of the folder.
	if !slices.ContainsFunc(o.mails, func(m Mail) bool { return m.ID == id }) {
		return nil, false
	}
	raw, err := os.ReadFile(filepath.Join(o.folder, id+".eml"))
	return raw, err == nil
}

// Add keeps a mail as if a function had sent it. It sets the id, the time, the size and the subject. The outbox owns
// raw from then on.
func (o *Outbox) Add(m Mail, raw []byte) (Mail, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m = m.filled()
	m.Subject, m.Size, m.ReceivedAt = subject(raw), len(raw), time.Now().UTC()
	// The form of SES's message ids: the time in milliseconds, in hexadecimal, and random parts.
	m.ID = fmt.Sprintf("0100%012x-%s-000000", m.ReceivedAt.UnixMilli(), awsform.UUID())
	if o.folder == "" {
		o.keep(m, raw)
		o.changed()
		return m, nil
	}
	// The message first, so that a .json always has its .eml.
	if err := errors.Join(o.writeFile(m.ID+".eml", raw), o.writeEntry(m)); err != nil {
		return Mail{}, err
	}
	o.mails = append(o.mails, m)
	o.changed()
	return m, nil
}

// keep keeps a mail in memory, and drops the oldest ones to make room.
func (o *Outbox) keep(m Mail, raw []byte) {
	o.mails = append(o.mails, m)
	o.raw[m.ID] = raw
	o.size += len(raw)
	for len(o.mails) > maxMails || o.size > maxMailBytes {
		oldest := o.mails[0]
		o.mails = slices.Delete(o.mails, 0, 1)
		o.size -= oldest.Size
		delete(o.raw, oldest.ID)
	}
}

// Delete deletes the mails with these ids, and returns how many there were.
func (o *Outbox) Delete(ids ...string) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id] = true
	}
	before := len(o.mails)
	var failed error
	o.mails = slices.DeleteFunc(o.mails, func(m Mail) bool {
		if !named[m.ID] {
			return false
		}
		if o.folder != "" { // the entry first, so that a .json always has its .eml
			err := os.Remove(filepath.Join(o.folder, m.ID+".json"))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				failed = errors.Join(failed, fmt.Errorf("delete mail: %w", err))
				return false
			}
			_ = os.Remove(filepath.Join(o.folder, m.ID+".eml")) // without its entry nothing finds it
		} else {
			o.size -= m.Size
			delete(o.raw, m.ID)
		}
		return true
	})
	if len(o.mails) < before {
		o.changed()
	}
	return before - len(o.mails), failed
}

// writeEntry writes the .json of a mail, which makes the mail exist.
func (o *Outbox) writeEntry(m Mail) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode mail: %w", err)
	}
	return o.writeFile(m.ID+".json", text)
}

// writeFile writes a whole file or none.
func (o *Outbox) writeFile(name string, content []byte) error {
	// A name with .tmp is not read again, so a write that breaks off leaves no half of a mail.
	path := filepath.Join(o.folder, name)
	err := os.WriteFile(path+".tmp", content, 0o600)
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	return nil
}

// maxMailHeader is how much of a message is parsed for its header, in bytes.
const maxMailHeader = 1 << 20

// subject returns the decoded Subject of a message, or "".
func subject(raw []byte) string {
	message, err := mail.ReadMessage(bytes.NewReader(raw[:min(len(raw), maxMailHeader)]))
	if err != nil {
		return ""
	}
	encoded := message.Header.Get("Subject")
	if decoded, err := new(mime.WordDecoder).DecodeHeader(encoded); err == nil {
		return decoded
	}
	return encoded
}
