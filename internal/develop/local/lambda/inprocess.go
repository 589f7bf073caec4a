package lambda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"frontdesk/internal/base/execution"
	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/samtemplate"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Program opens a function in its execution environment.
type Program = func(execution.Environment) (lambda.Handler, error)

// inProcess is an instance that runs in this process. When it is killed, its connections break, and whatever it calls
// or logs from then on has no effect and does not return until the service is closed. What it computes meanwhile,
// nobody sees. It differs from a process: it is not frozen between two invocations, its memory is not its own, and a
// panic in a goroutine that it has started ends this process.
type inProcess struct {
	config    Config
	function  samtemplate.Function
	session   string // AWS_SESSION_TOKEN
	variables map[string]string
	log       io.Writer
	handler   lambda.Handler

	gone chan struct{} // closed when it is killed

	mu      sync.Mutex
	conns   map[*tethered]bool
	current *pending
	latest  string // API Gateway's id of the latest request
}

func startInProcess(c Config, f samtemplate.Function) *inProcess {
	in := &inProcess{
		config: c, function: f, session: awsform.Token(), gone: make(chan struct{}), conns: map[*tethered]bool{},
	}
	in.variables = variables(c, f, in.session, "")
	in.log = c.Output(in.latestRequestID)
	return in
}

func (in *inProcess) init(time.Duration) error {
	program, ok := in.config.Programs[in.function.Program()]
	if !ok {
		in.kill()
		return fmt.Errorf("init: there is no program of functions/%s", in.function.Program())
	}
	var err error
	in.handler, err = program(execution.Environment{
		Getenv: func(name string) string { return in.variables[name] }, Dial: in.dial, Log: logOf{in},
	})
	if err != nil {
		in.kill()
		return fmt.Errorf("init: %w", err)
	}
	return nil
}

func (in *inProcess) invoke(inv *pending) ([]byte, error) {
	if !in.take(inv) {
		return nil, errGone
	}
	inv.deadline = time.Now().Add(in.function.Timeout)
	go in.serve(inv)
	timer := time.NewTimer(in.function.Timeout)
	defer timer.Stop()
	late := false
	select {
	case <-inv.answered:
	case <-in.gone:
	case <-timer.C:
		late = true
		in.kill()
	}
	// An answer counts even if the instance was killed after it.
	select {
	case <-inv.answered:
		return inv.result, inv.failure
	default:
	}
	if late {
		return nil, fmt.Errorf("task timed out after %v", in.function.Timeout)
	}
	return nil, fmt.Errorf("the process ended before it answered: %w", errKilled)
}

// take makes an event the current one. It returns false if another one is, or if the instance is gone.
func (in *inProcess) take(inv *pending) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.current != nil || in.isGone() {
		return false
	}
	in.current, in.latest = inv, inv.RequestID
	return true
}

// serve answers an event. A panic of the handler ends the instance, as it would end a process.
func (in *inProcess) serve(inv *pending) {
	ctx, cancel := context.WithDeadline(context.Background(), inv.deadline)
	defer cancel()
	defer context.AfterFunc(in.config.closed, cancel)()
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{
		AwsRequestID: inv.id, InvokedFunctionArn: functionARN(in.config.Values, in.function),
	})
	defer func() {
		if p := recover(); p != nil {
			in.answer(inv, nil, fmt.Errorf("panic: %v", p))
			in.kill()
		}
	}()
	result, err := in.handler.Invoke(ctx, inv.Payload)
	if err == nil && len(result) > MaxResult {
		result, err = nil, errTooLarge
	}
	in.answer(inv, result, err)
}

// answer sets the outcome of the current event, unless the instance was killed before.
func (in *inProcess) answer(inv *pending, result []byte, failure error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.isGone() {
		return
	}
	inv.result, inv.failure, in.current = result, failure, nil
	close(inv.answered)
}

func (in *inProcess) idle() bool {
	id, _ := in.serving()
	return id == "" && !in.isGone()
}

func (in *inProcess) kill() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.isGone() {
		return
	}
	close(in.gone)
	for c := range in.conns {
		c.Conn.Close()
	}
	in.conns = nil
}

func (in *inProcess) isGone() bool {
	select {
	case <-in.gone:
		return true
	default:
		return false
	}
}

// errKilled is why an instance ends. It has the words of a process.
var errKilled = errors.New("signal: killed")

func (in *inProcess) ended() <-chan struct{} { return in.gone }
func (in *inProcess) err() error             { return errKilled }
func (in *inProcess) token() string          { return in.session }

func (in *inProcess) serving() (requestID, trace string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.current == nil {
		return "", ""
	}
	return in.current.RequestID, in.current.Trace
}

func (in *inProcess) latestRequestID() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.latest
}

// logOf is the log of an instance. It drops what a killed one logs.
type logOf struct{ instance *inProcess }

func (l logOf) Write(p []byte) (int, error) {
	if l.instance.isGone() {
		return len(p), nil
	}
	return l.instance.log.Write(p)
}
