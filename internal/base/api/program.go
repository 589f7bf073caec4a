package api

import (
	"log/slog"
	"os"

	"frontdesk/internal/base/execution"

	"github.com/aws/aws-lambda-go/lambda"
)

// Program opens a function in its execution environment.
type Program = func(execution.Environment) (lambda.Handler, error)

// Main runs a program until Lambda ends the process. If the program cannot be opened, the process logs why, and ends
// with status 1.
func Main(open Program) {
	handler, err := open(execution.Lambda)
	if err != nil {
		NewLog(execution.Lambda).Error("start", slog.Any("error", err))
		os.Exit(1)
	}
	lambda.Start(handler)
}

// Serve is the program of an endpoint: it opens the service that the endpoint needs, and serves its function.
func Serve[Service any](
	open func(execution.Environment) (Service, error), function func(Service) Function,
) Program {
	return func(e execution.Environment) (lambda.Handler, error) {
		service, err := open(e)
		if err != nil {
			return nil, err
		}
		f := function(service)
		f.Log = NewLog(e)
		return f, nil
	}
}

// ServeAlone is the program of an endpoint that needs no service.
func ServeAlone(function func() Function) Program {
	return func(e execution.Environment) (lambda.Handler, error) {
		f := function()
		f.Log = NewLog(e)
		return f, nil
	}
}

// NewLog returns a logger that writes lines of JSON to the log of a function. Lambda reads the level of a line only if
// the line has a field "timestamp"; otherwise it counts the line as INFO.
// https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
func NewLog(e execution.Environment) *slog.Logger {
	return slog.New(slog.NewJSONHandler(e.Log, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				a.Key = "timestamp"
			}
			return a
		},
	}))
}
