package lambda_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/samtemplatetest"

	awslambda "github.com/aws/aws-lambda-go/lambda"
)

// handler is a function's.
type handler func(context.Context, execution.Environment) ([]byte, error)

// serve starts a service of one function, with a time limit of three seconds, in this process.
func serve(t *testing.T, network httpserver.Network, h handler) *lambda.Service {
	t.Helper()
	s := lambda.New(lambda.Config{
		Functions: []samtemplate.Function{{LogicalID: "DoFunction", Timeout: 3 * time.Second}},
		Values:    samtemplatetest.Values, Processes: 2, Network: network, Log: slog.New(slog.DiscardHandler),
		Output: func(func() string) io.WriteCloser { return discard{io.Discard} },
		Programs: map[string]lambda.Program{"do": func(e execution.Environment) (awslambda.Handler, error) {
			if h == nil {
				return nil, errors.New("a variable is missing")
			}
			return bound{e, h}, nil
		}},
	})
	t.Cleanup(func() { s.Close() })
	return s
}

// bound is a handler in its environment.
type bound struct {
	execution.Environment
	handler
}

func (b bound) Invoke(ctx context.Context, _ []byte) ([]byte, error) {
	return b.handler(ctx, b.Environment)
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// TestAnInvocationInThisProcess shows how it ends. The next event gets an instance that works.
func TestAnInvocationInThisProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			first func() ([]byte, error)
			want  string // in the error; "" for none
			cold  bool   // the next event starts another instance
		}{
			"a result": {func() ([]byte, error) { return []byte("1"), nil }, "", false},
			"an error": {func() ([]byte, error) { return nil, io.EOF }, "EOF", false},
			"a panic":  {func() ([]byte, error) { panic("at the disco") }, "at the disco", true},
			"no time left": {func() ([]byte, error) {
				time.Sleep(time.Hour)
				return nil, nil
			}, "task timed out after 3s", true},
			"a large result": {func() ([]byte, error) {
				return make([]byte, lambda.MaxResult+1), nil
			}, "Function.ResponseSizeTooLarge", false},
		} {
			var served atomic.Bool
			s := serve(t, httpserver.NewMemory(), func(_ context.Context, e execution.Environment) ([]byte, error) {
				if !served.Swap(true) {
					return c.first()
				}
				return []byte(e.Getenv("AWS_LAMBDA_FUNCTION_NAME")), nil
			})
			_, _, err := s.Invoke(t.Context(), "DoFunction", lambda.Event{RequestID: "1"})
			expect.Equal(t, err != nil, c.want != "", name+": it has failed")
			if err != nil {
				expect.Contains(t, err.Error(), c.want, name+": error")
			}
			result, record, err := s.Invoke(t.Context(), "DoFunction", lambda.Event{RequestID: "2"})
			expect.Equal(t, err, nil, name+": the next event's error")
			expect.HasSuffix(t, string(result), "DoFunction", name+": the next event's result")
			expect.Equal(t, record.Cold, c.cold, name+": another instance")
		}
		time.Sleep(2 * time.Hour) // what has run out of time ends
	})
}

// TestAFunctionThatCannotStart fails with the error of its program.
func TestAFunctionThatCannotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, httpserver.NewMemory(), nil)
		_, _, err := s.Invoke(t.Context(), "DoFunction", lambda.Event{})
		if err == nil || !strings.Contains(err.Error(), "a variable is missing") {
			t.Errorf("error %v", err)
		}
	})
}

// TestAKilledFunctionDoesNothingMore kills a function while it waits for an answer. Its connection breaks, and it never
// learns why: what it calls and logs from then on has no effect, until the service is closed.
func TestAKilledFunctionDoesNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := httpserver.NewMemory()
		listener, err := network.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		var token string
		var returned atomic.Bool
		s := serve(t, network, func(ctx context.Context, e execution.Environment) ([]byte, error) {
			token = e.Getenv("AWS_SESSION_TOKEN")
			connection, err := e.Dial(ctx, "tcp", listener.Addr().String())
			if err != nil {
				return nil, err
			}
			_, err = connection.Read(make([]byte, 1))
			for range 3 { // it does not give up
				_, _ = e.Dial(ctx, "tcp", listener.Addr().String())
			}
			returned.Store(true)
			return []byte("done"), err
		})
		failed := make(chan error, 1)
		go func() {
			_, _, err := s.Invoke(t.Context(), "DoFunction", lambda.Event{RequestID: "1"})
			failed <- err
		}()
		connection, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		s.Kill(token)
		expect.Contains(t, (<-failed).Error(), "signal: killed", "error")
		_, err = connection.Read(make([]byte, 1))
		expect.Equal(t, err, io.EOF, "what the other side reads")
		again := make(chan net.Conn, 1)
		go func() {
			if c, err := listener.Accept(); err == nil {
				again <- c
			}
		}()
		time.Sleep(time.Hour)
		expect.Equal(t, len(again), 0, "connections after its end")
		expect.Equal(t, returned.Load(), false, "it has gone on")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		expect.Equal(t, returned.Load(), true, "it ends with the service")
		expect.Equal(t, len(again), 0, "connections after the service's end")
	})
}
