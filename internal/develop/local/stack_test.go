package local_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/echo"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// stackTemplate is the template of the tests' stacks, and functions are the programs of its functions.
var (
	stackTemplate = filepath.Join("testdata", "stack.yaml")
	functions     = []string{"echo", "short", "hanging-init", "failing-init", "record"}
)

// builds is the folder with the functions of those stacks that have processes. All of them are the program
// testdata/function.
var builds string

// TestMain builds the functions once for all tests of the package.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if builds, err = os.MkdirTemp("", "builds"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(builds)
		// One program is every function: the path of a request says what it does.
		program := filepath.Join(builds, functions[0])
		build := exec.Command("go", "build", "-ldflags=-s", "-o", program, "./testdata/function")
		if output, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build testdata/function: %v\n%s", err, output)
			return 1
		}
		for _, name := range functions[1:] {
			if err := os.Link(program, filepath.Join(builds, name)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		return m.Run()
	}())
}

// startStack starts the stack of testdata/stack.yaml in the test's bubble.
func startStack(t testing.TB, change ...func(*local.Options)) *local.Stack {
	t.Helper()
	programs := map[string]lambda.Program{}
	for _, name := range functions {
		programs[name] = echo.Open
	}
	testdata := func(o *local.Options) { o.Template, o.Programs = stackTemplate, programs }
	return localtest.Start(t, append([]func(*local.Options){testdata}, change...)...)
}

// startProcesses is startStack with real processes: see [localtest.StartBootstraps].
func startProcesses(t testing.TB, change ...func(*local.Options)) *local.Stack {
	t.Helper()
	testdata := func(o *local.Options) { o.Template, o.Builds = stackTemplate, builds }
	return localtest.StartBootstraps(t, append([]func(*local.Options){testdata}, change...)...)
}

// answer is a response whose body was read.
type answer struct {
	*http.Response
	body string
}

// do sends a request to one of a stack's servers, and reads the whole answer.
func do(t testing.TB, s *local.Stack, request *http.Request) answer {
	t.Helper()
	response, err := s.Client().Transport.RoundTrip(request) // no redirects
	if err != nil {
		t.Fatalf("%s %s: %v", request.Method, request.URL, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: read the body: %v", request.Method, request.URL, err)
	}
	return answer{response, string(body)}
}

// get sends a GET request for a path of the API.
func get(t testing.TB, s *local.Stack, path string) answer {
	t.Helper()
	return do(t, s, newRequest(t, http.MethodGet, s.URL()+path, ""))
}

// post sends a body as plain text, which reaches a function unencoded.
func post(t testing.TB, s *local.Stack, path, body string) answer {
	t.Helper()
	request := newRequest(t, http.MethodPost, s.URL()+path, body)
	request.Header.Set("Content-Type", "text/plain")
	return do(t, s, request)
}

// newRequest returns a request that ends with the test.
func newRequest(t testing.TB, method, url, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// want fails the test unless the answer has this status and this body.
func (a answer) want(t testing.TB, status int, body string) {
	t.Helper()
	if a.StatusCode != status || a.body != body {
		t.Errorf("got %d %q, want %d %q", a.StatusCode, a.body, status, body)
	}
}

// TestFunctionsCallsGoThroughTheAWSProxy shows that the AWS proxy enforces the template's policies, and assigns each
// call to its request.
func TestFunctionsCallsGoThroughTheAWSProxy(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		table := s.Environ()["TABLE_NAME"]
		key := `{"PK":{"S":"a"},"SK":{"S":"b"}}`
		allowed := post(t, s, "/do/call?operation=GetItem", `{"TableName":"`+table+`","Key":`+key+`}`)
		allowed.want(t, http.StatusOK, "{}")
		refused := post(t, s, "/do/call?operation=PutItem", `{"TableName":"`+table+`","Item":`+key+`}`)
		expect.Equal(t, refused.StatusCode, http.StatusBadRequest, "what the policy does not allow")
		expect.Contains(t, refused.body, "AccessDeniedException", "what the policy does not allow")
		for a, action := range map[*answer]string{&allowed: "GetItem", &refused: "PutItem"} {
			calls := s.AWSProxy().Calls(a.Header.Get("apigw-requestid"))
			expect.Len(t, calls, 1)
			expect.Equal(t, calls[0].Action, action)
			expect.Equal(t, calls[0].Function, "EchoFunction")
			expect.Equal(t, calls[0].N, 1)
		}
	})
}

// TestStackHasPagesOfItsOwn shows that a page added by Handle stands beside the console's.
func TestStackHasPagesOfItsOwn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		s.Handle("GET /_local/page",
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") }))
		get(t, s, "/_local/page").want(t, http.StatusOK, "page")
		get(t, s, "/_local/outbox").want(t, http.StatusOK, "[]\n")
	})
}

// TestRequestUnderWayIsAnsweredBeforeTheStackCloses shows that a running request is answered, although no new one
// is accepted.
func TestRequestUnderWayIsAnsweredBeforeTheStackCloses(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		arrived, leave := make(chan bool), make(chan bool)
		barrier := localtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			close(arrived)
			<-leave
		}))
		answered := make(chan answer)
		go func() { answered <- get(t, s, "/do/fetch?url="+barrier.URL) }()
		<-arrived
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		synctest.Wait()
		_, err := s.Network().Dial(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
		expect.Contains(t, fmt.Sprint(err), "refused", "another request")
		close(leave)
		if a := <-answered; a.StatusCode != http.StatusOK {
			t.Errorf("got %d %s", a.StatusCode, a.body)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

// TestConnectionWithoutARequestIsNotWaitedFor shows that Close does not wait for idle connections, which browsers open
// in advance.
func TestConnectionWithoutARequestIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		conn, err := s.Network().Dial(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		get(t, s, "/echo") // accepted after conn, so conn is accepted too
		began := time.Now()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = conn.Read(make([]byte, 1))
		expect.Equal(t, err, io.EOF)
		expect.AtMost(t, time.Since(began), 2*time.Second) // less than the three seconds that requests get
	})
}

// TestStackThatCannotStartLeavesNothing shows that a taken port is reported, before anything else is started.
func TestStackThatCannotStartLeavesNothing(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = local.Start(t.Context(), local.Options{
		Root: filepath.Join("..", "..", ".."), Template: stackTemplate, Builds: builds,
		DynamoDB: os.Getenv("DYNAMODB_ENDPOINT"), Addr: taken.Addr().String(),
	})
	expect.Contains(t, fmt.Sprint(err), "start the gateway")
	expect.Contains(t, fmt.Sprint(err), "in use")
}

// zombie reports whether a process has ended, but its parent has not collected it.
func zombie(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(status), ") Z ")
}
