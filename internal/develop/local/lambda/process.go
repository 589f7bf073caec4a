package lambda

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/processes"
	"frontdesk/internal/develop/local/samtemplate"
)

// process is an instance that is a process, with a Runtime API of its own.
type process struct {
	function samtemplate.Function
	session  string // AWS_SESSION_TOKEN
	api      *runtimeAPI
	child    *processes.Process
}

// startProcess starts a function's bootstrap, and serves its Runtime API until the process ends.
func startProcess(c Config, f samtemplate.Function) (*process, error) {
	server, err := httpserver.Listen(httpserver.Machine, "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the runtime API: %w", err)
	}
	p := &process{function: f, session: awsform.Token(), api: newRuntimeAPI(functionARN(c.Values, f))}
	server.Start(httpserver.ForPrograms(p.api), c.Log)
	cmd := exec.Command(filepath.Join(c.Builds, f.Program()))
	cmd.Dir = c.Builds
	cmd.Env = environ(variables(c, f, p.session, server.Host()))
	// Each stream has its own writer, because a line may arrive in pieces.
	p.child, err = processes.Start(cmd, c.Output(p.api.latestRequestID), c.Output(p.api.latestRequestID))
	if err != nil {
		server.Close()
		return nil, fmt.Errorf("start %s: %w", f.LogicalID, err)
	}
	go func() {
		<-p.child.Ended
		server.Close()
	}()
	return p, nil
}

// init waits until the process asks for its first event. It kills a process that reports an error of its
// initialization, that ends, or that takes longer than limit.
func (p *process) init(limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var err error
	select {
	case <-p.api.ready:
		return nil
	case err = <-p.api.failed:
		err = fmt.Errorf("init: %w", err)
	case <-p.child.Ended:
		err = fmt.Errorf("init: the process ended before it asked for an event: %w", p.child.Err)
	case <-timer.C:
		err = fmt.Errorf("init: the process has not asked for an event within %v", limit)
	}
	p.child.Kill()
	return err
}

// invoke passes an event to the process, and waits for the result and until the process is idle again: only then the
// invocation is over. It kills a process that takes longer than the function's Timeout, which includes that wait. If
// the error is errGone, the process has not seen the event.
func (p *process) invoke(inv *pending) ([]byte, error) {
	timer := time.NewTimer(p.function.Timeout)
	defer timer.Stop()
	inv.deadline = time.Now().Add(p.function.Timeout)
	if !p.idle() {
		return nil, errGone
	}
	select {
	case p.api.events <- inv:
	case <-p.child.Ended:
		return nil, errGone
	case <-timer.C: // it has hung up on its call of /next
		p.child.Kill()
		return nil, errGone
	}

	late := false
	select {
	case <-inv.over:
	case <-p.child.Ended:
	case <-timer.C:
		late = true
		p.child.Kill()
	}
	// An answer counts even if the process ended or ran out of time after it.
	select {
	case <-inv.answered:
		return inv.result, inv.failure
	default:
	}
	if late {
		return nil, fmt.Errorf("task timed out after %v", p.function.Timeout)
	}
	return nil, fmt.Errorf("the process ended before it answered: %w", p.child.Err)
}

// idle reports whether the process is waiting for an event.
func (p *process) idle() bool {
	select {
	case <-p.child.Ended:
		return false
	default:
		id, _ := p.api.serving()
		return id == ""
	}
}

func (p *process) kill()                  { p.child.Kill() }
func (p *process) ended() <-chan struct{} { return p.child.Ended }
func (p *process) err() error             { return p.child.Err }
func (p *process) token() string          { return p.session }

func (p *process) serving() (requestID, trace string) { return p.api.serving() }
