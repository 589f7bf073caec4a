package mail

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/service/mail/delivery"
	"frontdesk/internal/service/mail/mailkey"
)

// Function returns the endpoint POST /sender.php. Errors of package api get the body of this endpoint, too, so that a
// client parses one shape.
func (s *Service) Function() api.Function {
	return api.Function{
		Handle: s.handle,
		ErrorBody: func(_ *api.Request, f api.Failure) any {
			return delivery.Answer{Status: delivery.Failed, Code: f.Code, Error: f.Message, RequestID: f.RequestID}
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
		return refuse(r, err, nil)
	}
	key, earlier, err := s.authenticate(ctx, r, fields, body)
	if err != nil {
		return api.Response{}, err
	}
	first, err := earlier.Permits(start)
	if err != nil {
		return api.Response{}, err
	}
	if first != "" {
		return replay(r, first), nil
	}
	m, warnings, err := s.accept(fields, key, s.base(r))
	if err != nil {
		return refuse(r, earlier.Refused(err), warnings)
	}
	leftOut, err := s.unsubscribed(ctx, m, key)
	if err != nil {
		return api.Response{}, err
	}
	return answer(r, s.Delivery.Deliver(ctx, delivery.Mail{
		Key: key, Start: start, Earlier: earlier, Envelope: m.envelope(key, s.Stack, leftOut),
		Fetches: m.fetches(), Warnings: warnings,
	}, func(ctx context.Context) (delivery.Messages, []string, error) {
		return s.prepare(ctx, r, start, m, key)
	}))
}

// prepare fetches what a mail needs, and writes its messages.
func (s *Service) prepare(ctx context.Context, r *api.Request, start time.Time, m *Mail, key mailkey.Key) (
	messages delivery.Messages, warnings []string, err error,
) {
	got, warnings, err := s.fetch(ctx, start, m)
	if err != nil {
		return nil, nil, err
	}
	finished, more, err := write(start, m, got, key.Redirect.To != "")
	if err == nil {
		r.Log(slog.Int("bytes", finished.size))
	}
	return finished.messages, slices.Concat(warnings, more), err
}
