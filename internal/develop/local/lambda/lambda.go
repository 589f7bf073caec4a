// Package lambda stands in for Lambda. It runs the functions of a template as the bootstraps that Lambda would run,
// each process with a Runtime API of its own, and starts and ends processes as Lambda does execution environments. In a
// test, functions can run in this process instead. It differs from Lambda: an idle process lives until the stack ends,
// a failed start is not repeated, memory and disk are not limited, there are no versions, layers or extensions, and the
// pauses before asynchronous retries are shorter.
package lambda

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"time"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
)

// Service is Lambda with the functions of one template.
type Service struct {
	pools       map[string]*pool // by logical id
	invocations latest[Invocation]
	async       asynchronous
	close       func() // ends what killed functions wait for
}

// Config is what a Service needs.
type Config struct {
	Functions   []samtemplate.Function
	Values      samtemplate.Values
	Environment map[string]string // of every function, for names that the template does not set
	Builds      string            // folder of the functions' programs
	Endpoint    string            // base URL of the functions' services
	Processes   int               // how many one function may have at a time
	InitTimeout time.Duration     // until a process asks for its first event; default 10 s
	Log         *slog.Logger
	// Programs run in this process in place of the bootstraps, by the names of their folders; nil for bootstraps.
	Programs map[string]Program
	// Network is where functions in this process find their services.
	Network httpserver.Network
	// DeadLetter receives an event whose asynchronous invocations have all failed, for the function's queue.
	DeadLetter func(queue, body string, attributes map[string]string)
	// Output returns the writer for a process's stdout or stderr. While the writer is called, serving returns the
	// request for which the process has probably written.
	Output func(serving func() (requestID string)) io.WriteCloser

	closed context.Context // ends with the service
}

// initTimeout is Lambda's limit for the Init phase.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
const initTimeout = 10 * time.Second

// New returns a service without processes. Events start them.
func New(c Config) *Service {
	c.InitTimeout = cmp.Or(c.InitTimeout, initTimeout)
	s := &Service{pools: make(map[string]*pool), async: asynchronous{log: c.Log, deadLetter: c.DeadLetter}}
	c.closed, s.close = context.WithCancel(context.Background())
	for _, f := range c.Functions {
		s.pools[f.LogicalID] = newPool(c, f)
	}
	return s
}

// Event is the input of an invocation.
type Event struct {
	RequestID string // API Gateway's request id
	Trace     string // X-Ray's tracing header
	Payload   []byte
}

// Invoke invokes a function and waits for the end of the invocation. The context limits only the wait for a free
// process: an invocation that has begun continues, as in Lambda, even if nobody waits for it. The caller has to pass
// the Invocation to [Service.RecordInvocation].
func (s *Service) Invoke(ctx context.Context, function string, e Event) (result []byte, i Invocation, err error) {
	return s.pools[function].invoke(ctx, newPending(e))
}

// Serving returns the id and the tracing header of the event that the process with this session token is serving, or
// "" twice.
func (s *Service) Serving(sessionToken string) (requestID, trace string) {
	if p := s.find(sessionToken); p != nil {
		return p.serving()
	}
	return "", ""
}

// Kill kills the process with this session token, and waits until it has ended.
func (s *Service) Kill(sessionToken string) {
	if p := s.find(sessionToken); p != nil {
		p.kill()
	}
}

// find searches all pools: a session token is unique.
func (s *Service) find(sessionToken string) instance {
	for _, p := range s.pools {
		if process := p.find(sessionToken); process != nil {
			return process
		}
	}
	return nil
}

// KillIdle kills an idle process of a function, and waits until it has ended. It returns false if there is none.
func (s *Service) KillIdle(function string) bool {
	p, ok := s.pools[function]
	return ok && p.killIdle()
}

// Renew makes further events go to a new build of a function. Idle processes of the old build end now, busy ones after
// their current invocation.
func (s *Service) Renew(function string) { s.pools[function].renew() }

// Close gives asynchronous invocations three seconds to end. Then it ends all processes, busy or not, and waits
// for that.
func (s *Service) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if err := s.Settle(ctx); err != nil {
		s.async.log.Error("events are lost", "error", err.Error())
	}
	for _, p := range s.pools {
		p.close()
	}
	s.close()
	return nil
}
