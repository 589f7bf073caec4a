package mail

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"frontdesk/internal/api"
)

// answer is the body of every answer of the endpoint, whatever its status.
type answer struct {
	Status    string   `json:"status"`
	ID        string   `json:"id,omitempty"` // SES's message id
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
	key, err := s.Keys.Authenticate(ctx, o.Credential("key"))
	if err != nil {
		return api.Response{}, err
	}
	r.Log(slog.Int64("mail_key", int64(key.ID)))

	if len(body) > MaxBody {
		return respond(r, sent{}, nil, reject("the request is too large: it has %d bytes; at most %d are allowed", len(body), MaxBody))
	}
	m, err := decode(o)
	if err != nil {
		return api.Response{}, err
	}
	warnings := unknownFields(o)
	result, more, err := s.send(ctx, start, key, m)
	return respond(r, result, append(warnings, more...), err)
}

// respond answers with what became of a mail. The log does not say why one was rejected: the reason may hold
// addresses.
func respond(r *api.Request, result sent, warnings []string, err error) (api.Response, error) {
	rejection, rejected := errors.AsType[*Rejection](err)
	switch {
	case rejected:
		r.Log(slog.String("outcome", statusError), slog.String("code", rejection.Code))
		return api.Response{Body: answer{Status: statusError, Error: rejection.Reason, Warning: warnings}}, nil
	case err != nil:
		return api.Response{}, err
	}
	r.Log(slog.String("outcome", statusSuccess), slog.Int("bytes", result.size), slog.String("ses_message_id", result.id))
	return api.Response{Body: answer{Status: statusSuccess, ID: result.id, Warning: warnings}}, nil
}
