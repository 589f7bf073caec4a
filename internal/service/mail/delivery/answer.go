package delivery

import (
	"slices"

	"frontdesk/internal/base/api"
)

// Answer is the body of every answer to a mail, whatever its status.
type Answer struct {
	Status Status `json:"status"`
	ID     string `json:"id,omitempty"` // SES's message id; of several, the first
	// IDs are those of all groups; with an error, of those that were sent. With Separate they are in the order of the
	// recipients, with "" for each one who was not sent the mail or whose outcome is unknown.
	IDs []string `json:"ids,omitempty"`
	// MessageID and MessageIDs are the Message-ID headers of the sent mails. Replies quote them in In-Reply-To.
	MessageID  string   `json:"message_id,omitempty"`
	MessageIDs []string `json:"message_ids,omitempty"`
	// RedirectedTo is the address that got the mail in place of some recipients, or of all, or may have got it.
	RedirectedTo string `json:"redirected_to,omitempty"`
	// Unsubscribed has the indices of the recipients who had unsubscribed and were left out, in increasing order.
	Unsubscribed []int    `json:"unsubscribed,omitempty"`
	Code         api.Code `json:"code,omitempty"` // of the error
	Error        string   `json:"error,omitempty"`
	Warning      []string `json:"warning,omitempty"`
	RequestID    string   `json:"request_id,omitempty"`
}

// Status says whether a mail was sent to all of its recipients.
type Status string

const (
	Success Status = "success"
	Failed  Status = "error"
)

// Refusal is the answer for a mail that nobody was sent because of err.
func Refusal(err error, warnings []string) Answer {
	a := Answer{Status: Failed, Error: err.Error(), Warning: warnings}
	if rejected, ok := AsRejected(err); ok {
		a.Code = rejected.Code
	}
	return a
}

// outcome returns the outcome as the attempt knows it. Stopped is the error that stopped the delivery, or nil.
func (a *attempt) outcome(stopped error) Outcome {
	if stopped != nil {
		return Outcome{Answer: Refusal(stopped, a.warnings), Err: stopped}
	}
	ids, err := a.progress.outcome()
	leftOut, warnings := a.progress.leftOut(), a.warnings
	if len(leftOut) > 0 {
		warnings = append(slices.Clone(warnings), "not sent to "+Indices("recipients", leftOut)+
			", who unsubscribed")
	}
	answer := Answer{Status: Success, Warning: warnings}
	if err != nil {
		answer = Refusal(err, warnings)
	}
	answer.RedirectedTo, answer.Unsubscribed = a.progress.redirectedTo(), leftOut
	var messageIDs []string
	for _, id := range ids {
		messageIDs = append(messageIDs, a.ses.MessageID(id))
	}
	if err == nil {
		// A success has at least one id. Places of recipients who were left out are empty, and the first may be one
		// of them.
		first := slices.IndexFunc(ids, func(id string) bool { return id != "" })
		answer.ID, answer.MessageID = ids[first], messageIDs[first]
	}
	if err != nil || len(ids) > 1 || a.progress.separate {
		answer.IDs, answer.MessageIDs = ids, messageIDs
	}
	taken := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
	return Outcome{Answer: answer, Err: err, Taken: taken}
}
