package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"frontdesk/internal/docs/contracttest"
)

// caller calls the API as a client does. Every request is measured, and an answer that does not come is a violation.
// Every failure is held against the contract, and some successes, which costs this machine more than the request.
type caller struct {
	url     string
	http    *http.Client
	record  *record // nil: nothing is measured
	broken  *violations
	answers atomic.Int64
}

// contractOf is how many successes there are for each one that is held against the contract.
const contractOf = 10

// patience is how long the API takes for an answer at most.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const patience = 30 * time.Second

func newCaller(url string, clients int, broken *violations) *caller {
	return &caller{url: url, broken: broken, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: clients + 1, DisableCompression: true},
		Timeout:   patience + 10*time.Second, // so that a late answer can be told from none
	}}
}

// request is a call of the API. Its client means it to succeed.
type request struct {
	endpoint     endpoint
	method, path string
	token        string // for the header api_access_token
	key          string // for the header Idempotency-Key
	body         []byte // JSON, nil for none
	// may are the statuses that the answer may have besides 200, and 500 while things fail.
	may []int
}

// answer is what came of a request. A status of 0 is no answer at all.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (c *caller) do(ctx context.Context, r request) answer {
	request, err := http.NewRequestWithContext(ctx, r.method, c.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		panic(fmt.Sprintf("a request that is none: %v", err))
	}
	if r.token != "" {
		request.Header["api_access_token"] = []string{r.token}
	}
	if r.key != "" {
		request.Header.Set("Idempotency-Key", r.key)
	}
	if r.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	response, err := c.http.Do(request)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	took := time.Since(began)
	if err != nil {
		if ctx.Err() == nil {
			c.broken.add("no answer: %s %s: %v", r.method, r.path, err)
		}
		c.record.add(sample{r.endpoint, began, took, "no answer"})
		return answer{}
	}
	a := answer{response.StatusCode, response.Header, body}
	c.record.add(sample{r.endpoint, began, took, a.failure()})
	if took > patience {
		c.broken.add("answered after %v: %s %s", took.Round(time.Millisecond), r.method, r.path)
	}
	if a.status != http.StatusOK && a.status != http.StatusInternalServerError && !slices.Contains(r.may, a.status) {
		c.broken.add("unexpected: %s %s %.200q: %s", r.method, r.path, r.body, a)
	}
	if n := c.answers.Add(1); a.failure() != "" || n%contractOf == 0 {
		if err := contracttest.Check(request, r.body, response, body); err != nil {
			c.broken.add("against the contract: %s %s: %s: %v", r.method, r.path, a, err)
		}
	}
	return a
}

// ok reports whether the request is acknowledged.
func (a answer) ok() bool { return a.status == http.StatusOK }

// unknown reports whether nobody knows what has become of the request. Any other answer than a success says that
// nothing has happened.
func (a answer) unknown() bool { return a.status == 0 || a.status >= http.StatusInternalServerError }

// String is for a violation: by the request's id its lines of the log can be found.
func (a answer) String() string {
	if a.status == 0 {
		return "no answer"
	}
	return fmt.Sprintf("%d %.300s (request %s)", a.status, a.body, a.header.Get("apigw-requestid"))
}

// fault is what an answer says of its failure; "" for a success.
func (a answer) fault() string {
	var f struct{ Message, Error string }
	if json.Unmarshal(a.body, &f) != nil { // a page
		return ""
	}
	return f.Error + f.Message
}

var numbers = regexp.MustCompile(`\d+`)

// failure is the kind of a failure: the status and what the answer says, whatever the numbers in it; "" for a success.
func (a answer) failure() string {
	fault := a.fault()
	if a.ok() && fault == "" {
		return ""
	}
	return fmt.Sprintf("%d %s", a.status, numbers.ReplaceAllString(fault, "n"))
}

// read decodes an answer that the contract has been satisfied with.
func read[T any](a answer) (v T) {
	_ = json.Unmarshal(a.body, &v)
	return v
}

// write encodes a body.
func write(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a body that is no JSON: %v", err))
	}
	return text
}
