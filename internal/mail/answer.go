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
	ID     string   `json:"id,omitempty"`  // SES's message id, the first of several
	IDs    []string `json:"ids,omitempty"` // all of several; with an error, those of what was sent
	// What the mail's header Message-ID says, by which answers to it are known; likewise.
	MessageID  string   `json:"message_id,omitempty"`
	MessageIDs []string `json:"message_ids,omitempty"`
	// RedirectedTo is where it went in place of some of its recipients, or all.
	RedirectedTo string `json:"redirected_to,omitempty"`
	// Unsubscribed are the recipients, by their indices, who were not sent it because they have unsubscribed.
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

// replay gives the first answer that was final again.
func replay(r *api.Request, first string) api.Response {
	r.Log(slog.Bool("replayed", true))
	var b body
	if json.Unmarshal([]byte(first), &b) == nil && b.Code != "" {
		r.Log(slog.String("code", string(b.Code)))
	}
	return api.Response{Body: []byte(first + "\n"), Header: map[string]string{"idempotent-replayed": "true"}}
}

// release ends an attempt, and gives what became of its mail.
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

// respond is the answer to a mail. The log does not say why one was rejected: the reason may hold addresses.
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

// reply says what became of a mail, and warns of recipients who have unsubscribed.
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
