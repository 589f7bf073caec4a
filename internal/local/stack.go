// Package local is the stack on one machine. It runs the functions of a SAM template as the Lambda
// bootstraps that they are, behind an HTTP gateway that behaves as an API Gateway HTTP API, with a
// gate between them and their services, DynamoDB and SES, that lets through what their policies
// allow. It knows the template and nothing else of the API: what runs here is what is deployed.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"frontdesk/internal/local/console"
	"frontdesk/internal/local/dynamodb"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/gateway"
	"frontdesk/internal/local/lambda"
	"frontdesk/internal/local/rebuild"
	"frontdesk/internal/local/requestlog"
	"frontdesk/internal/local/ses"
	"frontdesk/internal/local/template"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Stack is a running stack. Its methods may be called at any time, from any goroutine.
type Stack struct {
	options  Options
	template *template.Template
	database *dynamodb.Server
	outbox   *ses.Outbox
	gate     *gate.Gate
	lambda   *lambda.Service
	requests *requestlog.Requests
	builds   *rebuild.Status
	watch    *rebuild.Watch // nil without Options.Watch
	console  *console.Console
	log      *requestlog.Log
	listener net.Listener // of front
	front    *http.Server // clients come here
	back     *http.Server // functions come here
	url      string
	closing  sync.Once
}

// requestGrace is how long Close waits for the requests that are under way.
const requestGrace = 3 * time.Second

// Start starts a stack of functions that have been built (see Build). It creates the tables of the
// template that are absent and waits until they are active. The context bounds the start only; the
// stack runs until Close.
func Start(ctx context.Context, o Options) (*Stack, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Stack{options: o, console: console.New()}
	s.log = requestlog.NewLog(o.Logs, s.console.Changed(console.TopicRequests))
	s.builds = rebuild.NewStatus(s.console.Changed(console.TopicBuilds))
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stack) start(ctx context.Context) (err error) {
	var policies gate.Policies
	if s.template, policies, err = s.options.load(); err != nil {
		return err
	}
	// Before all else: a stack that is started twice must not come near the first one's data.
	if s.listener, err = net.Listen("tcp", s.options.Addr); err != nil {
		return fmt.Errorf("start the gateway: %w", err)
	}
	s.database, err = dynamodb.Open(ctx, dynamodb.Config{
		Endpoint: s.options.DynamoDB,
		Root:     s.options.Root,
		File:     s.options.dataPath("dynamodb.sqlite"),
		Region:   region,
		Tables:   s.template.Tables,
	})
	if err != nil {
		return err
	}
	gateURL, err := s.openGate(policies)
	if err != nil {
		return err
	}
	s.openGateway(gateURL)
	if s.options.Watch {
		s.watch = s.options.project(s.template).Watch(s.builds, s.log, s.lambda.Renew)
	}
	return nil
}

func (s *Stack) openGate(policies gate.Policies) (url string, err error) {
	if s.outbox, err = ses.OpenOutbox(s.options.dataPath("mails"), s.console.Changed(console.TopicOutbox)); err != nil {
		return "", err
	}
	s.gate = gate.New(gate.Config{
		Policies: policies,
		Tables:   s.template.Tables,
		Values:   s.options.values(),
		DynamoDB: s.database.URL,
		SES:      ses.Endpoint{Outbox: s.outbox},
		Request:  func(sessionToken string) string { return s.lambda.RequestID(sessionToken) },
		Kill:     func(sessionToken string) { s.lambda.Kill(sessionToken) },
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start the gate: %w", err)
	}
	s.back = s.newServer(s.gate)
	go s.back.Serve(listener)
	return baseURL(listener), nil
}

func (s *Stack) openGateway(gateURL string) {
	o := s.options
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	s.lambda = lambda.New(lambda.Config{
		Functions:   s.template.Functions,
		Values:      o.values(),
		Environment: o.Environment,
		Builds:      o.Builds,
		Endpoint:    gateURL,
		Processes:   o.Processes,
		InitTimeout: o.initTimeout,
		Log:         log,
		Output:      s.log.Stream,
	})
	s.requests = requestlog.New(requestlog.Config{
		Invocations: s.lambda.Invocations,
		Calls:       s.gate.Calls,
		Log:         s.log,
		Changed:     s.console.Changed(console.TopicRequests),
	})
	api := gateway.New(gateway.Config{
		Routes:    s.template.Routes,
		AccountID: accountID,
		Lambda:    s.lambda,
		Timeout:   o.integrationTimeout,
		Record:    s.requests.Add,
		Log:       log,
	})
	s.console.Open(console.Sources{
		Outbox:   s.outbox,
		Raw:      s.outbox.Raw,
		Requests: s.requests,
		Builds:   s.builds,
		HasRoute: api.HasRoute,
	})
	// Not one mux for both: a mux would redirect the paths that it finds unclean.
	s.front = s.newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if console.IsPage(r.URL.Path) {
			s.console.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}))
	s.front.MaxHeaderBytes = gateway.MaxHeader
	s.front.RegisterOnShutdown(s.console.Close) // else an open console would be waited for
	s.url = baseURL(s.listener)
	go s.front.Serve(s.listener)
}

func (s *Stack) newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          slog.NewLogLogger(slog.NewJSONHandler(s.log, nil), slog.LevelWarn),
	}
}

// baseURL is the address of a server. One that listens on every address is called by the loopback's.
func baseURL(listener net.Listener) string {
	addr := listener.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", addr.Port)
	}
	return "http://" + addr.String()
}

// KillIdle kills an idle process of a function, given by its logical id, and waits for its end. It is false if the
// function has none. Lambda does so whenever it likes.
func (s *Stack) KillIdle(function string) bool { return s.lambda.KillIdle(function) }

// Close ends the stack: it takes no more requests, gives those that are under way three seconds,
// and ends all processes and the database. Nothing is left behind but Options.Data.
func (s *Stack) Close() error {
	var err error
	s.closing.Do(func() {
		if s.watch != nil {
			s.watch.Close()
		}
		if s.front != nil {
			ctx, cancel := context.WithTimeout(context.Background(), requestGrace)
			defer cancel()
			if s.front.Shutdown(ctx) != nil {
				err = s.front.Close()
			}
		} else if s.listener != nil {
			err = s.listener.Close()
		}
		if s.lambda != nil {
			s.lambda.Close()
		}
		if s.back != nil {
			err = errors.Join(err, s.back.Close())
		}
		if s.database != nil {
			s.database.Close()
		}
	})
	return err
}

// URL is the address of the API, such as "http://127.0.0.1:3000".
func (s *Stack) URL() string { return s.url }

// Gate is what the functions' calls to their services go through.
func (s *Stack) Gate() *gate.Gate { return s.gate }

// Outbox has the mails that the functions have sent.
func (s *Stack) Outbox() *ses.Outbox { return s.outbox }

// Invocations are the last 1,000 invocations that have ended, newest first.
func (s *Stack) Invocations() []lambda.Invocation { return s.lambda.Invocations() }

// Requests are the last 1,000 requests to the API that were answered, newest first.
func (s *Stack) Requests() []gateway.Request { return s.requests.Newest() }

// Handle adds a page of the stack's own to the gateway. The pattern is http.ServeMux's, with a path
// under /_local/.
func (s *Stack) Handle(pattern string, h http.Handler) { s.console.Handle(pattern, h) }

// Show tells the console what else to show, instead of what it was told before.
func (s *Stack) Show(shown console.Shown) { s.console.Show(shown) }

// Operator is the configuration of an operator: its clients call the database directly, not
// through the gate.
func (s *Stack) Operator() aws.Config { return s.database.Operator() }

// Environ is the environment of an operator's tools, such as the AWS CLI: what Operator is, and
// TABLE_NAME when the template has one table.
func (s *Stack) Environ() map[string]string {
	environ := map[string]string{
		"AWS_ACCESS_KEY_ID":         dynamodb.AccessKeyID,
		"AWS_ENDPOINT_URL_DYNAMODB": s.database.URL,
		"AWS_REGION":                region,
		"AWS_SECRET_ACCESS_KEY":     dynamodb.AccessKeyID,
	}
	if len(s.template.Tables) == 1 {
		environ["TABLE_NAME"] = s.template.Tables[0].Name
	}
	return environ
}
