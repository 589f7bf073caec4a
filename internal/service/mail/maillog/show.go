package maillog

import (
	"context"
	"slices"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/service/mail/mailkey"
)

// ShowFunction is the endpoint GET /mails/{mail_id}.
func (s *Service) ShowFunction() api.Function {
	return api.Function{Handle: mailkey.Endpoint(mailkey.Keys{Table: s.Table}, decodeMailID, s.show)}
}

// errNotFound is the same for every reason why a mail is not shown: nobody can find out which ids exist.
var errNotFound = api.Errorf(api.NotFound, "There is no such mail, or nothing is known of it yet")

// Mail is what became of a mail.
type Mail struct {
	ID         string      `json:"id"` // SES's
	Status     Status      `json:"status"`
	From       string      `json:"from"`
	Subject    string      `json:"subject"`
	SentAt     time.Time   `json:"sent_at"`
	Recipients []Recipient `json:"recipients"`
	Redirected bool        `json:"redirected,omitempty"` // Recipients got it in place of the original ones
	Events     []Event     `json:"events,omitempty"`     // oldest first; a list has none
	// MoreEvents reports that there are earlier events.
	MoreEvents bool `json:"more_events,omitempty"`
}

// Event is what SES said of a mail, for some of its recipients.
type Event struct {
	Type       Status    `json:"type"`
	At         time.Time `json:"at"`
	Recipients []string  `json:"recipients"` // empty if SES names no recipient of the mail
	Detail     string    `json:"detail,omitempty"`
}

func decodeMailID(r *api.Request) (string, error) {
	mailID := r.PathParameters["mail_id"]
	if !isMailID(mailID) {
		return "", errNotFound
	}
	return mailID, nil
}

// show answers what became of a mail. It reads the last 1 MB of events in one round trip, which always fits into an
// answer. The last events matter most: they decide the statuses, as a rule.
func (s *Service) show(ctx context.Context, _ *api.Request, key mailkey.Key, mailID string) (api.Response, error) {
	events := table.MailEvent(mailID, "")
	items, last, err := table.QueryNewest[eventItem](ctx, s.Table, events.PK, events.SK, events.SK+"~", 0)
	if err != nil {
		return api.Response{}, err
	}
	slices.Reverse(items)
	m := s.mailOf(mailID, key.ID, items)
	if m == nil {
		return api.Response{}, errNotFound
	}
	m.MoreEvents = last != ""
	return api.Response{Body: struct {
		Payload *Mail `json:"payload"`
	}{m}}, nil
}

// mailOf builds a mail from its events, which are in the order of their times. It ignores events of other mail keys,
// and those that have left the log. It is nil if none remain.
func (s *Service) mailOf(mailID string, key id.ID, items []eventItem) *Mail {
	var m *Mail
	var outcomes []Status  // of the recipients
	var elsewhere []Status // of addresses that the mail was not sent to
	index := map[string]int{}
	note := func(to string, outcome Status, at time.Time, detail string) {
		i, known := index[to]
		if !known {
			i, index[to] = len(outcomes), len(outcomes)
			outcomes = append(outcomes, outcome)
			m.Recipients = append(m.Recipients, Recipient{Email: to})
		}
		// Of several events with the same outcome the latest one counts, and the items are in the order of time.
		if !known || outcome.compare(outcomes[i]) >= 0 {
			outcomes[i] = outcome
			m.Recipients[i] = Recipient{Email: to, Status: outcome.shown(), At: &at, Detail: detail}
		}
	}
	for _, item := range items {
		if item.MailKey != key || !item.SentAt.After(s.oldest()) {
			continue
		}
		if m == nil {
			m = &Mail{
				ID: mailID, From: item.From, Subject: item.Subject, SentAt: item.SentAt, Redirected: item.Redirected,
			}
			for _, to := range item.To {
				note(to, Sent, item.SentAt, "")
			}
		}
		for _, to := range item.Recipients {
			note(to, item.Outcome, item.At, item.Detail)
		}
		if len(item.Recipients) == 0 {
			elsewhere = append(elsewhere, item.Outcome)
		}
		m.Events = append(m.Events, Event{
			Type: item.Outcome.shown(), At: item.At,
			Recipients: append([]string{}, item.Recipients...), Detail: item.Detail,
		})
	}
	if m != nil {
		m.Status = mailStatus(m.Recipients, elsewhere)
	}
	return m
}
