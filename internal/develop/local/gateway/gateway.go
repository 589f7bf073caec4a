// Package gateway stands in for an HTTP API of API Gateway. It turns a request into an event, invokes the route's
// function, and turns the result into a response. It differs from API Gateway: it has no throttling, authorizers,
// access logs and X-Ray, it speaks plain HTTP, and an event's domainName is the host that the client called, with
// its port.
package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/develop/local/samtemplate"
)

// Gateway is an API. Its own answers, without or instead of a function's, are:
//
//   - 204 for a preflight, if the API has a CORS configuration
//   - 404 for an unknown route or method
//   - 413 for an event that is too large for Lambda
//   - 431 for a request line and headers that are too large
//   - 500 if the function failed, crashed, timed out or returned a malformed result
//   - 503 if the function does not answer within 30 s
type Gateway struct {
	config Config
	router Router
}

// Config is what a Gateway needs.
type Config struct {
	Routes    []samtemplate.Route
	CORS      *samtemplate.CORS // nil if there is none
	AccountID string            // in events
	Lambda    *lambda.Service
	Record    func(Request) // called for every answered request
	Log       *slog.Logger
}

// Limits of HTTP APIs.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const (
	integrationTimeout = 30 * time.Second
	// maxHead is the "total combined size of request line and header values", in bytes.
	maxHead = 10240
)

// New returns a gateway that sends each request to the most specific matching route.
func New(c Config) *Gateway {
	return &Gateway{config: c, router: NewRouter(c.Routes)}
}

// HasRoute reports whether the API has a route for this method and path.
func (g *Gateway) HasRoute(method, path string) bool {
	_, _, ok := g.router.Match(method, path)
	return ok
}

// Request is what is remembered of a request to the API, even if no function has seen it.
type Request struct {
	ID       string        // the response's apigw-requestid
	At       time.Time     // when it arrived
	Method   string        // as sent
	Path     string        // as sent, without the query
	Query    string        // as sent, without the question mark
	Status   int           // of the response
	Duration time.Duration // until the response was complete
	Function string        // logical id; empty if no route matched
	Header   http.Header   // as sent
	Body     Text          // the request's, as far as it was read for the function
	Answer   Text          // the response's body, before compression
}

// Text is a body as it is remembered.
type Text struct {
	Begin string // at most MaxBegin bytes
	Size  int    // of the whole body, in bytes
}

// MaxBegin limits how much of a body is remembered, in bytes.
const MaxBegin = 64 << 10

// begin copies the start of a body. A slice would keep all of a large body in memory.
func begin[T string | []byte](body T) Text {
	return Text{strings.Clone(string(body[:min(len(body), MaxBegin)])), len(body)}
}

// errIntegrationTimeout is the cause for which a wait for a free process ends, and becomes a 503.
var errIntegrationTimeout = errors.New("the gateway waits no longer")

// ServeHTTP answers a request. It records the request before it answers, so that a client that has the answer finds
// the record.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := Request{
		ID: awsform.RequestID(), At: time.Now(), Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		Header: r.Header,
	}
	w.Header().Set("Apigw-Requestid", request.ID)
	var response *response
	cors := cors{g.config.CORS}
	route, variables, routed := g.router.Match(request.Method, request.Path)
	switch {
	// The size is checked first, even for a path without a route.
	case headSize(r) > maxHead:
		response = errorResponse(http.StatusRequestHeaderFieldsTooLarge)
	case cors.isPreflight(r), cors.CORS != nil && !routed && r.Method == http.MethodOptions:
		response = cors.preflight(r)
	case routed:
		request.Function = route.Function
		response = g.respond(r, &request, route, variables)
		cors.apply(r, response)
	// Another route's method, an unknown path, or OPTIONS without CORS.
	default:
		response = errorResponse(http.StatusNotFound)
	}
	request.Status, request.Duration = response.status, time.Since(request.At)
	request.Answer = begin(response.content())
	g.config.Record(request) // before the client has the answer
	response.write(w)
}

// headSize returns the size that counts against maxHead: method, path with query, protocol, and each header's name and
// value. AWS mentions only the values; counting the names too is the stricter reading. Separators do not count.
func headSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("Host") + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	return size
}

// maxDrain limits how much of a body that is too large is read, in bytes.
const maxDrain = 64 << 20

// respond sends the request to its function as an event. Body limits are those of Lambda: API Gateway's own of 10 MB is
// never reached.
func (g *Gateway) respond(
	r *http.Request, known *Request, to samtemplate.Route, variables map[string]string,
) *response {
	body, err := httpserver.ReadBody(io.LimitReader(r.Body, lambda.MaxEvent+1), min(r.ContentLength, lambda.MaxEvent))
	if err != nil {
		return errorResponse(http.StatusBadRequest)
	}
	if len(body) > lambda.MaxEvent {
		io.CopyN(io.Discard, r.Body, maxDrain) // many clients read no answer before they have sent the whole body
		return errorResponse(http.StatusRequestEntityTooLarge)
	}
	known.Body = begin(body)
	e := newEvent(r, metadata{
		route:     to,
		variables: variables,
		requestID: known.ID,
		at:        time.Now(),
		bodySize:  len(body),
		accountID: g.config.AccountID,
	})
	event, err := eventJSON(e, r.Header.Get("Content-Type"), body)
	if err != nil {
		g.config.Log.Error("event", "request_id", known.ID, "error", err.Error())
		return errorResponse(http.StatusInternalServerError)
	}
	// Escapes and base64 may make the event larger than the body was.
	if len(event) > lambda.MaxEvent {
		return errorResponse(http.StatusRequestEntityTooLarge)
	}
	trace := e.Headers["x-amzn-trace-id"]
	return g.integrate(to.Function, lambda.Event{RequestID: known.ID, Trace: trace, Payload: event})
}

// integrate waits for the function's response as long as API Gateway does. The invocation continues after a 503, and
// after the client has gone.
func (g *Gateway) integrate(function string, e lambda.Event) *response {
	ctx, cancel := context.WithTimeoutCause(context.Background(), integrationTimeout, errIntegrationTimeout)
	// Room for one response, so that the goroutine ends although nobody waits any more.
	responses := make(chan *response, 1)
	go func() {
		defer cancel()
		responses <- g.invoke(ctx, function, e)
	}()
	<-ctx.Done() // until the invocation has ended, or the time is over
	select {
	// Whoever was ready at the last moment still counts.
	case response := <-responses:
		return response
	default:
		return errorResponse(http.StatusServiceUnavailable)
	}
}

// invoke runs the function and remembers the invocation. It logs errors, which the client does not see.
func (g *Gateway) invoke(ctx context.Context, function string, e lambda.Event) *response {
	result, record, err := g.config.Lambda.Invoke(ctx, function, e)
	var response *response
	if err == nil {
		response, err = parseResult(result)
	}
	if err != nil {
		record.Err = err.Error()
		g.config.Log.Error("invocation",
			"function", record.Function, "request_id", record.RequestID, "error", record.Err)
		response = errorResponse(http.StatusInternalServerError)
	}
	if errors.Is(err, errIntegrationTimeout) {
		response = errorResponse(http.StatusServiceUnavailable)
	}
	g.config.Lambda.RecordInvocation(record)
	return response
}
