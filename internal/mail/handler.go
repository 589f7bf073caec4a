package mail

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/delivery"
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

// handle answers 200 for every mail that it understood, sent or not: what became of it is in the body.
func (s *Service) handle(ctx context.Context, r *api.Request) (api.Response, error) {
	start := time.Now()
	body, fields, err := decode(r)
	if err != nil {
		return s.respond(r, delivery.Outcome{Err: err}, nil)
	}
	key, earlier, err := s.authenticate(ctx, r, fields)
	if err != nil {
		return api.Response{}, err
	}
	attempt, first, err := s.Attempts.Resume(ctx, start, key, earlier, body)
	if err != nil {
		return api.Response{}, err
	}
	if first != "" {
		return replay(r, first), nil
	}
	m, fieldWarnings, err := s.accept(fields, key)
	if err != nil {
		return s.respond(r, delivery.Outcome{Err: attempt.Refused(err)}, fieldWarnings)
	}
	pending, result := attempt.Address(ctx, m.envelope(key, s.Stack), m.fetches())
	if result != nil {
		return s.answer(ctx, r, result, fieldWarnings)
	}
	got, fetchWarnings, err := s.fetch(ctx, start, m)
	if err != nil {
		return s.answer(ctx, r, pending.Abandon(err), fieldWarnings)
	}
	finished, writeWarnings, err := write(start, m, got)
	warnings := slices.Concat(fieldWarnings, fetchWarnings, writeWarnings)
	if err != nil {
		return s.answer(ctx, r, pending.Abandon(err), warnings)
	}
	r.Log(slog.Int("bytes", finished.size))
	return s.answer(ctx, r, pending.Deliver(ctx, finished.messages), warnings)
}
