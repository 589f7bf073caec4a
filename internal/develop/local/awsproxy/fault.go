package awsproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/dynamodb"
)

// Fault is what goes wrong with a call; see [Proxy.Inject].
type Fault struct {
	delay     time.Duration
	answer    func(Call) *awsform.Error // returns nil if a call cannot fail in this way
	cutBefore bool
	cutAfter  bool
	kill      bool // together with a cut: also the caller's process
	slow      time.Duration
	late      func(apply func())
	measured  func(units float64)
}

// Throttled refuses the call like an overloaded service: DynamoDB with ProvisionedThroughputExceededException (400),
// SES with TooManyRequestsException (429). Nothing was applied.
var Throttled = &Fault{answer: throttled}

// Conflict refuses the call as if a transaction were changing the same item. A transaction gets
// TransactionCanceledException with the reason TransactionConflict for its first item, a write of one item gets
// TransactionConflictException. Nothing was applied. Other calls cannot conflict, and are served.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
var Conflict = &Fault{answer: conflict}

// ServerError answers 500 with InternalServerError. Nothing was applied, but the caller cannot know that.
var ServerError = &Fault{answer: serverError}

// Refuse refuses the call with this error of the service. Nothing was applied.
func Refuse(status int, code, message string) *Fault {
	return &Fault{answer: func(Call) *awsform.Error { return awsform.New(status, awsform.Coral+code, message) }}
}

// CutBefore cuts the connection instead of serving the call. Nothing was applied.
var CutBefore = &Fault{cutBefore: true}

// CutAfter serves the call and cuts the connection before the first byte of the answer. The call was applied.
var CutAfter = &Fault{cutAfter: true}

// KillBefore kills the caller's process instead of serving the call. Nothing was applied.
var KillBefore = &Fault{cutBefore: true, kill: true}

// KillAfter serves the call and kills the caller's process before the first byte of the answer. The call was applied.
var KillAfter = &Fault{cutAfter: true, kill: true}

// Delay serves the call after d, unless the caller has left by then.
func Delay(d time.Duration) *Fault { return &Fault{delay: d} }

// Slow makes a transaction take d longer within the database. Meanwhile other transactions conflict with it, and a
// repetition of the same one gets TransactionInProgressException. It is applied whether the caller waits or not. With
// cut, the connection is cut as the transaction begins. Calls that are no transactions are served normally.
func Slow(d time.Duration, cut bool) *Fault { return &Fault{slow: d, cutBefore: cut} }

// Late cuts the connection and passes the call to arrive, which calls apply whenever the call should reach the service.
// So an attempt can be applied after those that repeat it, as if it was delayed on the way. Apply returns once the
// service has answered; nobody gets the answer.
func Late(arrive func(apply func())) *Fault { return &Fault{late: arrive} }

// Measured serves the call, and tells how many capacity units of DynamoDB it took.
func Measured(report func(units float64)) *Fault { return &Fault{measured: report} }

// serve serves a call with the fault. It calls kill to end the caller's process.
func (f *Fault) serve(w http.ResponseWriter, r *http.Request, call Call, s *service, kill func()) {
	if f.delay > 0 {
		wait := time.NewTimer(f.delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			closeConnection(w)
			return
		}
	}
	if f.answer != nil {
		if e := f.answer(call); e != nil {
			e.Write(w, s.protocol)
			return
		}
	}
	if f.slow > 0 && call.Action == "TransactWriteItems" {
		r = r.WithContext(contention.Slow(r.Context(), f.slow))
	}
	// The call reaches the service although its connection, and so its context, has ended.
	unanswered := func() { s.backend.ServeHTTP(discard{}, r.WithContext(context.WithoutCancel(r.Context()))) }
	switch {
	case f.cutAfter:
		s.backend.ServeHTTP(discard{}, r)
	case f.late != nil:
		f.late(unanswered)
	case f.cutBefore && f.slow > 0:
		go unanswered()
	case f.measured != nil:
		f.measure(w, r, call, s.backend)
		return
	case !f.cutBefore:
		s.backend.ServeHTTP(w, r)
		return
	}
	if f.kill {
		kill()
	}
	closeConnection(w)
}

// measure serves a call, and tells what it took before the caller has the whole answer.
func (f *Fault) measure(w http.ResponseWriter, r *http.Request, call Call, backend http.Handler) {
	body := dynamodb.AskForCapacity(call.Body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	held := &held{ResponseWriter: w}
	backend.ServeHTTP(held, r)
	f.measured(dynamodb.Capacity(held.body.Bytes()))
	w.Write(held.body.Bytes())
}

// held is a ResponseWriter that holds the body back.
type held struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }

// closeConnection closes the connection without an answer.
func closeConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http then closes the connection
	}
	conn.Close()
}

// discard is a ResponseWriter that drops the answer.
type discard struct{}

func (discard) Header() http.Header         { return make(http.Header) }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// throttled answers as the service does that a call went to: the SDKs recognize throttling by these codes.
func throttled(c Call) *awsform.Error {
	if c.Service == serviceSES {
		return awsform.New(http.StatusTooManyRequests, "TooManyRequestsException", "Maximum sending rate exceeded.")
	}
	return awsform.New(http.StatusBadRequest, awsform.DynamoDB+"ProvisionedThroughputExceededException",
		"The level of configured provisioned throughput for the table was exceeded. "+
			"Consider increasing your provisioning level with the UpdateTable API.")
}

// serverError answers with a failure that the SDKs retry.
func serverError(c Call) *awsform.Error {
	if c.Service == serviceSES {
		return awsform.New(http.StatusInternalServerError, "InternalServiceErrorException", "Internal service error.")
	}
	const code = awsform.DynamoDB + "InternalServerError"
	return awsform.New(http.StatusInternalServerError, code, "Internal server error")
}

// conflict names the first item of a transaction. A transaction without items is left to the database, which
// refuses it.
func conflict(c Call) *awsform.Error {
	n := 1
	if strings.HasPrefix(c.Action, "Transact") {
		var in struct{ TransactItems []json.RawMessage }
		if err := json.Unmarshal(c.Body, &in); err != nil || len(in.TransactItems) == 0 {
			// Not a valid request: the database explains why.
			return nil
		}
		n = len(in.TransactItems)
	}
	return contention.Conflict(c.Action, n, 0)
}
