package maillog

import (
	"cmp"
	"slices"
	"time"
)

// Status is what became of a mail for one of its recipients. That of a mail is the worst of its recipients'.
type Status string

// The statuses that clients are told.
const (
	Sent       Status = "sent"       // SES has it; nothing else is known
	Delayed    Status = "delayed"    // SES tries again
	Delivered  Status = "delivered"  // the recipient's server took it
	Bounced    Status = "bounced"    // that server refused it, at once or later, or SES gave up
	Complained Status = "complained" // the recipient called it spam
	Rejected   Status = "rejected"   // SES found a virus in it, and sent it to nobody
	Suppressed Status = "suppressed" // the address had bounced or complained before, and SES did not try

	Unsubscribed Status = "unsubscribed" // the recipient had unsubscribed, and was not sent the mail
)

// answered is a bounce of a kind that automatic answers have as well, such as "out of office". It is one where the
// recipient's server has taken the mail, and a bounce otherwise.
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
const answered Status = "answered"

// outcomes are the statuses by what counts: of two that a recipient has, the later one in this list does. So an event
// that comes late takes nothing back: a delay behind a delivery is none, a complaint behind a delivery is one.
var outcomes = []Status{
	Sent, Unsubscribed, Delayed, answered, Delivered, Bounced, Suppressed, Rejected, Complained,
}

// severities are the statuses from the best to the worst.
var severities = []Status{Delivered, Sent, Unsubscribed, Delayed, Suppressed, Rejected, Bounced, Complained}

// compare orders statuses by what counts.
func (s Status) compare(other Status) int {
	return cmp.Compare(slices.Index(outcomes, s), slices.Index(outcomes, other))
}

// told is the status as clients are told it.
func (s Status) told() Status {
	if s == answered {
		return Bounced
	}
	return s
}

// worst is the status of a mail by those of its recipients, and by what happened where it was not sent to: a mailbox
// that its recipient forwards mail to may bounce. An automatic answer from there says nothing.
func worst(recipients []Recipient, elsewhere []Status) Status {
	statuses := make([]Status, len(recipients), len(recipients)+len(elsewhere))
	for i, r := range recipients {
		statuses[i] = r.Status
	}
	for _, status := range elsewhere {
		if status != answered {
			statuses = append(statuses, status)
		}
	}
	if len(statuses) == 0 {
		return Sent
	}
	return slices.MaxFunc(statuses, func(a, b Status) int {
		return cmp.Compare(slices.Index(severities, a), slices.Index(severities, b))
	})
}

// Recipient is what became of a mail for one recipient.
type Recipient struct {
	Email  string     `json:"email"`
	Status Status     `json:"status"`
	At     *time.Time `json:"at,omitempty"`     // of the event that says so
	Detail string     `json:"detail,omitempty"` // what SES, or the recipient's server, said
}
