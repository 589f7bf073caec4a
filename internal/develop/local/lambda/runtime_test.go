package lambda

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
)

// TestRuntimeAPIKeepsTheProcessInOrder calls the API in right and wrong orders, and shows its errors.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
func TestRuntimeAPIKeepsTheProcessInOrder(t *testing.T) {
	api := newRuntimeAPI("arn")
	server := httptest.NewServer(api)
	defer server.Close()
	call := func(method, path, body string) (int, string) {
		t.Helper()
		url := server.URL + "/2018-06-01/runtime" + path
		request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	// The steps build on each other: each finds the API in the state that the step before has left.
	steps := []struct {
		name, method, path, body string
		status                   int
		answer                   string // a part of it
	}{
		// Before the first event no request id is valid.
		{"a result for nothing", "POST", "/invocation/one/response", "{}", 400, "InvalidRequestID"},
		{"the event", "GET", "/invocation/next", "", 200, `{"event":1}`},
		// A process serves one event at a time.
		{"the next before the result", "GET", "/invocation/next", "", 403, "InvalidStateTransition"},
		{"a result for another", "POST", "/invocation/two/response", "{}", 400, "InvalidRequestID"},
		{"the result", "POST", "/invocation/one/response", `{"result":1}`, 202, "OK"},
		{"the result again", "POST", "/invocation/one/response", "{}", 403, "InvalidStateTransition"},
		{"an error after the result", "POST", "/invocation/one/error", "{}", 403, "InvalidStateTransition"},
		{"no such path", "GET", "/invocation/last", "", 404, ""},
		{"an error of the initialization", "POST", "/init/error", `{"errorType":"E","errorMessage":"m"}`, 202, "OK"},
		{"that error again", "POST", "/init/error", `{}`, 403, "InvalidStateTransition"},
	}
	// The channel has no buffer, so the event waits until the second step asks for it.
	inv := newPending(Event{Payload: []byte(`{"event":1}`)})
	inv.id, inv.deadline = "one", time.Now()
	go func() { api.events <- inv }()
	for _, step := range steps {
		status, answer := call(step.method, step.path, step.body)
		if status != step.status || !strings.Contains(answer, step.answer) {
			t.Errorf("%s: got %d %s, want %d %s", step.name, status, answer, step.status, step.answer)
		}
	}
	<-inv.answered
	expect.Equal(t, string(inv.result), `{"result":1}`)
	if inv.failure != nil {
		t.Fatal(inv.failure)
	}
	if err := <-api.failed; err.Error() != "E: m" {
		t.Errorf("the initialization's error is %q", err)
	}
}
