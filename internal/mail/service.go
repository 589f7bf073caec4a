package mail

import (
	"context"
	"errors"
	"net/mail"
	"os"
	"time"

	"frontdesk/internal/address"
	"frontdesk/internal/mail/compose"
	"frontdesk/internal/mail/fetch"
	"frontdesk/internal/mail/mailkey"
	"frontdesk/internal/mail/rejection"
	"frontdesk/internal/table"
)

const (
	// fetchWithin is the time from a request's start until which downloads may take.
	fetchWithin = 15 * time.Second
	// sendWithin is the time from a request's start by which SES must have been asked. What comes later is
	// not sent: the function might end before SES's answer, and nobody would know.
	sendWithin = 20 * time.Second
)

// Service sends mails.
type Service struct {
	Keys       mailkey.Keys
	Downloader *fetch.Downloader
	SES        *SES
	// DefaultSender is the sender of a mail that names none, with a mail key that has none. It may be the
	// zero Address.
	DefaultSender mail.Address
}

// FromEnvironment builds the service of a function: TABLE_NAME, DEFAULT_SENDER ("a@b" or "Name <a@b>", may
// be empty), SES_CONFIGURATION_SET (may be empty) and ALLOW_PRIVATE_DOWNLOADS ("true" lets downloads reach
// private addresses).
func FromEnvironment() (*Service, error) {
	t, err := table.FromEnvironment()
	if err != nil {
		return nil, err
	}
	s := &Service{
		Keys:       mailkey.Keys{Table: t},
		Downloader: fetch.NewDownloader(os.Getenv("ALLOW_PRIVATE_DOWNLOADS") == "true"),
		SES:        NewSES(os.Getenv("SES_CONFIGURATION_SET")),
	}
	if sender := os.Getenv("DEFAULT_SENDER"); sender != "" {
		if s.DefaultSender, err = mailkey.ParseSender(sender); err != nil {
			return nil, errors.New("DEFAULT_SENDER is not a sender such as a@b or Name <a@b>") // which the log does not repeat
		}
	}
	return s, nil
}

// send sends a mail: to all of its recipients, or to those whom the requests before with the same Idempotency-Key
// have left. Nothing is written or fetched before the mail has passed every rule. An error that is a [rejection.Error] is
// the sender's to know.
func (s *Service) send(ctx context.Context, m *Message, r *run) (result sent, warnings []string, err error) {
	sender, err := s.accept(r.key, m)
	switch {
	case err != nil && r.resumed(): // it passed once: the service's rules have changed since
		return sent{}, nil, rejection.Errorf("the mail may or may not have been sent: earlier requests asked SES to send it to some of its recipients; to the others it was not sent: %s", err)
	case err != nil:
		return sent{}, nil, err
	}
	mime := compose.Message{
		From: sender, To: m.Recipients, Cc: m.CCs, ReplyTo: m.ReplyTo,
		Subject: m.Subject, Date: r.start.UTC(), Fields: m.fields(),
	}
	whole := envelope{
		from: sender.Address, to: addresses(m.Recipients), cc: addresses(m.CCs), bcc: addresses(m.BCCs), tags: m.Tags,
	}
	if err := r.claim(ctx, whole.groups()); err != nil {
		return sent{}, nil, err
	}
	if _, left := r.pending(); left == 0 { // the requests before began them all
		result.ids, err = r.outcome()
		return result, nil, err
	}
	message, warnings, err := s.finish(ctx, r.start, m, mime)
	if rejected, ok := errors.AsType[*rejection.Error](err); ok && r.resumed() {
		r.leave(&sendError{reason: rejected.Reason, code: rejected.Code})
		result.ids, err = r.outcome() // which says what the requests before have sent
		return result, warnings, err
	}
	if err != nil {
		return sent{}, warnings, err
	}
	fault := s.deliver(ctx, r, message)
	if _, left := r.pending(); fault != nil && left == recipientsOf(r.groups) {
		return sent{}, warnings, fault // it hides nothing: nobody was sent anything
	}
	r.fault = fault
	ids, err := r.outcome()
	return sent{ids: ids, size: len(message)}, warnings, err
}

// accept holds a mail against every rule, and gives its sender.
func (s *Service) accept(key mailkey.Key, m *Message) (compose.Mailbox, error) {
	if err := m.check(); err != nil {
		return compose.Mailbox{}, err
	}
	return s.sender(key, m)
}

// finish makes a mail's message, which has its header already: it fetches what the mail points to, and writes
// the whole.
func (s *Service) finish(ctx context.Context, start time.Time, m *Message, mime compose.Message) (message []byte, warnings []string, err error) {
	fetching, cancel := context.WithDeadline(ctx, start.Add(fetchWithin))
	defer cancel()
	got, warnings, err := s.fetch(fetching, m)
	if err != nil {
		return nil, warnings, err
	}
	c, more, err := m.content(got)
	warnings = append(warnings, more...)
	if err != nil {
		return nil, warnings, err
	}
	mime.HTML, mime.Text, mime.Files = c.html, c.text, got.files
	got.files = nil // writing the message lets go of each file once it is encoded
	message = mime.Bytes()
	if len(message) > MaxSize {
		return nil, warnings, rejection.Errorf("the message is too large: it has %d bytes once encoded; at most %d are allowed", len(message), MaxSize)
	}
	return message, warnings, nil
}

// sender is whom a mail is from: the sender that it names, else its key's, else the default one. A sender
// that the mail names must be one that the key allows.
func (s *Service) sender(key mailkey.Key, m *Message) (compose.Mailbox, error) {
	switch {
	case m.Sender != nil:
		if !key.Allows(m.Sender.Address) {
			return compose.Mailbox{}, rejection.Errorf("sender.email %q is not one that this key may send as; it may send as %s", m.Sender.Address, list(key.From))
		}
		return *m.Sender, nil
	case key.Sender.Address != "":
		return mailbox(key.Sender), nil
	case s.DefaultSender.Address != "":
		return mailbox(s.DefaultSender), nil
	}
	return compose.Mailbox{}, rejection.Errorf("sender is missing, and neither the key nor the service has a default one")
}

// mailbox turns a sender that was checked when it was configured into what headers and the envelope hold.
func mailbox(sender mail.Address) compose.Mailbox {
	normal, _ := address.Parse(sender.Address)
	return compose.Mailbox{Name: sender.Name, Address: normal}
}

func addresses(boxes []compose.Mailbox) []string {
	list := make([]string, len(boxes))
	for i, b := range boxes {
		list[i] = b.Address
	}
	return list
}
