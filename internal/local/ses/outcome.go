package ses

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/local/eventbridge"
)

// Event is what an event says of a mail.
type Event struct {
	ID         string    `json:"id"`   // EventBridge's
	Type       string    `json:"type"` // as SES names it: Send, Delivery, Bounce, Complaint, Reject, DeliveryDelay
	At         time.Time `json:"at"`
	Recipients []string  `json:"recipients"`
	Detail     string    `json:"detail"` // what the recipient's server said, or the kind of bounce
	Status     string    `json:"status"` // of these recipients, as far as it alone says so; "" for an automatic answer
}

// Told takes an event of a mail that was handed on, once. It is not an error that there is no such mail.
func (o *Outbox) Told(e eventbridge.Event) {
	var d detail
	if e.Source != "aws.ses" || json.Unmarshal(e.Detail, &d) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.mails, func(m Mail) bool { return m.ID == d.Mail.MessageID })
	if i < 0 || slices.ContainsFunc(o.mails[i].Events, func(known Event) bool { return known.ID == e.ID }) {
		return
	}
	m := &o.mails[i]
	m.Events = append(slices.Clone(m.Events), d.event(e.ID)) // what Mails gave stays as it is
	slices.SortStableFunc(m.Events, func(a, b Event) int { return a.At.Compare(b.At) })
	m.Status, m.Outcomes = outcome(m.Events)
	m.Reason = reason(m.Events, m.Status)
	if o.folder != "" {
		_ = o.writeEntry(*m) // the events of a mail are shown, and nothing depends on them
	}
	o.changed()
}

func (d detail) event(id string) Event {
	e := Event{ID: id, Type: d.Type, At: d.Mail.Timestamp.Time}
	for _, to := range d.Mail.Destination {
		e.Recipients = append(e.Recipients, bare(to))
	}
	some := func(at timestamp, otherwise string, to []recipient) {
		e.At, e.Detail, e.Recipients = at.Time, otherwise, nil
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
		if strings.Contains(b.SubType, "Suppress") {
			e.Status = "suppressed"
		} else if b.Type+b.SubType == "TransientGeneral" {
			e.Status = ""
		}
	}
	return e
}

// outcome is what became of a mail for each recipient, the last in this order that an event says, and for all: the
// worst of these.
func outcome(events []Event) (status string, of map[string]string) {
	order := []string{"", "sent", "delayed", "delivered", "bounced", "suppressed", "rejected", "complained"}
	severity := []string{"", "delivered", "sent", "delayed", "suppressed", "rejected", "bounced", "complained"}
	of = map[string]string{}
	for _, e := range events {
		for _, to := range e.Recipients {
			if slices.Index(order, e.Status) >= slices.Index(order, of[to]) {
				of[to] = e.Status
			}
		}
	}
	for _, s := range of {
		if slices.Index(severity, s) > slices.Index(severity, status) {
			status = s
		}
	}
	return status, of
}

// reason is why a mail did not get through, as the last event with its status says; empty for one that did.
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
