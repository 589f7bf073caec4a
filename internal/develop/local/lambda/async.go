package lambda

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// asynchronous is the state of all invocations for which nobody waits.
type asynchronous struct {
	log        *slog.Logger
	deadLetter func(queue, body string, attributes map[string]string)
	pending    atomic.Int64
	dead       latest[DeadLetter]
}

// DeadLetter is an event for which every attempt of an asynchronous invocation has failed.
type DeadLetter struct {
	Function string // logical id
	Event    Event
	Err      string // of the last attempt
}

// retryWait is the pause before the second attempt at an asynchronous invocation; before the third it is twice as long.
// Lambda waits one minute and two minutes.
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
const retryWait = 100 * time.Millisecond

// closeWait is how long Close waits for asynchronous invocations.
const closeWait = 3 * time.Second

// Asynchronous invocations of a function share asyncProcesses processes, because starting more would take this machine
// longer than waiting. An invocation that has waited for asyncWait uses another process.
const (
	asyncProcesses = 2
	asyncWait      = 250 * time.Millisecond
)

// InvokeAsync invokes a function without waiting for it. A failed attempt is repeated as often as the template says. If
// all attempts fail, the event goes to DeadLetters, to the function's dead-letter queue and, as a line, to the log.
func (s *Service) InvokeAsync(function, requestID string, payload []byte) {
	s.async.pending.Add(1)
	go func() {
		defer s.async.pending.Add(-1)
		p := s.pools[function]
		e := Event{RequestID: requestID, Payload: payload}
		var err error
		for attempt := range 1 + p.function.Retries {
			// No pause before the first attempt.
			time.Sleep(time.Duration(attempt) * retryWait)
			err = s.attempt(function, e)
			if err == nil {
				return
			}
		}
		s.async.dead.add(DeadLetter{function, e, err.Error()})
		if queue := p.function.DeadLetterQueue; queue != "" {
			// The attributes are those of Lambda:
			// https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
			s.async.deadLetter(queue, string(payload), map[string]string{
				"RequestID": requestID, "ErrorCode": "200", "ErrorMessage": err.Error(),
			})
		}
		s.async.log.Error("dead letter", "function", function, "request_id", requestID, "error", err.Error())
	}()
}

// attempt invokes the function once, when one of the shared processes is free or asyncWait is over.
func (s *Service) attempt(function string, e Event) error {
	p := s.pools[function]
	select {
	case p.background <- struct{}{}:
		defer func() { <-p.background }()
	case <-time.After(asyncWait):
	}
	_, record, err := s.Invoke(context.Background(), function, e)
	if err != nil {
		record.Err = err.Error()
	}
	s.RecordInvocation(record)
	return err
}

// DeadLetters returns the last 1,000 dead letters, newest first.
func (s *Service) DeadLetters() []DeadLetter { return s.async.dead.newest() }

// Settle waits until no asynchronous invocation is waiting or running.
func (s *Service) Settle(ctx context.Context) error {
	for s.async.pending.Load() > 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d asynchronous invocations have not ended: %w",
				s.async.pending.Load(), context.Cause(ctx))
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil
}
