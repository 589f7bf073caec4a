// Package api stands between API Gateway's events and the endpoints. It decodes requests, encodes answers, maps errors
// to status codes, logs one line per request and survives panics.
package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// reserve is the time that a function keeps for its answer. Calls that still run end this long before Lambda's
// deadline, so that the client gets the function's own error and not API Gateway's.
const reserve = time.Second

// Response is a successful answer. A zero Status is 200.
type Response struct {
	Status int
	// Body is encoded as JSON, and compressed if it is large enough and the client accepts gzip. An [*Encoded] is
	// encoded already. A []byte is sent as it is; then Header has to name its content-type.
	Body any
	// Header replaces the default fields content-type, cache-control and x-content-type-options, and adds others. Names
	// are in lower case.
	Header map[string]string
	// TooLarge is the client's error if the answer exceeds [MaxAnswer], or its JSON [MaxPlain]. If it is nil, the
	// client gets an internal error.
	TooLarge error
}

// MaxAnswer is the largest answer in bytes that Lambda accepts from a function, with the encoding around the body.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const MaxAnswer = 6 << 20

// Handler answers a request. If it returns an [*Error], the client gets its message; beside one of kind [Rejected] it
// gets the response's Body. For any other error the client gets only the request's id.
type Handler func(context.Context, *Request) (Response, error)

// Function is one endpoint. It implements lambda.Handler.
type Function struct {
	// Handle answers the requests. For an endpoint that authenticates its callers, it is [Endpoint.Handle].
	Handle Handler
	// MaxBody limits the size of the body in bytes, as the client sent it. A larger body is answered with an error of
	// kind [TooLarge], without a call of Handle. Zero leaves only API Gateway's limit.
	MaxBody int
	// ErrorBody shapes the JSON of an endpoint's errors. Nil stands for {"message": …, "code": …}.
	ErrorBody func(*Request, Failure) any
	// Header is sent with every answer, errors too. It replaces the defaults; an answer's own Header replaces it.
	Header map[string]string
	// Log gets one line per request, with the error's code if there is one. Nil is for none: [Serve] sets it.
	Log *slog.Logger
}

// Invoke answers one event: HEAD like GET, and OPTIONS without a call of Handle. It returns an error only if the event
// is not one of API Gateway's, or if even the answer's error cannot be encoded. The size is checked after encoding:
// base64 adds a third to what is not text.
func (f Function) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	start := time.Now()
	r, err := parseRequest(event)
	if err != nil {
		return nil, err
	}
	ctx, cancel := EndBefore(ctx, reserve)
	defer cancel()
	response, err := f.handle(ctx, r)
	if err != nil {
		response = f.failed(r, response.Body, err)
	}
	answer, err := f.encode(r, &response)
	if err == nil && len(answer) > MaxAnswer {
		err = response.tooLarge(len(answer))
	}
	if err != nil {
		response = f.failed(r, nil, fmt.Errorf("encode answer: %w", err))
		answer, err = f.encode(r, &response)
		if err != nil {
			return nil, err
		}
	}
	f.log(ctx, r, response.Status, time.Since(start))
	// The body is cut off at the end, so that its size has decided the status and the header as for GET (RFC 9110
	// section 9.3.2).
	if r.RequestContext.HTTP.Method == http.MethodHead {
		_, answer, _ = cutText(answer, "body")
	}
	return answer, nil
}

// handle calls the endpoint. It turns a panic into an error and logs the stack, so that the process lives on for the
// next request.
func (f Function) handle(ctx context.Context, r *Request) (response Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.Log(slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if r.RequestContext.HTTP.Method == http.MethodOptions {
		return preflight, nil
	}
	if f.MaxBody > 0 && r.bodySize() > f.MaxBody {
		return Response{}, Errorf(TooLarge, "body is too large (maximum is %d bytes)", f.MaxBody)
	}
	response, err = f.Handle(ctx, r)
	if response.Status == 0 {
		response.Status = http.StatusOK
	}
	return response, err
}

// failed builds the answer for an error. The body is that of a [Rejected] one. It logs the code always, the cause if
// there is one, and the error's text only if the answer hides it or blames the server: a client's mistake needs no
// operator.
func (f Function) failed(r *Request, body any, err error) Response {
	problem := failure(err, r.ID())
	r.Log(slog.String("code", string(problem.Code)))
	if problem.Cause != "" {
		r.Log(slog.String("cause", problem.Cause))
	}
	if problem.Outage {
		r.LogError(slog.Bool("outage", true))
	}
	if problem.Status >= http.StatusInternalServerError {
		r.Log(slog.Any("error", err))
	}
	shape := f.ErrorBody
	if shape == nil {
		shape = errorBody
	}
	if problem.Status != http.StatusOK || body == nil {
		body = shape(r, problem)
	}
	response := Response{Status: problem.Status, Body: body}
	if problem.RetryAfter > 0 {
		seconds := (problem.RetryAfter + time.Second - 1) / time.Second
		response.Header = map[string]string{"retry-after": strconv.Itoa(int(seconds))}
	}
	return response
}

// log writes the request's line, at level ERROR if the server is at fault.
func (f Function) log(ctx context.Context, r *Request, status int, took time.Duration) {
	if f.Log == nil {
		return
	}
	level := slog.LevelInfo
	if status >= 500 || r.faulty {
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("request_id", r.ID()),
		slog.String("route", r.RouteKey),
		slog.Int("status", status),
		slog.Float64("ms", float64(took.Microseconds())/1000),
	}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		attrs = append(attrs, slog.String("lambda_request_id", lc.AwsRequestID))
	}
	f.Log.LogAttrs(ctx, level, "request", append(attrs, r.attrs...)...)
}
