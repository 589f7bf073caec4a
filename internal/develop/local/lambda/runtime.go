package lambda

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/develop/local/awsform"
)

// runtimeAPI is the Lambda Runtime API, version 2018-06-01, for one process. The process asks for its next event, and
// posts the result.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
type runtimeAPI struct {
	arn    string // of the function
	mux    *http.ServeMux
	events chan *pending // passes events to the process's call of /next
	ready  chan struct{} // closed at the first call of /next
	failed chan error    // receives what the process posts to /init/error

	mu      sync.Mutex
	asked   bool
	current *pending
	latest  string // API Gateway's id of the latest request
}

// MaxEvent is Lambda's limit for the event of a synchronous invocation, in bytes.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const MaxEvent = 6 * 1024 * 1024

// MaxResult is Lambda's limit for the result of a function, in bytes: 6 MB and 100 bytes.
const MaxResult = 6*1024*1024 + 100

var errTooLarge = fmt.Errorf("Function.ResponseSizeTooLarge: the result exceeds %d bytes", MaxResult)

// pending is an event on its way through a process.
type pending struct {
	Event
	id       string // Lambda's, a UUID
	deadline time.Time

	answered chan struct{} // closed when the process has posted a result or a failure
	result   []byte
	failure  error
	over     chan struct{} // closed when the process has asked for its next event after that
}

// newPending gives an event an id of Lambda's form, which differs from API Gateway's request id.
func newPending(e Event) *pending {
	return &pending{Event: e, id: awsform.UUID(), answered: make(chan struct{}), over: make(chan struct{})}
}

// newRuntimeAPI returns the API for a process of the function with this ARN.
func newRuntimeAPI(functionARN string) *runtimeAPI {
	api := &runtimeAPI{
		arn:    functionARN,
		mux:    http.NewServeMux(),
		events: make(chan *pending),
		ready:  make(chan struct{}),
		failed: make(chan error, 1),
	}
	api.mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", api.next)
	api.mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", api.response)
	api.mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", api.failure)
	api.mux.HandleFunc("POST /2018-06-01/runtime/init/error", api.initError)
	return api
}

// ServeHTTP answers the calls of the process.
func (api *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api.mux.ServeHTTP(w, r)
}

// serving returns API Gateway's id and the tracing header of the request that the process is serving, or "" twice if
// the process is idle.
func (api *runtimeAPI) serving() (requestID, trace string) {
	api.mu.Lock()
	defer api.mu.Unlock()
	if api.current == nil {
		return "", ""
	}
	return api.current.RequestID, api.current.Trace
}

// latestRequestID returns API Gateway's id of the request that the process is serving or has served last. Output is
// read a little after it was written, so it may belong to a request that has just ended.
func (api *runtimeAPI) latestRequestID() string {
	api.mu.Lock()
	defer api.mu.Unlock()
	return api.latest
}

// next ends the previous invocation, which is over only now, and waits for an event.
func (api *runtimeAPI) next(w http.ResponseWriter, r *http.Request) {
	if !api.endInvocation() {
		writeRuntimeError(w, http.StatusForbidden, "InvalidStateTransition", "the current invocation has no result yet")
		return
	}
	var inv *pending
	select {
	case inv = <-api.events:
	// The process has ended while it waited.
	case <-r.Context().Done():
		return
	}
	api.mu.Lock()
	api.current, api.latest = inv, inv.RequestID
	api.mu.Unlock()

	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(inv.Payload)))
	h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", api.arn)
	h.Set("Lambda-Runtime-Trace-Id", inv.Trace)
	w.Write(inv.Payload) // an error will show as the end of the process
}

// endInvocation ends the current invocation. It returns false if that has no result yet.
func (api *runtimeAPI) endInvocation() bool {
	api.mu.Lock()
	defer api.mu.Unlock()
	if !api.asked {
		api.asked = true
		close(api.ready)
	}
	if api.current == nil {
		return true
	}
	select {
	case <-api.current.answered:
	default:
		return false
	}
	close(api.current.over)
	api.current = nil
	return true
}

// response takes the result of the current invocation. A result that is too large fails the invocation.
func (api *runtimeAPI) response(w http.ResponseWriter, r *http.Request) {
	result, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxResult))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		if api.answer(w, r, nil, errTooLarge) {
			writeRuntimeError(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge",
				fmt.Sprintf("Exceeded maximum allowed payload size (%d bytes).", MaxResult))
		}
		return
	}
	if err != nil {
		// The process ended in the middle of its result.
		return
	}
	// A streamed result reports its error in a trailer, after the bytes that were sent.
	if kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type"); kind != "" {
		err = fmt.Errorf("%s: the result broke off", kind)
	}
	if api.answer(w, r, result, err) {
		writeRuntimeStatus(w)
	}
}

// failure takes the error of the current invocation.
func (api *runtimeAPI) failure(w http.ResponseWriter, r *http.Request) {
	if failure, err := readRuntimeError(w, r); err == nil && api.answer(w, r, nil, failure) {
		writeRuntimeStatus(w)
	}
}

// initError takes the error of the initialization, once.
func (api *runtimeAPI) initError(w http.ResponseWriter, r *http.Request) {
	failure, err := readRuntimeError(w, r)
	if err != nil {
		return
	}
	select {
	case api.failed <- failure:
		writeRuntimeStatus(w)
	default:
		writeRuntimeError(w, http.StatusForbidden, "InvalidStateTransition", "the initialization has failed before")
	}
}

// answer sets the outcome of the current invocation. It returns false if the request is about another invocation or the
// outcome is already set. Then it has told the process so.
func (api *runtimeAPI) answer(w http.ResponseWriter, r *http.Request, result []byte, failure error) bool {
	api.mu.Lock()
	defer api.mu.Unlock()
	inv := api.current
	if inv == nil || inv.id != r.PathValue("id") {
		writeRuntimeError(w, http.StatusBadRequest, "InvalidRequestID", "Invalid request ID")
		return false
	}
	select {
	case <-inv.answered:
		writeRuntimeError(w, http.StatusForbidden, "InvalidStateTransition", "the invocation has a result already")
		return false
	default:
	}
	inv.result, inv.failure = result, failure
	close(inv.answered)
	return true
}

// readRuntimeError reads a function's own description of its failure.
func readRuntimeError(w http.ResponseWriter, r *http.Request) (failure, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxResult))
	if err != nil {
		return nil, fmt.Errorf("read the function's error: %w", err)
	}
	var f struct{ ErrorMessage, ErrorType string }
	if json.Unmarshal(body, &f) != nil || f.ErrorType == "" {
		// The body is optional, the header is not.
		f.ErrorType = r.Header.Get("Lambda-Runtime-Function-Error-Type")
	}
	return fmt.Errorf("%s: %s", f.ErrorType, f.ErrorMessage), nil
}

// writeRuntimeStatus answers as Lambda does to a result that it has accepted.
func writeRuntimeStatus(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	io.WriteString(w, `{"status":"OK"}`)
}

// writeRuntimeError refuses a call of the process, in the form of the Runtime API's errors.
func writeRuntimeError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"errorType": kind, "errorMessage": message})
}
