package bench

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// runtimeAPI is the Lambda Runtime API of one process: it hands events to the process, one after the other, and takes
// the answers.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
type runtimeAPI struct {
	server  *httptest.Server
	asked   chan time.Time // gets when the process asks for an event
	events  chan []byte
	answers chan answer
}

// answer is the result of one event.
type answer struct {
	at     time.Time // of its last byte
	body   []byte
	failed bool
}

func newRuntimeAPI() *runtimeAPI {
	api := &runtimeAPI{asked: make(chan time.Time, 1), events: make(chan []byte, 1), answers: make(chan answer, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", api.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/{outcome}", api.outcome)
	api.server = httptest.NewServer(mux)
	return api
}

// timeout is the longest that a function may take for an event.
const timeout = 30 * time.Second

// next answers the process's request for an event once there is one. Meanwhile the process waits; Lambda would
// freeze it.
func (api *runtimeAPI) next(w http.ResponseWriter, r *http.Request) {
	api.asked <- time.Now()
	select {
	case event := <-api.events:
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd")
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(timeout).UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:123456789012:function:bench")
		h.Set("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0")
		w.Write(event) // an error shows as the end of the process
	case <-r.Context().Done(): // the process has ended
	}
}

func (api *runtimeAPI) outcome(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process has ended in the middle of it
	}
	api.answers <- answer{time.Now(), body, r.PathValue("outcome") != "response"}
	w.WriteHeader(http.StatusAccepted)
}
