package bench

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// initLimit is how long Lambda lets a program take before it asks for its first event.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
const initLimit = 10 * time.Second

// process is a running program. It serves one event at a time.
type process struct {
	program program
	cmd     *exec.Cmd
	api     *runtimeAPI
	output  bytes.Buffer // to be read when it has ended
	ended   chan struct{}
	err     error         // of its end
	cpu     time.Duration // until the last reading
}

// start starts a program with additional variables in its environment, and waits until it asks for an event. Wall is
// the time that this took.
func (p program) start(more map[string]string) (_ *process, wall time.Duration, err error) {
	s := &process{program: p, api: newRuntimeAPI(), ended: make(chan struct{})}
	s.cmd = exec.Command(p.file)
	s.cmd.Dir = filepath.Dir(p.file)
	s.cmd.Env = p.environment(s.api.server.Listener.Addr().String(), more)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output

	began := time.Now()
	if p.share != nil {
		began, err = p.share.start(s.cmd)
	} else {
		err = s.cmd.Start()
	}
	if err != nil {
		s.api.server.Close()
		return nil, 0, fmt.Errorf("start %s: %w", p.name, err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	ready, err := await(s, s.api.asked, initLimit)
	if err == nil && p.share != nil {
		err = p.share.give(p.share.memory)
	}
	if err != nil {
		return nil, 0, s.failed(err)
	}
	return s, ready.Sub(began), nil
}

// environment returns the environment of a program, in the form of exec.Cmd.Env: what Lambda sets, then what the
// template sets, then the given variables. Later ones win.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func (p program) environment(runtimeAPI string, more map[string]string) []string {
	variables := []string{
		"AWS_ACCESS_KEY_ID=bench",
		"AWS_DEFAULT_REGION=us-east-1",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=" + strconv.Itoa(p.MemoryMB),
		"AWS_LAMBDA_FUNCTION_NAME=" + p.name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_RUNTIME_API=" + runtimeAPI,
		"AWS_REGION=us-east-1",
		"AWS_SECRET_ACCESS_KEY=bench",
		"AWS_SESSION_TOKEN=bench",
		"LAMBDA_TASK_ROOT=" + filepath.Dir(p.file),
		"PATH=/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"TZ=:UTC",
		"_HANDLER=bootstrap",
	}
	for _, set := range []map[string]string{p.Environment, more} {
		for name, value := range set {
			variables = append(variables, name+"="+value) // the last of a name counts
		}
	}
	return variables
}

// invoke gives the process an event, waits for its answer, and then until it asks for the next event: only then is it
// idle. The wall time ends with the answer.
func (s *process) invoke(event []byte) (body []byte, c cost, err error) {
	began := time.Now()
	s.api.events <- event
	answered, err := await(s, s.api.answers, timeout)
	if err == nil && answered.failed {
		err = fmt.Errorf("it answered %s", answered.body)
	}
	if err == nil {
		_, err = await(s, s.api.asked, timeout)
	}
	if err == nil {
		c.wall = answered.at.Sub(began)
		c.cpu, err = s.cpuTime()
	}
	if err != nil {
		return nil, c, s.failed(err)
	}
	return answered.body, c, nil
}

// await waits for a process to do something, for a limited time, and fails at once if the process ends.
func await[T any](s *process, done <-chan T, limit time.Duration) (v T, err error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case v = <-done:
		return v, nil
	case <-s.ended:
		return v, fmt.Errorf("it has ended: %v", s.err)
	case <-timer.C:
		return v, fmt.Errorf("nothing was heard of it for %v", limit)
	}
}

// stop ends the process.
func (s *process) stop() {
	_ = s.cmd.Process.Kill() // it may have ended by itself
	<-s.ended
	s.api.server.Close()
}

// failed ends the process, and returns the error with everything that the process wrote.
func (s *process) failed(err error) error {
	s.stop()
	return fmt.Errorf("%s: %w\n%s", s.program.name, err, s.output.Bytes())
}
