package maillog

import (
	"cmp"
	"slices"
	"time"
)

// Status is what became of a mail for one recipient. The status of a mail is the worst of its recipients'.
type Status string

// These are the statuses in answers.
const (
	Sent       Status = "sent"       // SES has it; nothing else is known
	Delayed    Status = "delayed"    // SES tries again
	Delivered  Status = "delivered"  // the recipient's server took it
	Bounced    Status = "bounced"    // that server refused it, at once or later, or SES gave up
	Complained Status = "complained" // the recipient called it spam
	Rejected   Status = "rejected"   // SES found a virus in it, and sent it to nobody
	Suppressed Status = "suppressed" // the address had bounced or complained before, and SES did not try
)

// answered is a kind of bounce that automatic answers, such as "out of office", cause as well. If the recipient's
// server has taken the mail, it is such an answer. If not, it is a bounce.
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
const answered Status = "answered"

// outcomes are ordered by what counts: of two outcomes of a recipient, the later one in this list wins. So the order
// of events does not matter: a delay after a delivery changes nothing, a complaint after a delivery does.
var outcomes = []Status{Sent, Delayed, answered, Delivered, Bounced, Suppressed, Rejected, Complained}

// severities are the statuses from the best to the worst.
var severities = []Status{Delivered, Sent, Delayed, Suppressed, Rejected, Bounced, Complained}

// compare orders statuses by their place in [outcomes].
func (s Status) compare(other Status) int {
	return cmp.Compare(slices.Index(outcomes, s), slices.Index(outcomes, other))
}

// shown is the status that answers show.
func (s Status) shown() Status {
	if s == answered {
		return Bounced
	}
	return s
}

// mailStatus is the status of a mail. It follows from the statuses of its recipients, and from outcomes at addresses
// that the mail was not sent to: the mailbox to which a recipient forwards may bounce. An automatic answer from there
// means nothing.
func mailStatus(recipients []Recipient, elsewhere []Status) Status {
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
	At     *time.Time `json:"at,omitempty"`     // time of the event that decided the status
	Detail string     `json:"detail,omitempty"` // what SES, or the recipient's server, said
}
