// Package local runs the stack on one machine. The functions of a SAM template run as the same Lambda bootstraps as
// in AWS, behind a stand-in for API Gateway. Between them and their DynamoDB and SES, an AWS proxy allows what their
// policies allow. The package knows the template and nothing else of the API, so what runs here is what is deployed.
// Each AWS service is a package below this one, whose comment says where it differs from the service. This package
// connects them.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/console"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/gateway"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/develop/local/rebuild"
	"frontdesk/internal/develop/local/requestlog"
	"frontdesk/internal/develop/local/ses"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Stack is a running stack. Its methods are safe for concurrent use at any time.
type Stack struct {
	url      string
	console  *console.Console
	account  *account.Account
	lambda   *lambda.Service
	awsProxy *awsproxy.Proxy
	requests *requestlog.Requests
	builds   *rebuild.Status
	network  httpserver.Network
	client   *http.Client
	closers  []func() error // in the order of starting; Close runs them backwards
	closing  sync.Once
}

// Start starts a stack of functions that [Build] has built. It creates the template's tables if they do not exist, and
// waits until they are active. The context limits only the start; the stack runs until Close.
func Start(ctx context.Context, o Options) (*Stack, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Stack{console: console.New(o.Hosts...)}
	if err := s.start(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// start starts the parts in the order of their dependencies. Each registers how to stop it as soon as it runs, so that
// [Stack.Close] can clean up after a start that failed halfway.
func (s *Stack) start(ctx context.Context, o Options) error {
	loaded, policies, err := o.load()
	if err != nil {
		return err
	}
	// The port comes first: a stack that is started twice must fail before it touches the first one's data.
	front, err := httpserver.Listen(o.Network, o.Addr)
	if err != nil {
		return fmt.Errorf("start the gateway: %w", err)
	}
	s.url = front.URL()
	s.onClose(front.Close)
	s.network, s.client = o.Network, &http.Client{Transport: httpserver.Transport(o.Network)}
	s.onClose(func() error { s.client.CloseIdleConnections(); return nil })
	back, err := httpserver.Listen(o.Network, "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the AWS proxy: %w", err)
	}
	s.onClose(back.Close)
	lines := requestlog.NewLog(o.Logs, s.console.Changed(console.TopicRequests))
	log := slog.New(slog.NewJSONHandler(lines, nil))
	s.account, err = account.Open(ctx, account.Config{
		Addr:        o.ServicesAddr,
		Hosts:       o.Hosts,
		API:         s.url,
		DynamoDB:    o.DynamoDB,
		Network:     o.Network,
		Transport:   o.Transport,
		Root:        o.Root,
		Data:        o.Data,
		Template:    loaded,
		Values:      o.values(),
		MailArrived: s.console.Changed(console.TopicOutbox),
		Log:         log,
	})
	if err != nil {
		return err
	}
	s.onClose(s.account.Close)
	s.lambda = lambda.New(lambda.Config{
		Functions:   loaded.Functions,
		Values:      o.values(),
		Environment: o.Environment,
		Builds:      o.Builds,
		Endpoint:    back.URL(),
		Processes:   o.Processes,
		InitTimeout: o.initTimeout,
		Programs:    o.Programs,
		Network:     o.Network,
		Log:         log,
		DeadLetter:  s.account.Queues.Send,
		Output:      lines.Stream,
	})
	s.onClose(s.lambda.Close)
	s.account.SES.Bus.Invoke(s.lambda.InvokeAsync)
	s.account.Invoke(s.invoke)
	s.awsProxy = awsproxy.New(awsproxy.Config{
		Policies:   policies,
		Tables:     loaded.Tables,
		Values:     o.values(),
		DynamoDB:   s.account.Database.Forward(),
		Contention: o.Contention,
		SES:        s.account.SES,
		Request:    s.lambda.Serving,
		Kill:       s.lambda.Kill,
	})
	back.Start(httpserver.ForPrograms(s.awsProxy), log)
	s.account.Start()
	s.requests = requestlog.New(requestlog.Config{
		Invocations: s.lambda.Invocations,
		Calls:       s.awsProxy.Calls,
		Log:         lines,
		Changed:     s.console.Changed(console.TopicRequests),
	})
	s.builds = rebuild.NewStatus(s.console.Changed(console.TopicBuilds))
	s.console.Open(console.Sources{
		Outbox:   s.account.SES.Outbox,
		Requests: s.requests,
		Builds:   s.builds,
		API: gateway.New(gateway.Config{
			Routes: loaded.Routes, CORS: loaded.CORS, AccountID: accountID,
			Lambda: s.lambda, Record: s.requests.Add, Log: log,
		}),
	})
	front.RegisterOnShutdown(s.console.Close) // otherwise the server's end would wait for open consoles
	front.Start(s.console, log)
	s.onClose(front.Finish)
	if o.Watch {
		s.onClose(o.project(loaded).Watch(s.builds, lines, s.lambda.Renew).Close)
	}
	return nil
}

// invoke invokes a function on behalf of an operator, and waits for the result.
func (s *Stack) invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	event := lambda.Event{RequestID: awsform.UUID(), Payload: payload}
	result, record, err := s.lambda.Invoke(ctx, function, event)
	if err != nil {
		record.Err = err.Error()
	}
	s.lambda.RecordInvocation(record)
	return result, err
}

// onClose registers how to stop a part that was just started.
func (s *Stack) onClose(close func() error) { s.closers = append(s.closers, close) }

// Close stops the stack. It accepts no more requests, gives running ones three seconds, and ends all processes and the
// database. Only Options.Data remains. Further calls do nothing.
func (s *Stack) Close() error {
	var err error
	s.closing.Do(func() {
		for _, close := range slices.Backward(s.closers) {
			err = errors.Join(err, close())
		}
	})
	return err
}

// URL returns the address of the API, for instance "http://127.0.0.1:3000".
func (s *Stack) URL() string { return s.url }

// Network returns the network on which the stack's servers listen.
func (s *Stack) Network() httpserver.Network { return s.network }

// Client returns a client of the stack's servers.
func (s *Stack) Client() *http.Client { return s.client }

// AWSProxy returns the AWS proxy through which the functions call their services.
func (s *Stack) AWSProxy() *awsproxy.Proxy { return s.awsProxy }

// Outbox returns the mails that the functions have sent.
func (s *Stack) Outbox() *ses.Outbox { return s.account.SES.Outbox }

// Events returns the bus on which SES publishes the events of mails.
func (s *Stack) Events() *eventbridge.Bus { return s.account.SES.Bus }

// Account returns the AWS services that operators and containers call.
func (s *Stack) Account() *account.Account { return s.account }

// Lambda returns the service that runs the functions.
func (s *Stack) Lambda() *lambda.Service { return s.lambda }

// Requests returns the last 1,000 answered requests to the API, newest first.
func (s *Stack) Requests() []gateway.Request { return s.requests.Newest() }

// Handle adds a page of the stack's own. The pattern is one of http.ServeMux, with a path below /_local/.
func (s *Stack) Handle(pattern string, h http.Handler) { s.console.Handle(pattern, h) }

// Failed receives the database's error when it has ended and cannot be restarted.
func (s *Stack) Failed() <-chan error { return s.account.Database.Failed }

// Show tells the console what else to show. It replaces what was shown before.
func (s *Stack) Show(shown console.Shown) { s.console.Show(shown) }

// Operator returns the configuration for an operator's clients. They call the database directly, not through the AWS
// proxy.
func (s *Stack) Operator() aws.Config { return s.account.Database.Operator() }

// Environ returns the environment for an operator's tools, such as the AWS CLI. They call the [account.Account].
func (s *Stack) Environ() map[string]string { return s.account.Environ() }
