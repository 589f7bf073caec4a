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
	"strings"
	"sync"
	"time"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/identifier"
)

// Mail is a message that the SES endpoint took. Its bytes are Outbox.Raw.
type Mail struct {
	ID         string    `json:"id"`          // SES's message id
	From       string    `json:"from"`        // as the function gave it
	To         []string  `json:"to"`          // the envelope: every To, Cc and Bcc recipient
	Subject    string    `json:"subject"`     // of the message, decoded
	Size       int       `json:"size"`        // of the raw message, in bytes
	ReceivedAt time.Time `json:"received_at"` // UTC
	Status     string    `json:"status"`      // what its events say: sent, delivered, bounced, …; "" without any
	Events     []Event   `json:"events"`      // by their times
}

// Outbox keeps the mails that functions have sent: in a folder, each as <id>.eml and <id>.json, or in memory, where
// only the last 1,000 mails and 256 MB of them stay.
//
// As an http.Handler it serves GET /_local/outbox, a JSON array of Mail, newest first; /_local/outbox/<id>, one of
// them; and /_local/outbox/<id>.eml, the message as it was sent.
type Outbox struct {
	folder  string // empty: in memory
	changed func() // called for every new mail
	mux     *http.ServeMux

	mu    sync.Mutex
	mails []Mail            // oldest first
	raw   map[string][]byte // by id, when in memory
	size  int               // of raw, in bytes
}

const (
	maxMails     = 1000
	maxMailBytes = 256 << 20
)

// OpenOutbox opens the outbox in a folder, which is made if need be, or with an empty folder one in memory. It calls
// changed for every new mail, which must not call back.
func OpenOutbox(folder string, changed func()) (*Outbox, error) {
	o := &Outbox{folder: folder, changed: changed, mux: http.NewServeMux(), raw: map[string][]byte{}}
	o.mux.HandleFunc("GET /_local/outbox", o.serveList)
	o.mux.HandleFunc("GET /_local/outbox/{id}", o.serveMail)
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
		m := Mail{Events: []Event{}} // those of an earlier version have none
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("read outbox: %s: %w", file.Name(), err)
		}
		o.mails = append(o.mails, m)
	}
	slices.SortFunc(o.mails, func(a, b Mail) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	return o, nil
}

// Mails are the captured mails, newest first.
func (o *Outbox) Mails() []Mail {
	o.mu.Lock()
	defer o.mu.Unlock()
	mails := slices.Clone(o.mails)
	slices.Reverse(mails)
	return mails
}

// Raw is a message byte by byte as the function sent it; false if there is none with this id.
func (o *Outbox) Raw(id string) ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.folder == "" {
		raw, ok := o.raw[id]
		return raw, ok
	}
	if !slices.ContainsFunc(o.mails, func(m Mail) bool { return m.ID == id }) {
		return nil, false
	}
	raw, err := os.ReadFile(filepath.Join(o.folder, id+".eml"))
	return raw, err == nil
}

// Add keeps a mail as if a function had sent it, and gives it an id. The outbox owns raw from here on.
func (o *Outbox) Add(from string, to []string, raw []byte) (Mail, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now().UTC()
	m := Mail{From: from, To: to, Subject: subject(raw), Size: len(raw), ReceivedAt: now, Events: []Event{}}
	m.ID = fmt.Sprintf("0100%012x-%s-000000", m.ReceivedAt.UnixMilli(), identifier.UUID())
	if o.folder == "" {
		o.keep(m, raw)
		o.changed()
		return m, nil
	}
	// The message first: a .json has its .eml.
	if err := errors.Join(o.writeFile(m.ID+".eml", raw), o.writeEntry(m)); err != nil {
		return Mail{}, err
	}
	o.mails = append(o.mails, m)
	o.changed()
	return m, nil
}

// keep keeps a mail in memory, and removes the oldest ones to make room.
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

func (o *Outbox) writeEntry(m Mail) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode mail: %w", err)
	}
	return o.writeFile(m.ID+".json", text)
}

// writeFile leaves the whole file or none.
func (o *Outbox) writeFile(name string, content []byte) error {
	path := filepath.Join(o.folder, name)
	err := os.WriteFile(path+".tmp", content, 0o644)
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	return nil
}

// maxMailHeader is how much of a message is read for its subject, in bytes.
const maxMailHeader = 1 << 20

// subject is the decoded Subject of a message, empty when there is none.
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

func (o *Outbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { o.mux.ServeHTTP(w, r) }

func (o *Outbox) serveList(w http.ResponseWriter, _ *http.Request) {
	httpbody.WriteJSON(w, append([]Mail{}, o.Mails()...)) // never null
}

func (o *Outbox) serveMail(w http.ResponseWriter, r *http.Request) {
	id, wantRaw := strings.CutSuffix(r.PathValue("id"), ".eml")
	mails := o.Mails()
	i := slices.IndexFunc(mails, func(m Mail) bool { return m.ID == id })
	if i >= 0 && !wantRaw {
		httpbody.WriteJSON(w, mails[i])
		return
	}
	raw, ok := o.Raw(id)
	if !ok || !wantRaw {
		httpbody.WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	w.Header().Set("Content-Type", "message/rfc822")
	w.Write(raw)
}
