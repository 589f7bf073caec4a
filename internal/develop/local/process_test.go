package local_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// TestProcessServesOneRequestAfterTheOther shows that a process is reused, and that only its first invocation is cold.
func TestProcessServesOneRequestAfterTheOther(t *testing.T) {
	t.Parallel()
	s := startProcesses(t)
	first := get(t, s, "/do/pid").body
	for range 20 {
		get(t, s, "/do/pid").want(t, http.StatusOK, first)
	}
	invocations := s.Lambda().Invocations()
	if len(invocations) != 21 {
		t.Fatalf("%d invocations are recorded, want 21", len(invocations))
	}
	for i, invocation := range invocations {
		cold := i == len(invocations)-1 // the oldest
		what := fmt.Sprintf("invocation %d: ", i)
		expect.Equal(t, invocation.Cold, cold, what)
		expect.Equal(t, invocation.Init > 0, cold, what)
		expect.Equal(t, invocation.Function, "EchoFunction", what)
		expect.AtLeast(t, invocation.Duration, 1, what)
		expect.Equal(t, invocation.Err, "", what)
		expect.Not(t, invocation.RequestID, "", what)
	}
}

// TestConcurrentRequestsHaveProcessesOfTheirOwn shows that a process serves one request at a time, as in Lambda.
func TestConcurrentRequestsHaveProcessesOfTheirOwn(t *testing.T) {
	t.Parallel()
	const n = 8
	s := startProcesses(t)
	pids := invokeTogether(t, s, n)
	slices.Sort(pids)
	if distinct := len(slices.Compact(slices.Clone(pids))); distinct != n {
		t.Errorf("%d requests at a time were served by %d processes", n, distinct)
	}
	if again := get(t, s, "/do/pid").body; !slices.Contains(pids, again) {
		t.Errorf("a process was started though %d were idle", n)
	}
}

// invokeTogether sends n requests that end only when all n are being served. It returns the ids of their processes.
func invokeTogether(t *testing.T, s *local.Stack, n int) []string {
	t.Helper()
	var arrived sync.WaitGroup
	arrived.Add(n)
	// The barrier answers only when all n requests have arrived, so n processes must be running by then.
	barrier := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived.Done()
		arrived.Wait()
	}))
	defer barrier.Close()
	pids := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { pids[i] = get(t, s, "/do/fetch?url="+barrier.URL).body })
	}
	all.Wait()
	return pids
}

// TestRequestWaitsWhenAllProcessesAreBusy shows that Options.Processes limits the processes, not the requests.
func TestRequestWaitsWhenAllProcessesAreBusy(t *testing.T) {
	t.Parallel()
	s := startProcesses(t, func(o *local.Options) { o.Processes = 2 })
	var requests sync.WaitGroup
	var mu sync.Mutex
	pids := map[string]int{}
	for range 20 {
		requests.Go(func() {
			a := get(t, s, "/do/pid")
			mu.Lock()
			defer mu.Unlock()
			pids[a.body]++
		})
	}
	requests.Wait()
	if len(pids) > 2 {
		t.Errorf("%d processes have served, want at most 2: %v", len(pids), pids)
	}
}

// TestAnIdleProcessIsKilled shows how tests force a cold start.
func TestAnIdleProcessIsKilled(t *testing.T) {
	t.Parallel()
	s := startProcesses(t)
	if s.Lambda().KillIdle("EchoFunction") {
		t.Error("a process was killed that there was not")
	}
	if s.Lambda().KillIdle("NoFunction") {
		t.Error("a process of no function was killed")
	}
	before := get(t, s, "/do/pid").body
	if !s.Lambda().KillIdle("EchoFunction") {
		t.Error("no process was killed")
	}
	after := get(t, s, "/do/pid")
	expect.Equal(t, after.StatusCode, http.StatusOK)
	expect.Not(t, after.body, before)
}

// TestFunctionIsKilledAtItsTimeout shows that a function that hangs is killed at its Timeout, with the processes
// it started.
func TestFunctionIsKilledAtItsTimeout(t *testing.T) {
	t.Parallel()
	s := startProcesses(t)
	pids := make(chan int, 1)
	callback := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// The function calls with the id of a child process that it has started.
		pid, _ := strconv.Atoi(r.URL.Path[1:])
		pids <- pid
	}))
	defer callback.Close()
	a := get(t, s, "/short/hang-with-child?url="+callback.URL+"/")
	a.want(t, http.StatusInternalServerError, internalServerError)
	localtest.WaitLog(t, s, "task timed out after 3s")
	awaitEnd(t, <-pids)
	if a := get(t, s, "/short/pid"); a.StatusCode != http.StatusOK {
		t.Errorf("the next request: got %d %s", a.StatusCode, a.body)
	}
	// Lambda resets the execution environment after a timeout, so the next start is cold.
	if last := s.Lambda().Invocations()[0]; !last.Cold {
		t.Error("the next request was served by the process that timed out")
	}
}

// TestCallerIsKilledByAFault shows the two faults that kill a function around one of its calls. After the fault is
// gone, the function works.
func TestCallerIsKilledByAFault(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]*awsproxy.Fault{
		"before its call": awsproxy.KillBefore, "after its call": awsproxy.KillAfter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startProcesses(t)
			s.AWSProxy().Inject(func(awsproxy.Call) *awsproxy.Fault { return fault })
			key := `{"TableName":"` + s.Environ()["TABLE_NAME"] + `","Key":{"PK":{"S":"a"},"SK":{"S":"b"}}}`
			post(t, s, "/do/call?operation=GetItem", key).want(t, http.StatusInternalServerError, internalServerError)
			localtest.WaitLog(t, s, "signal: killed")
			s.AWSProxy().Inject(nil)
			post(t, s, "/do/call?operation=GetItem", key).want(t, http.StatusOK, "{}")
		})
	}
}

// awaitEnd waits until the process is gone. An orphan may be a zombie for a moment, which counts as gone.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); syscall.Kill(pid, 0) == nil && !zombie(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives on", pid)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestFunctionThatFailsIsAnInternalServerError shows the ways in which a function can fail. Only a process that ended
// is replaced.
func TestFunctionThatFailsIsAnInternalServerError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		log        string
		cold       bool // the next request needs a new process
	}{
		{"a crash", "/do/crash", "exit status 3", true},
		{"a panic", "/do/panic", "on purpose", true},
		// No recover of the handler would see it.
		{"a panic in a goroutine", "/do/panic-in-a-goroutine", "on purpose", true},
		// A function that returns an error has not failed as a process.
		{"an error", "/do/error", "on purpose", false},
		{"a process that dies idle", "/do/die-idle?url=", "a process ended while it was idle", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startProcesses(t)
			if strings.HasSuffix(test.path, "?url=") { // it dies when it gets an answer
				idle := make(chan bool)
				barrier := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-idle }))
				defer barrier.Close()
				get(t, s, test.path+barrier.URL).want(t, http.StatusOK, "")
				close(idle)
			} else {
				get(t, s, test.path).want(t, http.StatusInternalServerError, internalServerError)
			}
			localtest.WaitLog(t, s, test.log)
			if a := get(t, s, "/do/pid"); a.StatusCode != http.StatusOK {
				t.Errorf("the next request: got %d %s", a.StatusCode, a.body)
			}
			if last := s.Lambda().Invocations()[0]; last.Cold != test.cold {
				t.Errorf("the next request's start was cold: %v, want %v", last.Cold, test.cold)
			}
		})
	}
}

// TestProcessThatDoesNotStartIsAnInternalServerError shows a function that never asks for an event, and one that
// exits first.
func TestProcessThatDoesNotStartIsAnInternalServerError(t *testing.T) {
	t.Parallel()
	s := startProcesses(t, func(o *local.Options) { local.SetInitTimeout(o, 200*time.Millisecond) })
	get(t, s, "/init/hang").want(t, http.StatusInternalServerError, internalServerError)
	localtest.WaitLog(t, s, "has not asked for an event within 200ms")
	s = startProcesses(t)
	get(t, s, "/init/exit").want(t, http.StatusInternalServerError, internalServerError)
	localtest.WaitLog(t, s, "ended before it asked for an event: exit status 7")
}

// TestFunctionSeesLambdasEnvironmentAndNoOther shows that a function sees the variables of Lambda and of its template,
// and none of the machine. A function that works here must not depend on the developer's environment.
func TestFunctionSeesLambdasEnvironmentAndNoOther(t *testing.T) {
	// No t.Parallel: the variable is of the whole test process.
	t.Setenv("CALLERS_OWN", "secret")
	s := startProcesses(t, func(o *local.Options) {
		o.StackName = "demo"
		o.Environment = map[string]string{"GREETING": "from the options", "MORE": "from the options"}
	})
	got := map[string]string{}
	for _, line := range strings.Split(get(t, s, "/do/environment").body, "\n") {
		name, value, _ := strings.Cut(line, "=")
		got[name] = value
	}
	// The template wins over the options, because a deployment has only the template.
	want := map[string]string{
		"GREETING":                        "from the template",
		"MORE":                            "from the options",
		"MAIL_EVENTS":                     "demo-MailEvents",
		"AWS_ACCESS_KEY_ID":               "EchoFunction",
		"AWS_DEFAULT_REGION":              "us-east-1",
		"AWS_ENDPOINT_URL":                `http://127\.0\.0\.1:\d+`,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
		"AWS_LAMBDA_FUNCTION_NAME":        "demo-EchoFunction",
		"AWS_LAMBDA_FUNCTION_VERSION":     `\$LATEST`,
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/demo-EchoFunction",
		"AWS_LAMBDA_LOG_STREAM_NAME":      `\d{4}/\d\d/\d\d/\[\$LATEST\][0-9a-f-]+`,
		"AWS_LAMBDA_RUNTIME_API":          `127\.0\.0\.1:\d+`,
		"AWS_REGION":                      "us-east-1",
		"AWS_SECRET_ACCESS_KEY":           ".+",
		"AWS_SESSION_TOKEN":               "[0-9a-f]{64}",
		"LAMBDA_RUNTIME_DIR":              "/var/runtime",
		"LAMBDA_TASK_ROOT":                "/.+",
		"LANG":                            "en_US.UTF-8",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin:/opt/bin",
		"TABLE_NAME":                      "demo-.+",
		"TZ":                              ":UTC",
		"_HANDLER":                        "bootstrap",
		"_X_AMZN_TRACE_ID":                "Root=.+", // set by aws-lambda-go
	}
	for name, pattern := range want {
		if !regexp.MustCompile("^" + pattern + "$").MatchString(got[name]) {
			t.Errorf("%s is %q, want %s", name, got[name], pattern)
		}
	}
	for name, value := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("the function sees %s=%s", name, value)
		}
	}
}

// TestFunctionKnowsItsInvocation shows the request id, the ARN, the deadline and the trace id that a function reads
// from its context.
func TestFunctionKnowsItsInvocation(t *testing.T) {
	t.Parallel()
	s := startProcesses(t, func(o *local.Options) { o.StackName = "demo" })
	request := newRequest(t, http.MethodGet, s.URL()+"/do/context", "")
	request.Header.Set("X-Amzn-Trace-Id", "Root=1-5e5ffbde-000000000000000000000001")
	before := time.Now()
	a := do(t, s, request)
	after := time.Now()
	fields := strings.Fields(a.body)
	if len(fields) != 4 {
		t.Fatalf("got %q", a.body)
	}
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if !uuid.MatchString(fields[0]) {
		t.Errorf("the request id is %q", fields[0])
	}
	if want := "arn:aws:lambda:us-east-1:123456789012:function:demo-EchoFunction"; fields[1] != want {
		t.Errorf("the function's ARN is %q, want %q", fields[1], want)
	}
	deadline, _ := strconv.ParseInt(fields[2], 10, 64)
	began := time.UnixMilli(deadline).Add(-20 * time.Second) // the Timeout
	if began.Before(before.Truncate(time.Millisecond)) || began.After(after) {
		t.Errorf("the deadline says that it began at %v, want a time from %v to %v", began, before, after)
	}
	if want := "Root=1-5e5ffbde-000000000000000000000001"; fields[3] != want {
		t.Errorf("the trace id is %q, want %q", fields[3], want)
	}
}

// TestLogLinesAreWhole shows that concurrent writers never mix within a line, and that half a line at a process's end
// is kept.
func TestLogLinesAreWhole(t *testing.T) {
	t.Parallel()
	const n, lines = 4, 200
	s := startProcesses(t)
	// The writers run at the same time, on both streams of four processes.
	var requests sync.WaitGroup
	for i := range n {
		requests.Go(func() { post(t, s, fmt.Sprintf("/do/log?n=%d", lines), fmt.Sprintf("request-%d", i)) })
	}
	requests.Wait()
	get(t, s, "/do/half-line")
	localtest.WaitLog(t, s, "half a line")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`^(out request-\d \d+ o{100}|err request-\d \d+ e{100}|half a line)$`)
	count := 0
	for _, line := range localtest.Logs(s) {
		if json.Valid([]byte(line)) {
			continue // a line of the stack itself, about the function that ended after half a line
		}
		if !whole.MatchString(line) {
			t.Errorf("the line is not whole: %q", line)
		}
		count++
	}
	if want := 2*n*lines + 1; count != want {
		t.Errorf("the log has %d lines of functions, want %d", count, want)
	}
}

// TestCloseEndsEverything shows that no process survives Close.
func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	s := startProcesses(t)
	var pids []int
	for _, pid := range invokeTogether(t, s, 3) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// This is checked at once, because afterwards anybody may take the port.
	if response, err := http.Get(s.URL() + "/echo"); err == nil {
		response.Body.Close()
		t.Error("the gateway still answers")
	}
	for _, pid := range pids {
		awaitEnd(t, pid)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
}
