package mail

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/delivery"
	"frontdesk/internal/mail/rejection"
)

// Function is the endpoint POST /sender.php.
func (s *Service) Function() api.Function {
	return api.Function{
		Handle: s.handle,
		ErrorBody: func(f api.Failure) any {
			return body{Status: statusError, Code: f.Code, Error: f.Message, RequestID: f.RequestID}
		},
	}
}

// request is a request on its way through the endpoint.
type request struct {
	*api.Request
	start  time.Time
	body   []byte
	fields *api.Object // of the body

	messageID func(id string) string // the header field of a mail that SES sent

	warnings []string // for the answer
	separate bool     // each recipient gets a mail of his own
	size     int      // of the message in bytes
}

// handle answers 200 for every mail that it understood, sent or not: what became of it is in the body.
func (s *Service) handle(ctx context.Context, r *api.Request) (api.Response, error) {
	q, err := decode(r)
	if err != nil {
		return outcome(q, nil, err)
	}
	q.messageID = s.Attempts.SES.MessageID
	attempt, err := s.authenticate(ctx, q)
	if err != nil {
		return api.Response{}, err
	}
	m, err := s.accept(ctx, q, attempt)
	if err != nil || attempt.Complete() {
		return answer(ctx, q, attempt, err)
	}
	files, err := s.fetch(ctx, q, m)
	if err != nil {
		return answer(ctx, q, attempt, err)
	}
	messages, err := write(q, m, files)
	if err != nil {
		return answer(ctx, q, attempt, err)
	}
	err = attempt.Deliver(ctx, messages)
	return answer(ctx, q, attempt, err)
}

// body is the body of every answer of the endpoint, whatever its status.
type body struct {
	Status string   `json:"status"`
	ID     string   `json:"id,omitempty"`  // SES's message id, the first of several
	IDs    []string `json:"ids,omitempty"` // all of several; with an error, those of what was sent
	// What the mail's header Message-ID says, by which answers to it are known; likewise.
	MessageID  string   `json:"message_id,omitempty"`
	MessageIDs []string `json:"message_ids,omitempty"`
	Code       api.Code `json:"code,omitempty"` // of the error
	Error      string   `json:"error,omitempty"`
	Warning    []string `json:"warning,omitempty"`
	RequestID  string   `json:"request_id,omitempty"`
}

const (
	statusSuccess = "success"
	statusError   = "error"
)

// answer ends an attempt, and tells the client what became of its mail. An error is what kept it from being delivered.
func answer(ctx context.Context, q *request, attempt *delivery.Attempt, cause error) (api.Response, error) {
	if first := attempt.Replay(); first != "" {
		q.Log(slog.Bool("replayed", true))
		var b body
		if json.Unmarshal([]byte(first), &b) == nil && b.Code != "" {
			q.Log(slog.String("code", string(b.Code)))
		}
		return api.Response{Body: []byte(first), Header: map[string]string{"idempotent-replayed": "true"}}, nil
	}
	ids, err := attempt.Outcome(cause)
	if len(ids) > 0 {
		q.Log(slog.Int("bytes", q.size), slog.Any("ses_message_ids", ids))
	}
	if fault := attempt.Release(ctx, reply(q, ids, err)); fault != nil {
		q.Fault(fault)
		ids, err = attempt.Outcome(cause) // what later requests will say, whatever SES has said
	}
	return outcome(q, ids, err)
}

// outcome is the answer to a mail. The log does not say why one was rejected: the reason may hold addresses.
func outcome(q *request, ids []string, err error) (api.Response, error) {
	rejected, ok := errors.AsType[*rejection.Error](err)
	switch {
	case ok:
		q.Log(slog.String("outcome", statusError), slog.String("code", string(rejected.Code)))
		if rejected.Cause != "" {
			q.Log(slog.String("cause", rejected.Cause))
		}
		if rejected.Outage {
			q.LogError(slog.Bool("outage", true))
		}
	case err != nil:
		return api.Response{}, err
	default:
		q.Log(slog.String("outcome", statusSuccess))
	}
	return api.Response{Body: reply(q, ids, err)}, nil
}

// reply says what became of a mail, given SES's ids and what kept it from being sent to all, nil for nothing.
func reply(q *request, ids []string, err error) body {
	var messageIDs []string
	for _, id := range ids {
		messageIDs = append(messageIDs, q.messageID(id))
	}
	if err != nil {
		b := body{Status: statusError, IDs: ids, MessageIDs: messageIDs, Error: err.Error(), Warning: q.warnings}
		if rejected, ok := errors.AsType[*rejection.Error](err); ok {
			b.Code = rejected.Code
		}
		return b
	}
	b := body{Status: statusSuccess, ID: ids[0], MessageID: messageIDs[0], Warning: q.warnings}
	if len(ids) > 1 || q.separate {
		b.IDs, b.MessageIDs = ids, messageIDs
	}
	return b
}
