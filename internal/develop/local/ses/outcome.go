package ses

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/develop/local/eventbridge"
)

// Event is what the outbox keeps of a mail's event.
type Event struct {
	ID         string    `json:"id"`   // EventBridge's id
	Type       string    `json:"type"` // as SES names it: Send, Delivery, Bounce, Complaint, Reject, DeliveryDelay
	At         time.Time `json:"at"`
	Recipients []string  `json:"recipients"`
	Detail     string    `json:"detail"` // the response of the recipient's server, or the kind of bounce
	Status     string    `json:"status"` // that this event alone gives its recipients; "" for an automatic answer
	// Webhook is what the webhook answered last, such as "204 No Content"; "" if none was called.
	Webhook string `json:"webhook"`
}

// AddEvent records an event of a mail, once. An event of an unknown mail is ignored.
func (o *Outbox) AddEvent(e eventbridge.Event) {
	o.update(e, func(events []Event, d detail) []Event {
		if slices.ContainsFunc(events, func(known Event) bool { return known.ID == e.ID }) {
			return events
		}
		events = append(events, d.event(e.ID))
		slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
		return events
	})
}

// SetWebhook records what a webhook answered to an event of a mail, in place of its answer before.
func (o *Outbox) SetWebhook(e eventbridge.Event, answer string) {
	o.update(e, func(events []Event, _ detail) []Event {
		for i := range events {
			if events[i].ID == e.ID {
				events[i].Webhook = answer
			}
		}
		return events
	})
}

// update changes the events of the mail that an event is about. The function gets a copy of them, because Mails has
// returned the old slice.
func (o *Outbox) update(e eventbridge.Event, change func([]Event, detail) []Event) {
	var d detail
	if e.Source != "aws.ses" || json.Unmarshal(e.Detail, &d) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.mails, func(m Mail) bool { return m.ID == d.Mail.MessageID })
	if i < 0 {
		return
	}
	m := &o.mails[i]
	m.Events = change(slices.Clone(m.Events), d)
	m.Status, m.Outcomes = outcome(m.Events)
	m.Reason = reason(m.Events, m.Status)
	if o.folder != "" {
		_ = o.writeEntry(*m) // the events are only shown, so an error does no harm
	}
	o.changed()
}

// event reduces the detail of an event to what the outbox keeps.
func (d detail) event(id string) Event {
	e := Event{ID: id, Type: d.Type, At: d.Mail.Timestamp.Time}
	for _, to := range d.Mail.Destination {
		e.Recipients = append(e.Recipients, bare(to))
	}
	// some fills in an event that has recipients of its own: a diagnostic text of a recipient is more exact than
	// the type.
	some := func(at timestamp, detail string, to []recipient) {
		e.At, e.Detail, e.Recipients = at.Time, detail, nil
		for _, r := range to {
			e.Recipients = append(e.Recipients, r.Email)
			if r.Diagnostic != "" {
				e.Detail = r.Diagnostic
			}
		}
	}
	switch {
	case d.Send != nil:
		e.Status = "sent"
	case d.Reject != nil:
		e.Status, e.Detail = "rejected", d.Reject.Reason
	case d.Delivery != nil:
		e.At, e.Recipients, e.Detail = d.Delivery.Timestamp.Time, d.Delivery.Recipients, d.Delivery.SMTPResponse
		e.Status = "delivered"
	case d.DeliveryDelay != nil:
		some(d.DeliveryDelay.Timestamp, d.DeliveryDelay.Type, d.DeliveryDelay.Recipients)
		e.Status = "delayed"
	case d.Complaint != nil:
		some(d.Complaint.Timestamp, d.Complaint.FeedbackType, d.Complaint.Recipients)
		e.Status = "complained"
		if d.Complaint.SubType != nil {
			e.Status, e.Detail = "suppressed", *d.Complaint.SubType
		}
	case d.Bounce != nil:
		b := d.Bounce
		some(b.Timestamp, b.Type+" "+b.SubType, b.Recipients)
		e.Status = "bounced"
		// SES did not try to send. The subtype Suppressed stands for AWS's global list, OnAccountSuppressionList for
		// that of the account.
		if strings.Contains(b.SubType, "Suppress") {
			e.Status = "suppressed"
		} else if b.Type+b.SubType == "TransientGeneral" {
			e.Status = ""
		}
	}
	return e
}

// outcome returns the status of each recipient, and the status of the mail, which is the worst of those. If events
// contradict each other, the one that is later in order wins, whichever came first.
func outcome(events []Event) (status string, byRecipient map[string]string) {
	// A mail is never "delivered" again after it bounced, but any recipient may still complain.
	order := []string{"", "sent", "delayed", "delivered", "bounced", "suppressed", "rejected", "complained"}
	severity := []string{"", "delivered", "sent", "delayed", "suppressed", "rejected", "bounced", "complained"}
	byRecipient = map[string]string{}
	for _, e := range events {
		for _, to := range e.Recipients {
			if slices.Index(order, e.Status) >= slices.Index(order, byRecipient[to]) {
				byRecipient[to] = e.Status
			}
		}
	}
	for _, s := range byRecipient {
		if slices.Index(severity, s) > slices.Index(severity, status) {
			status = s
		}
	}
	return status, byRecipient
}

// reason returns why a mail failed: the detail of the last event with its status. It is "" for a mail that did
// not fail.
func reason(events []Event, status string) string {
	if status == "" || status == "sent" || status == "delivered" {
		return ""
	}
	for _, e := range slices.Backward(events) {
		if e.Status == status && e.Detail != "" {
			return e.Detail
		}
	}
	return ""
}
