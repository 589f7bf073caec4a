package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"frontdesk/internal/local/httpbody"
	"frontdesk/internal/local/identifier"
	"frontdesk/internal/local/lambda"
	"frontdesk/internal/local/template"
)

// gateway is the HTTP API: it makes an event of a request, invokes the route's function, and makes
// a response of its result. It has no CORS, no throttling and no authorizers.
//
// What is no function's answer is one of these: 404 for an unknown route or method; 413 for an event
// that Lambda does not take; 500 for a function that failed, crashed, timed out or answered
// something malformed; 503 for one that does not answer within 30 s.
type gateway struct {
	router   router
	lambda   *lambda.Service
	timeout  time.Duration
	remember func(Request) // called for every request that is answered
	log      *slog.Logger
}

var errIntegrationTimeout = errors.New("the gateway waits no longer")

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := Request{
		ID: identifier.RequestID(), At: time.Now(), Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
	}
	w.Header().Set("Apigw-Requestid", request.ID)
	var response *response
	if route, variables, ok := g.router.match(request.Method, request.Path); ok {
		request.Function = route.Function
		response = g.respond(r, request.ID, route, variables)
	} else {
		response = refusal(http.StatusNotFound, "Not Found")
	}
	request.Status, request.Duration = response.status, time.Since(request.At)
	g.remember(request) // before the client knows of it
	response.write(w)
}

func (g *gateway) respond(r *http.Request, requestID string, route template.Route, variables map[string]string) *response {
	body, err := readEventBody(r)
	if errors.Is(err, errTooLarge) {
		return refusal(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	if err != nil {
		return refusal(http.StatusBadRequest, "Bad Request")
	}
	e := newEvent(r, arrival{
		route:     route,
		variables: variables,
		requestID: requestID,
		at:        time.Now(),
		bodySize:  len(body),
	})
	event, err := eventJSON(e, r.Header.Get("Content-Type"), body)
	if err != nil {
		g.log.Error("event", "request_id", requestID, "error", err.Error())
		return refusal(http.StatusInternalServerError, "Internal Server Error")
	}
	if len(event) > lambda.MaxEvent {
		return refusal(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	return g.integrate(route.Function, lambda.Event{RequestID: requestID, Trace: e.Headers["x-amzn-trace-id"], Payload: event})
}

// integrate waits for the function's response as long as API Gateway does. The invocation goes on
// behind a 503, and behind a client that has gone.
func (g *gateway) integrate(function string, e lambda.Event) *response {
	ctx, cancel := context.WithTimeoutCause(context.Background(), g.timeout, errIntegrationTimeout)
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
		return refusal(http.StatusServiceUnavailable, "Service Unavailable")
	}
}

// invoke runs the function, remembers that, and logs what the client is not told.
func (g *gateway) invoke(ctx context.Context, function string, e lambda.Event) *response {
	result, record, err := g.lambda.Invoke(ctx, function, e)
	var response *response
	if err == nil {
		response, err = parseResult(result)
	}
	if err != nil {
		record.Err = err.Error()
		g.log.Error("invocation", "function", record.Function, "request_id", record.RequestID, "error", record.Err)
		response = refusal(http.StatusInternalServerError, "Internal Server Error")
	}
	if errors.Is(err, errIntegrationTimeout) {
		response = refusal(http.StatusServiceUnavailable, "Service Unavailable")
	}
	g.lambda.Remember(record)
	return response
}

// maxDrain bounds how much of a body that is too large is read, in bytes, so that a client that
// reads no answer before it has sent everything gets one.
const maxDrain = 64 << 20

var errTooLarge = errors.New("the event is too large")

// readEventBody reads a body that can fit into an event.
func readEventBody(r *http.Request) ([]byte, error) {
	body, err := httpbody.Read(io.LimitReader(r.Body, lambda.MaxEvent+1), min(r.ContentLength, lambda.MaxEvent))
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	if len(body) > lambda.MaxEvent {
		io.CopyN(io.Discard, r.Body, maxDrain)
		return nil, errTooLarge
	}
	return body, nil
}
