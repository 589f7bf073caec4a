package mail

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/rejection"
)

// body is the body of every answer of the endpoint, whatever its status.
type body struct {
	Status string   `json:"status"`
	ID     string   `json:"id,omitempty"`  // SES's message id; of several, the first
	IDs    []string `json:"ids,omitempty"` // of all groups; with an error, of those that were sent
	// MessageID and MessageIDs are the Message-ID headers of the sent mails. Replies quote them in In-Reply-To.
	MessageID  string   `json:"message_id,omitempty"`
	MessageIDs []string `json:"message_ids,omitempty"`
	// RedirectedTo is the address that got the mail in place of some recipients, or of all.
	RedirectedTo string `json:"redirected_to,omitempty"`
	// Unsubscribed has the indices of the recipients who had unsubscribed and were left out.
	Unsubscribed []int    `json:"unsubscribed,omitempty"`
	Code         api.Code `json:"code,omitempty"` // of the error
	Error        string   `json:"error,omitempty"`
	Warning      []string `json:"warning,omitempty"`
	RequestID    string   `json:"request_id,omitempty"`
}

const (
	statusSuccess = "success"
	statusError   = "error"
)

// replay repeats the final answer of an earlier request. The header tells the client that nothing was sent now.
func replay(r *api.Request, first string) api.Response {
	r.Log(slog.Bool("replayed", true))
	var b body
	if json.Unmarshal([]byte(first), &b) == nil && b.Code != "" {
		r.Log(slog.String("code", string(b.Code)))
	}
	return api.Response{Body: []byte(first + "\n"), Header: map[string]string{"idempotent-replayed": "true"}}
}

// release ends an attempt and returns the outcome. The log line gets the ids that SES returned even where the record
// could not be written: they are then the only trace of the mail.
func (s *Service) release(
	ctx context.Context, r *api.Request, result *delivery.Result, warnings []string,
) delivery.Outcome {
	o := result.Release(ctx, func(o delivery.Outcome) any { return s.reply(o, warnings) })
	if len(o.Taken) > 0 {
		r.Log(slog.Any("ses_message_ids", o.Taken))
	}
	if o.Fault != nil {
		r.Fault(o.Fault)
	}
	return o
}

// respond builds the answer to a mail. A rejected mail is an answer with status 200; any other error becomes an answer
// of package api. The log gets the code and the cause, never the reason: a reason may hold addresses.
func (s *Service) respond(r *api.Request, o delivery.Outcome, warnings []string) (api.Response, error) {
	rejected, ok := errors.AsType[*rejection.Error](o.Err)
	switch {
	case ok:
		r.Log(slog.String("outcome", statusError), slog.String("code", string(rejected.Code)))
		if rejected.Cause != "" {
			r.Log(slog.String("cause", rejected.Cause))
		}
		if rejected.Outage {
			r.LogError(slog.Bool("outage", true))
		}
	case o.Err != nil:
		return api.Response{}, o.Err
	default:
		r.Log(slog.String("outcome", statusSuccess))
	}
	return api.Response{Body: s.reply(o, warnings)}, nil
}

// reply builds the body of an answer. It also warns of recipients who have unsubscribed. A success has at least one id
// that is not empty: [delivery.Outcome] has an error where nobody got the mail.
func (s *Service) reply(o delivery.Outcome, warnings []string) body {
	var messageIDs []string
	for _, id := range o.IDs {
		messageIDs = append(messageIDs, s.Attempts.SES.MessageID(id))
	}
	if len(o.LeftOut) > 0 {
		warnings = append(slices.Clone(warnings), "not sent to "+rejection.Indices("recipients", o.LeftOut)+
			", who unsubscribed")
	}
	if o.Err != nil {
		b := body{
			Status: statusError, IDs: o.IDs, MessageIDs: messageIDs, RedirectedTo: o.RedirectedTo,
			Unsubscribed: o.LeftOut, Error: o.Err.Error(), Warning: warnings,
		}
		if rejected, ok := errors.AsType[*rejection.Error](o.Err); ok {
			b.Code = rejected.Code
		}
		return b
	}
	// A success has at least one id. Places of recipients who were left out are empty, and the first may be one
	// of them.
	first := slices.IndexFunc(o.IDs, func(id string) bool { return id != "" })
	b := body{
		Status: statusSuccess, ID: o.IDs[first], MessageID: messageIDs[first], RedirectedTo: o.RedirectedTo,
		Unsubscribed: o.LeftOut, Warning: warnings,
	}
	if len(o.IDs) > 1 || o.Separate {
		b.IDs, b.MessageIDs = o.IDs, messageIDs
	}
	return b
}
