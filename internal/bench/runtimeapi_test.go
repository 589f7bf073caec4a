package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"
)

// initLimit is the longest that Lambda lets a program take until it asks for its first event.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
const initLimit = 10 * time.Second

// runtimeAPI is as much of the Lambda Runtime API as a program needs to start: it has no event for anybody.
// One program runs at a time.
type runtimeAPI struct {
	server *httptest.Server
	asked  chan time.Time // gets when a program asks for an event
}

func newRuntimeAPI(b *testing.B) *runtimeAPI {
	api := &runtimeAPI{asked: make(chan time.Time)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", api.next)
	api.server = httptest.NewServer(mux)
	b.Cleanup(api.server.Close)
	return api
}

func (api *runtimeAPI) next(_ http.ResponseWriter, r *http.Request) {
	now := time.Now()
	select {
	case api.asked <- now:
		<-r.Context().Done() // until the program is ended
	case <-r.Context().Done():
	}
}

// startup is what it took until a program asked for its first event.
type startup struct {
	wall time.Duration
	cpu  time.Duration // user and system, over all cores
}

// start starts a program, and ends it as soon as it is ready.
func (api *runtimeAPI) start(p program) (startup, error) {
	var output bytes.Buffer
	cmd := exec.Command(p.bootstrap())
	cmd.Dir = p.folder
	cmd.Env = p.environment(api.server.Listener.Addr().String())
	cmd.Stdout, cmd.Stderr = &output, &output

	began := time.Now()
	if err := cmd.Start(); err != nil {
		return startup{}, fmt.Errorf("start %s: %w", p.name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	timer := time.NewTimer(initLimit)
	defer timer.Stop()
	select {
	case ready := <-api.asked:
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
		return startup{wall: ready.Sub(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
	case err := <-ended:
		return startup{}, fmt.Errorf("%s ended before it asked for an event: %v\n%s", p.name, err, output.Bytes())
	case <-timer.C:
		_ = cmd.Process.Kill()
		<-ended
		return startup{}, fmt.Errorf("%s has not asked for an event within %v\n%s", p.name, initLimit, output.Bytes())
	}
}
