// Package lambda stands for Lambda: it runs the functions of a template as the bootstraps that they are, each process
// with a Runtime API of its own, and starts and ends processes as Lambda does execution environments. Unlike Lambda it
// lets an idle process live until the stack ends, tries a start that failed only once, sets no limit to memory or disk,
// has neither versions, layers nor extensions, and waits less before it tries an asynchronous invocation again.
package lambda

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"time"

	"frontdesk/internal/local/recent"
	"frontdesk/internal/local/template"
)

// Service is Lambda with the functions of one template.
type Service struct {
	pools       map[string]*pool // by logical id
	invocations recent.List[Invocation]
	async       asynchronous
}

// Config is what a Service needs.
type Config struct {
	Functions   []template.Function
	Values      template.Values
	Environment map[string]string // of every function, where the template does not set the name
	Builds      string            // the folder of the built functions, <Builds>/<LogicalId>/bootstrap
	Endpoint    string            // base URL of the functions' services
	Processes   int               // how many one function may have at a time
	InitTimeout time.Duration     // of a process, until it asks for its first event; default 10 s
	Log         *slog.Logger
	// Lost gets an event with which all asynchronous invocations of a function failed, for the function's queue.
	Lost func(queue, body string, attributes map[string]string)
	// Output gets what a process writes to stdout or stderr. What it has just written it may have written for the
	// request that serving tells.
	Output func(serving func() (requestID string)) io.WriteCloser
}

// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
const initTimeout = 10 * time.Second

// New starts no process: an event does.
func New(c Config) *Service {
	c.InitTimeout = cmp.Or(c.InitTimeout, initTimeout)
	s := &Service{pools: make(map[string]*pool), async: asynchronous{log: c.Log, lost: c.Lost}}
	for _, f := range c.Functions {
		s.pools[f.LogicalID] = newPool(c, f)
	}
	return s
}

// Event is what a function is invoked with.
type Event struct {
	RequestID string // API Gateway's
	Trace     string // X-Ray's
	Payload   []byte
}

// Invoke invokes a function and waits for the end of that. The context bounds only the wait for a free process: what
// has begun goes on, as in Lambda, even if nobody waits for it. The invocation is not remembered yet: see Remember.
func (s *Service) Invoke(ctx context.Context, function string, e Event) (result []byte, i Invocation, err error) {
	return s.pools[function].invoke(ctx, newPending(e))
}

// RequestID is the request that the process with this session token serves now; empty: none.
func (s *Service) RequestID(sessionToken string) string {
	if p := s.find(sessionToken); p != nil {
		return p.api.requestID()
	}
	return ""
}

// Kill kills the process with this session token, and waits for its end.
func (s *Service) Kill(sessionToken string) {
	if p := s.find(sessionToken); p != nil {
		p.child.Kill()
	}
}

func (s *Service) find(sessionToken string) *process {
	for _, p := range s.pools {
		if process := p.find(sessionToken); process != nil {
			return process
		}
	}
	return nil
}

// KillIdle kills an idle process of a function, and waits for its end. It is false if the function has none.
func (s *Service) KillIdle(function string) bool {
	p, ok := s.pools[function]
	return ok && p.killIdle()
}

// Renew is to be called when there is a new build of a function: events go to it from now on. Idle processes of the
// build before end here, busy ones when they have served.
func (s *Service) Renew(function string) { s.pools[function].renew() }

// Close gives asynchronous invocations three seconds to end. Then it ends all processes, busy or not, and waits for it.
func (s *Service) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if err := s.Settle(ctx); err != nil {
		s.async.log.Error("events are lost", "error", err.Error())
	}
	for _, p := range s.pools {
		p.close()
	}
	return nil
}
