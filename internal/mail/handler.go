package mail

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/rejection"
)

// answer is the body of every answer of the endpoint, whatever its status.
type answer struct {
	Status    string   `json:"status"`
	ID        string   `json:"id,omitempty"`  // SES's message id, the first of several
	IDs       []string `json:"ids,omitempty"` // all of several; with an error, those of what was sent
	Error     string   `json:"error,omitempty"`
	Warning   []string `json:"warning,omitempty"`
	RequestID string   `json:"request_id,omitempty"`
}

const (
	statusSuccess = "success"
	statusError   = "error"
)

// Function is the endpoint POST /sender.php.
func (s *Service) Function() api.Function {
	return api.Function{
		Handle: s.handle,
		ErrorBody: func(f api.Failure) any {
			return answer{Status: statusError, Error: f.Message, RequestID: f.RequestID}
		},
	}
}

// handle answers 200 for every mail that it understood, sent or not: what became of it is in the body.
func (s *Service) handle(ctx context.Context, r *api.Request) (api.Response, error) {
	start := time.Now()
	body, err := r.Bytes()
	if err != nil {
		return api.Response{}, err
	}
	o, err := api.ParseObject(body)
	if err != nil {
		return api.Response{}, err
	}
	idempotencyKey, malformed := readIdempotencyKey(r)
	key, before, err := s.authenticate(ctx, o.Credential("key"), idempotencyKey)
	if err = cmp.Or(err, malformed); err != nil {
		return api.Response{}, err
	}
	r.Log(slog.Int64("mail_key", int64(key.ID)))
	if len(body) > MaxBody {
		return reply(r, sent{}, nil, rejection.Errorf("the request is too large: it has %d bytes; at most %d are allowed", len(body), MaxBody))
	}
	run := newRun(start, s.Keys.Table, key)
	if idempotencyKey != "" {
		request := sha256.Sum256(body)
		first, err := before.permits(request[:], start)
		if err != nil {
			return api.Response{}, err
		}
		if first != "" {
			r.Log(slog.Bool("replayed", true))
			return api.Response{Body: []byte(first), Header: map[string]string{"idempotent-replayed": "true"}}, nil
		}
		run = newKeptRun(ctx, start, s.Keys.Table, key, idempotencyKey, before, request[:])
	}
	m, err := decode(o)
	if err != nil {
		return api.Response{}, err
	}
	result, warnings, err := s.send(ctx, m, run)
	response, err := reply(r, result, append(unknownFields(o), warnings...), err)
	// What was sent stays sent, and the answer says so, whatever happens to what is written of it.
	if fault := errors.Join(run.fault, run.settle(ctx, response)); fault != nil {
		r.Fault(fault)
	}
	return response, err
}

// reply says what became of a mail. The log does not say why one was rejected: the reason may hold addresses.
func reply(r *api.Request, result sent, warnings []string, err error) (api.Response, error) {
	if len(result.ids) > 0 {
		r.Log(slog.Int("bytes", result.size), slog.Any("ses_message_ids", result.ids))
	}
	rejected, ok := errors.AsType[*rejection.Error](err)
	switch {
	case ok:
		r.Log(slog.String("outcome", statusError), slog.String("code", rejected.Code))
		return api.Response{Body: answer{Status: statusError, IDs: result.ids, Error: rejected.Reason, Warning: warnings}}, nil
	case err != nil:
		return api.Response{}, err
	}
	r.Log(slog.String("outcome", statusSuccess))
	a := answer{Status: statusSuccess, ID: result.ids[0], Warning: warnings}
	if len(result.ids) > 1 {
		a.IDs = result.ids
	}
	return api.Response{Body: a}, nil
}
