package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/fixture"
)

// caller calls the API as a client does. It measures every request, and a missing answer is a violation. It
// checks every failure against the contract, but only some successes, because a check costs this machine more
// than the request.
type caller struct {
	url        string
	http       *http.Client
	history    *history // nil: nothing is measured
	violations *violations
	answers    atomic.Int64
}

// contractEvery is how many successes there are for each that is checked against the contract.
const contractEvery = 10

// gatewayTimeout is the longest that API Gateway lets an answer take.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const gatewayTimeout = 30 * time.Second

// newCaller returns a caller with enough idle connections for all clients at once. Without them the suite would
// measure how fast this machine opens connections.
func newCaller(network httpserver.Network, url string, clients int, v *violations) *caller {
	return &caller{url: url, violations: v, http: &http.Client{
		Transport: &http.Transport{
			DialContext: network.Dial, MaxIdleConnsPerHost: clients + 1, DisableCompression: true,
		},
		Timeout: gatewayTimeout + 10*time.Second, // longer, to tell a late answer from none
	}}
}

// request is a call of the API that its client expects to succeed.
type request struct {
	endpoint *endpoint
	values   []any  // of its path: see [fixture.To]
	query    string // see [fixture.Target.Query]
	token    string // for the header api_access_token
	key      string // for the header Idempotency-Key
	body     any    // url.Values as a form, all else as JSON; nil for none
	also     []int  // statuses that the answer may have besides those of the endpoint
}

// answer is the result of a request. A status of 0 means no answer at all.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request and judges the answer. It adds a violation for a missing or late answer, for a status that a
// good request must not get, and for an answer that breaks the contract. 503 with Retry-After and 500 are always
// allowed, because faults cause them.
func (c *caller) do(ctx context.Context, r request) answer {
	var body []byte
	var contentType string
	var unwritable error
	switch b := r.body.(type) {
	case nil:
	case url.Values:
		body, contentType = []byte(b.Encode()), "application/x-www-form-urlencoded"
	default:
		body, unwritable = json.Marshal(b)
		contentType = "application/json"
	}
	to := fixture.To(r.endpoint.operation, r.values...).Query(r.query)
	request, err := to.Request(ctx, c.url, bytes.NewReader(body))
	err = errors.Join(err, unwritable)
	if err != nil {
		panic(fmt.Sprintf("a request that is none: %v", err))
	}
	for name, value := range map[string]string{
		"api_access_token": r.token, "Idempotency-Key": r.key, "Content-Type": contentType,
	} {
		if value != "" {
			request.Header[name] = []string{value}
		}
	}
	// The time includes the body: the client has its answer only then.
	began := time.Now()
	response, err := c.http.Do(request)
	var got []byte
	if err == nil {
		got, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	took := time.Since(began)
	if err != nil {
		// A request that ended with the context says nothing about the API.
		if ctx.Err() == nil {
			c.violations.add("no answer: %s %s: %v", to.Method, to.Path, err)
		}
		c.history.add(operation{endpoint: r.endpoint, at: began, took: took, failure: "no answer"})
		return answer{}
	}
	a := answer{response.StatusCode, response.Header, got}
	c.history.add(operation{endpoint: r.endpoint, at: began, took: took, failure: a.failure()})
	if took > gatewayTimeout {
		c.violations.add("answered after %v: %s %s", took.Round(time.Millisecond), to.Method, to.Path)
	}
	again := a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != ""
	if !a.ok() && !again && a.status != http.StatusInternalServerError &&
		!slices.Contains(r.endpoint.refusals, a.status) && !slices.Contains(r.also, a.status) {
		c.violations.add("unexpected: %s %s %.200q: %s", to.Method, to.Path, body, a)
	}
	if n := c.answers.Add(1); a.failure() != "" || n%contractEvery == 0 {
		if err := contracttest.Check(request, body, response, got); err != nil {
			c.violations.add("against the contract: %s %s: %s: %v", to.Method, to.Path, a, err)
		}
	}
	return a
}

// ok reports whether the API acknowledged the request.
func (a answer) ok() bool { return a.status == http.StatusOK }

// unknown reports whether the request may or may not have been served. Every other failure means that nothing
// has happened.
func (a answer) unknown() bool { return a.status == 0 || a.status >= http.StatusInternalServerError }

// String is for violations. It has the request's id, by which its log lines can be found.
func (a answer) String() string {
	if a.status == 0 {
		return "no answer"
	}
	return fmt.Sprintf("%d %.300s (request %s)", a.status, a.body, a.header.Get("apigw-requestid"))
}

// fault returns what an answer says of its failure; "" for a success, and for a page.
func (a answer) fault() string {
	f := read[struct{ Message, Error string }](a)
	return f.Error + f.Message
}

// numbers are the ids, counts and limits in which failures of the same kind differ.
var numbers = regexp.MustCompile(`\d+`)

// failure returns the kind of a failure: the status and the message without its numbers; "" for a success.
func (a answer) failure() string {
	fault := a.fault()
	if a.ok() && fault == "" {
		return ""
	}
	return fmt.Sprintf("%d %s", a.status, numbers.ReplaceAllString(fault, "n"))
}

// read decodes an answer that has passed the contract. A page gives the zero value.
func read[T any](a answer) (v T) {
	_ = json.Unmarshal(a.body, &v)
	return v
}
