package mail

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/mail/delivery"
)

// Function returns the endpoint POST /sender.php. Errors of package api get the body of this endpoint, too, so that a
// client parses one shape.
func (s *Service) Function() api.Function {
	return api.Function{
		Handle: s.handle,
		ErrorBody: func(f api.Failure) any {
			return body{Status: statusError, Code: f.Code, Error: f.Message, RequestID: f.RequestID}
		},
	}
}

// handle answers 200 for every mail that it understood, sent or not. The body says what became of it.
//
// The order of the steps is the security of the endpoint: before authentication only the body is parsed, before
// acceptance nothing is downloaded, and SES comes last.
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
	m, fieldWarnings, err := s.accept(fields, key, s.base(r))
	if err != nil {
		return s.respond(r, delivery.Outcome{Err: attempt.Refused(err)}, fieldWarnings)
	}
	leftOut, err := s.unsubscribed(ctx, m, key)
	if err != nil {
		return api.Response{}, err
	}
	result, ownWarnings := s.deliver(ctx, r, start, attempt, m, m.envelope(key, s.Stack, leftOut))
	warnings := slices.Concat(fieldWarnings, ownWarnings)
	o := s.release(ctx, r, result, warnings)
	s.logLeftOut(ctx, r, start, m, key, o)
	return s.respond(r, o, warnings)
}

// deliver takes an accepted mail through the steps address, fetch, write and deliver. An error after the first one
// goes to [delivery.Pending.Abandon], because the mail may be claimed and must be released.
func (s *Service) deliver(
	ctx context.Context, r *api.Request, start time.Time, attempt *delivery.Attempt, m *Mail, e delivery.Envelope,
) (result *delivery.Result, warnings []string) {
	pending, result := attempt.Address(ctx, e, m.fetches())
	if result != nil {
		return result, nil
	}
	got, warnings, err := s.fetch(ctx, start, m)
	if err != nil {
		return pending.Abandon(err), nil
	}
	finished, writeWarnings, err := write(start, m, got, e.Redirect.To != "")
	warnings = append(warnings, writeWarnings...)
	if err != nil {
		return pending.Abandon(err), warnings
	}
	r.Log(slog.Int("bytes", finished.size))
	return pending.Deliver(ctx, finished.messages), warnings
}
