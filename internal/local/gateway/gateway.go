// Package gateway stands for an HTTP API of API Gateway: it makes an event of a request, invokes the route's function,
// and makes a response of its result. Unlike API Gateway it has no throttling, authorizers, access logs and X-Ray; it
// speaks plain HTTP, and the domainName of an event is the host that was called, with its port.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/identifier"
	"frontdesk/internal/local/lambda"
	"frontdesk/internal/local/template"
)

// Gateway is an API. What is no function's answer is one of these: 204 for a preflight, where the API has CORS; 404 for
// an unknown route or method; 413 for an event that Lambda does not take; 431 for a request whose line and headers are
// too large; 500 for a function that failed, crashed, timed out or answered something malformed; 503 for one that does
// not answer within 30 s.
type Gateway struct {
	config Config
	router router
}

// Config is what a Gateway needs.
type Config struct {
	Routes    []template.Route
	CORS      *template.CORS // nil: none
	AccountID string         // of events
	Lambda    *lambda.Service
	Timeout   time.Duration // of a function, until it answers; default 30 s
	Record    func(Request) // called for every request that is answered
	Log       *slog.Logger
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const (
	integrationTimeout = 30 * time.Second
	// maxHead is the "total combined size of request line and header values", in bytes.
	maxHead = 10240
)

// New routes as the most specific of the routes says.
func New(c Config) *Gateway {
	c.Timeout = cmp.Or(c.Timeout, integrationTimeout)
	return &Gateway{config: c, router: newRouter(c.Routes)}
}

// HasRoute tells whether the API has a route for a method and a path.
func (g *Gateway) HasRoute(method, path string) bool {
	_, _, ok := g.router.match(method, path)
	return ok
}

// Request is what is remembered of one request to the API, also of one that no function has seen.
type Request struct {
	ID       string        // the response's apigw-requestid
	At       time.Time     // when it came
	Method   string        // as sent
	Path     string        // as sent, without the query
	Query    string        // as sent, without the question mark
	Status   int           // of the response
	Duration time.Duration // until the response was there
	Function string        // logical id; empty when there is no such route
	Header   http.Header   // as sent
	Body     Text          // of the request, as far as a function was to see it
	Answer   Text          // the response's body, not compressed
}

// Text is a body as it is remembered.
type Text struct {
	Begin string // at most MaxBegin bytes of it
	Size  int    // bytes of all of it
}

// MaxBegin is how much of a body is remembered, in bytes.
const MaxBegin = 64 << 10

// begin copies: all of a large body would stay in memory otherwise.
func begin[T string | []byte](body T) Text {
	return Text{strings.Clone(string(body[:min(len(body), MaxBegin)])), len(body)}
}

var errIntegrationTimeout = errors.New("the gateway waits no longer")

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := Request{
		ID: identifier.RequestID(), At: time.Now(), Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		Header: r.Header,
	}
	w.Header().Set("Apigw-Requestid", request.ID)
	var response *response
	cors := cors{g.config.CORS}
	route, variables, routed := g.router.match(request.Method, request.Path)
	switch {
	case headSize(r) > maxHead:
		response = errorResponse(http.StatusRequestHeaderFieldsTooLarge)
	case cors.isPreflight(r), cors.CORS != nil && !routed && r.Method == http.MethodOptions:
		response = cors.preflight(r)
	case routed:
		request.Function = route.Function
		response = g.respond(r, &request, route, variables)
		cors.apply(r, response)
	default:
		response = errorResponse(http.StatusNotFound)
	}
	request.Status, request.Duration = response.status, time.Since(request.At)
	request.Answer = begin(response.content())
	g.config.Record(request) // before the client knows of it
	response.write(w)
}

// headSize is what counts against maxHead: method, path with query, protocol, and the name and the value of each
// header. AWS names the values alone; that the names count too is the stricter reading. Separators do not count.
func headSize(r *http.Request) int {
	size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len("Host") + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	return size
}

// maxDrain is how much is read of a body that is too large, in bytes.
const maxDrain = 64 << 20

func (g *Gateway) respond(r *http.Request, known *Request, to template.Route, variables map[string]string) *response {
	body, err := httpbody.Read(io.LimitReader(r.Body, lambda.MaxEvent+1), min(r.ContentLength, lambda.MaxEvent))
	if err != nil {
		return errorResponse(http.StatusBadRequest)
	}
	if len(body) > lambda.MaxEvent {
		io.CopyN(io.Discard, r.Body, maxDrain) // many clients read no answer before they have sent everything
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
	if len(event) > lambda.MaxEvent {
		return errorResponse(http.StatusRequestEntityTooLarge)
	}
	trace := e.Headers["x-amzn-trace-id"]
	return g.integrate(to.Function, lambda.Event{RequestID: known.ID, Trace: trace, Payload: event})
}

// integrate waits for the function's response as long as API Gateway does. The invocation goes on behind a 503, and
// behind a client that has gone.
func (g *Gateway) integrate(function string, e lambda.Event) *response {
	ctx, cancel := context.WithTimeoutCause(context.Background(), g.config.Timeout, errIntegrationTimeout)
	responses := make(chan *response, 1)
	go func() {
		defer cancel()
		responses <- g.invoke(ctx, function, e)
	}()
	<-ctx.Done() // the invocation has ended, or the time has passed
	select {
	case response := <-responses:
		return response
	default:
		return errorResponse(http.StatusServiceUnavailable)
	}
}

// invoke runs the function, remembers that, and logs what the client is not told.
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
	g.config.Lambda.Remember(record)
	return response
}
