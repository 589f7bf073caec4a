// Package api is what stands between API Gateway's events and the endpoints: it decodes requests, encodes
// answers, turns errors into status codes, logs one line for each request and survives panics.
package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// reserve is the time before a function's deadline that is kept for the answer: calls that are still under way then
// end, so that the client gets the function's own error, not API Gateway's.
const reserve = time.Second

// Response is a successful answer. A zero Status is 200.
type Response struct {
	Status int
	// Body is written as JSON, compressed where that is worth it and the client takes it; an [*Encoded] is that
	// already. A []byte is written as it is, of the content-type that Header names.
	Body any
	// Header goes, by names in lower case, over what every answer has: content-type, cache-control,
	// x-content-type-options.
	Header map[string]string
	// TooLarge is the error that takes the place of an answer over [MaxAnswer], or of JSON over [MaxPlain]; nil is an
	// internal error.
	TooLarge error
}

// MaxAnswer is the size of an answer in bytes, encoded for Lambda, that a function may give.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const MaxAnswer = 6 << 20

// Handler answers a request. An [*Error] tells the client what is wrong; of any other error the client only learns the
// request's id.
type Handler func(context.Context, *Request) (Response, error)

// Function is one endpoint. It is a lambda.Handler.
type Function struct {
	// Handle answers the requests: it is the Handle of an [Endpoint], if callers have to authenticate.
	Handle Handler
	// MaxBody is the size of a body in bytes, as the client sent it, over which Handle is not called and the answer is
	// an error of kind [TooLarge]. Zero is no limit but API Gateway's.
	MaxBody int
	// ErrorBody gives an endpoint's errors a shape of their own; nil is {"message": …, "code": …}.
	ErrorBody func(Failure) any
	// Header goes, by names in lower case, over what every answer has, errors too. An answer's own goes over it.
	Header map[string]string
	// Log takes a line for each request, with the code of its error; nil is JSON on standard output, which
	// Lambda collects.
	Log *slog.Logger
}

// Start serves f until Lambda ends the process.
func Start(f Function) { lambda.Start(f) }

// Fatal ends a process that cannot start, saying why in the function's log.
func Fatal(err error) {
	NewLog().Error("start", slog.Any("error", err))
	os.Exit(1)
}

// Invoke answers one event. It returns an error only if the event is not one of API Gateway's.
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
		response = f.failed(r, err)
	}
	answer, err := f.encode(r, &response)
	if err == nil && len(answer) > MaxAnswer {
		err = response.tooLarge(len(answer))
	}
	if err != nil {
		response = f.failed(r, fmt.Errorf("encode answer: %w", err))
		answer, err = f.encode(r, &response)
		if err != nil {
			return nil, err
		}
	}
	f.log(ctx, r, response.Status, time.Since(start))
	return answer, nil
}

// handle calls the endpoint. A panic becomes an error with its stack, and does not end the process.
func (f Function) handle(ctx context.Context, r *Request) (response Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.Log(slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if f.MaxBody > 0 && r.bodySize() > f.MaxBody {
		return Response{}, Errorf(TooLarge, "body is too large (maximum is %d bytes)", f.MaxBody)
	}
	response, err = f.Handle(ctx, r)
	if response.Status == 0 {
		response.Status = http.StatusOK
	}
	return response, err
}

func (f Function) failed(r *Request, err error) Response {
	told := failure(err, r.ID())
	r.Log(slog.String("code", string(told.Code)))
	if told.Status >= http.StatusInternalServerError {
		r.Log(slog.Any("error", err))
	}
	shape := f.ErrorBody
	if shape == nil {
		shape = errorBody
	}
	response := Response{Status: told.Status, Body: shape(told)}
	if told.RetryAfter > 0 {
		seconds := (told.RetryAfter + time.Second - 1) / time.Second
		response.Header = map[string]string{"retry-after": strconv.Itoa(int(seconds))}
	}
	return response
}

func (f Function) log(ctx context.Context, r *Request, status int, took time.Duration) {
	log, level := f.Log, slog.LevelInfo
	if log == nil {
		log = NewLog()
	}
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
	log.LogAttrs(ctx, level, "request", append(attrs, r.attrs...)...)
}

// NewLog writes lines of JSON to standard output, where Lambda collects them. Lambda believes the level of those alone
// that have a timestamp under this name; it makes any other line one of INFO.
// https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
func NewLog() *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				a.Key = "timestamp"
			}
			return a
		},
	}))
}
