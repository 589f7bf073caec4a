// Package account stands in for an AWS account as its operator sees it: DynamoDB, SES's description of itself,
// CloudFormation's of a stack, the queues, and Lambda's Invoke. All of them share one address, and there is no IAM. It
// differs from AWS: it verifies no signature, so whoever reaches the address may do everything, and its SES refuses no
// mail, whatever [State] says.
package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/develop/local/ses"
	"frontdesk/internal/develop/local/sqs"
)

// Account owns the database and the outbox of a stack, and answers calls to them.
type Account struct {
	Database *dynamodb.Server
	SES      ses.Endpoint
	Queues   sqs.Queues
	URL      string // base URL of every service
	server   *httpserver.Server
	tables   http.Handler // forwards to the database
	unlock   func() error
	config   Config
	mu       sync.Mutex
	state    State
	invoke   invoke
}

// invoke invokes a function by its logical id, and returns its result or its error.
type invoke func(ctx context.Context, function string, payload []byte) ([]byte, error)

// Config is what an Account needs.
type Config struct {
	Addr        string   // of the services; a port of zero means the last one, which Data remembers
	Hosts       []string // names under which the services answer, besides the usual ones
	API         string   // base URL of the API, for the stack's outputs
	DynamoDB    string   // endpoint of a running server; empty starts one
	Root        string   // the project's folder
	Data        string   // private folder for the tables and the mails; empty keeps them in memory
	Template    *samtemplate.Template
	Values      samtemplate.Values
	Network     httpserver.Network
	Transport   http.RoundTripper // to the database; see [dynamodb.Config]
	MailArrived func()            // called when a mail arrived, or when something became of one
	Log         *slog.Logger
}

// Open locks the data, creates missing tables and listens on the address. Requests wait until Start.
func Open(ctx context.Context, c Config) (*Account, error) {
	a := &Account{config: c, state: healthy(c)}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// open starts the parts one after the other. If one fails, Close stops those before it.
func (a *Account) open(ctx context.Context) (err error) {
	// Without a folder all of them stay empty, which keeps everything in memory.
	mails, suppressed, file, listen := "", "", "", httpserver.Listen
	if data := a.config.Data; data != "" {
		mails, file = filepath.Join(data, "mails"), filepath.Join(data, "dynamodb.sqlite")
		suppressed = filepath.Join(data, "suppressed.json")
		if err := makePrivate(data); err != nil {
			return fmt.Errorf("make the data's folder private: %w", err)
		}
		wait, cancel := context.WithTimeout(ctx, lockWait)
		defer cancel()
		// The lock comes before everything that reads or writes the data.
		a.unlock, err = lock(wait, data, a.config.API)
		if err != nil {
			return err
		}
		listen = func(n httpserver.Network, addr string) (*httpserver.Server, error) {
			return httpserver.ListenAgain(n, addr, filepath.Join(data, "services-port"))
		}
	}
	// The port is taken before the database starts, so that a port in use costs no time.
	a.server, err = listen(a.config.Network, a.config.Addr)
	if err != nil {
		return fmt.Errorf("start the services: %w", err)
	}
	a.URL = a.server.URL()
	a.Database, err = dynamodb.Open(ctx, dynamodb.Config{
		Endpoint: a.config.DynamoDB,
		Root:     a.config.Root,
		File:     file,
		Region:   a.config.Values.Region,
		Tables:   a.config.Template.Tables,

		Transport: a.config.Transport,
	})
	if err != nil {
		return err
	}
	// Queues are in memory, so they are empty after each start.
	for _, queue := range a.config.Template.Queues {
		a.Queues.Create(queue.Name)
	}
	a.tables = a.Database.Forward()
	a.SES.Outbox, err = ses.OpenOutbox(mails, a.config.MailArrived)
	if err != nil {
		return err
	}
	a.SES.Suppressed, err = ses.OpenSuppressionList(suppressed)
	if err != nil {
		return err
	}
	a.SES.Values, a.SES.Destinations = a.config.Values, a.config.Template.EventDestinations
	a.SES.Bus, err = eventbridge.New(eventbridge.Config{
		Rules:      a.config.Template.Rules,
		Watch:      a.SES.Outbox.AddEvent,
		Posted:     a.SES.Outbox.SetWebhook,
		DeadLetter: a.Queues.Send,
		Network:    a.config.Network,
		Log:        a.config.Log,
	})
	return err
}

// makePrivate creates a folder that only its owner may enter, so that the modes of the files in it do not matter. It
// also narrows the mode of an existing folder.
func makePrivate(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(folder, info.Mode().Perm()&0o700)
}

// Invoke sets how calls of Lambda's Invoke run functions. It must be called before Start.
func (a *Account) Invoke(i invoke) { a.invoke = i }

// Start makes the services answer, and supervises the database.
func (a *Account) Start() {
	a.server.Start(httpserver.ForPrograms(a, a.config.Hosts...), a.config.Log)
	a.Database.Supervise(a.config.Log)
}

// Close ends the services, the requests to webhooks and the database, and unlocks the data.
func (a *Account) Close() (err error) {
	if a.server != nil {
		err = a.server.Close()
	}
	if a.SES.Bus != nil {
		a.SES.Bus.Close()
	}
	if a.Database != nil {
		err = errors.Join(err, a.Database.Close())
	}
	if a.unlock != nil {
		err = errors.Join(err, a.unlock())
	}
	return err
}

// Environ returns the environment for an operator's tools, such as the AWS CLI: credentials, region, the addresses of
// the services, the stack's name and, if there is exactly one table, TABLE_NAME.
func (a *Account) Environ() map[string]string {
	environ := map[string]string{
		"AWS_ACCESS_KEY_ID":               dynamodb.AccessKeyID,
		"AWS_ENDPOINT_URL_CLOUDFORMATION": a.URL,
		"AWS_ENDPOINT_URL_CLOUDWATCH":     a.URL,
		"AWS_ENDPOINT_URL_DYNAMODB":       a.URL,
		"AWS_ENDPOINT_URL_KMS":            a.URL,
		"AWS_ENDPOINT_URL_LAMBDA":         a.URL,
		"AWS_ENDPOINT_URL_SESV2":          a.URL,
		"AWS_ENDPOINT_URL_SNS":            a.URL,
		"AWS_ENDPOINT_URL_SQS":            a.URL,
		"AWS_REGION":                      a.config.Values.Region,
		"AWS_SECRET_ACCESS_KEY":           dynamodb.AccessKeyID,
		"STACK_NAME":                      a.config.Values.StackName,
	}
	// With several tables, no tool could know which one is meant.
	if tables := a.config.Template.Tables; len(tables) == 1 {
		environ["TABLE_NAME"] = tables[0].Name
	}
	return environ
}

// Change changes what the services say about themselves, from now on.
func (a *Account) Change(change func(*State)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.state)
}

// now returns what the services say. What the copy points to must not be changed.
func (a *Account) now() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// ServeHTTP answers one call of an operator's tool, or of a container. The Date header carries the state's clock, by
// which the SDK notices a wrong clock.
func (a *Account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	state := a.now()
	w.Header().Set("Date", time.Now().Add(state.Clock).UTC().Format(http.TimeFormat))
	c := a.call(r)
	// By the action's name in IAM, as a policy would deny it.
	denied := state.Denied[c.action]
	switch {
	case c.serve == nil && state.Others != nil:
		state.Others.ServeHTTP(w, r)
	case c.serve == nil:
		awsform.New(http.StatusNotFound, awsform.Coral+"UnknownOperationException",
			"the local stack has no "+r.Method+" "+r.URL.Path+" "+c.action+
				"; to call AWS itself, use a terminal without the variables of demo.env").Write(w, c.protocol)
	case denied:
		awsform.New(http.StatusForbidden, c.deniedCode, "not authorized to perform: "+c.action).Write(w, c.protocol)
	default:
		c.serve(w, r, state)
	}
}

// call is the operation that a request asks for.
type call struct {
	action     string // IAM's name for it, for instance "ses:GetAccount"
	protocol   awsform.Protocol
	deniedCode string
	serve      func(http.ResponseWriter, *http.Request, State) // nil for an unknown operation
}

// call recognizes a service by a feature of its protocol: SES and Lambda by their paths, DynamoDB and SQS by a header,
// and CloudFormation by its forms.
func (a *Account) call(r *http.Request) call {
	if path, ok := strings.CutPrefix(r.URL.Path, "/v2/email/"); ok {
		return a.email(r.Method, path)
	}
	if operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810."); ok {
		c := call{
			action:     "dynamodb:" + operation,
			protocol:   awsform.JSON,
			deniedCode: awsform.Coral + "AccessDeniedException",
			serve:      a.forward,
		}
		// The local database has no backups, so the state answers for it.
		if operation == "DescribeContinuousBackups" {
			c.serve = describeContinuousBackups
		}
		return c
	}
	if operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."); ok {
		serve := func(w http.ResponseWriter, r *http.Request, _ State) { a.Queues.ServeHTTP(w, r) }
		return call{
			action:     "sqs:" + operation,
			protocol:   awsform.JSON,
			deniedCode: awsform.Coral + "AccessDeniedException",
			serve:      serve,
		}
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/"); ok {
		return a.function(r.Method, name)
	}
	c := call{protocol: awsform.Query, deniedCode: "AccessDenied"}
	// The Query protocol sends everything as a form, with the operation in Action.
	switch action := r.FormValue("Action"); {
	case r.Method != http.MethodPost:
	case action == "DescribeStacks":
		c.action, c.serve = "cloudformation:"+action, describeStacks
	case action == "ListStackResources":
		c.action, c.serve = "cloudformation:"+action, a.listStackResources
	}
	return c
}

// forward passes a call to the database.
func (a *Account) forward(w http.ResponseWriter, r *http.Request, _ State) {
	w.Header().Del("Date") // the database sends its own
	a.tables.ServeHTTP(w, r)
}
