// Package account stands for an AWS account as its operator meets it: DynamoDB, what SES tells of itself, what
// CloudFormation tells of a stack, SNS of a topic and KMS of a key, its queues, and Lambda's Invoke, on one address and
// without IAM. Unlike AWS it verifies no signature, and whoever reaches the address may do everything; its SES refuses
// no mail, whatever State says.
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

	"frontdesk/internal/local/awserror"
	"frontdesk/internal/local/dynamodb"
	"frontdesk/internal/local/eventbridge"
	"frontdesk/internal/local/httpserver"
	"frontdesk/internal/local/ses"
	"frontdesk/internal/local/sqs"
	"frontdesk/internal/local/template"
)

// Account has the database and the outbox of a stack, and answers calls to them.
type Account struct {
	Database *dynamodb.Server
	SES      ses.Endpoint
	Queues   sqs.Queues
	URL      string // base URL of every service
	server   *httpserver.Server
	tables   http.Handler // the database's
	unlock   func() error
	config   Config
	mu       sync.Mutex
	state    State
	invoke   invoke
}

// invoke invokes a function by its logical id, and gives its result or its error.
type invoke func(ctx context.Context, function string, payload []byte) ([]byte, error)

// Config is what an Account needs.
type Config struct {
	Addr        string   // of the services; with the zero port it is that of the last time, as far as Data tells
	Hosts       []string // names by which the services are called, beside the usual ones
	API         string   // base URL, which the stack tells
	DynamoDB    string   // endpoint of a server that runs; empty: one is started
	Root        string   // the project's folder
	Data        string   // folder of the tables and the mails, the owner's alone; empty: they are in memory
	Template    *template.Template
	Values      template.Values
	MailArrived func() // or something has become of one
	Written     func() // items may have changed
}

// Open locks the data, creates the tables that are absent, and takes the address. Start begins to answer.
func Open(ctx context.Context, c Config) (*Account, error) {
	a := &Account{config: c, state: healthy(c)}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *Account) open(ctx context.Context) (err error) {
	mails, suppressed, file, listen := "", "", "", httpserver.Listen
	if data := a.config.Data; data != "" {
		mails, file = filepath.Join(data, "mails"), filepath.Join(data, "dynamodb.sqlite")
		suppressed = filepath.Join(data, "suppressed.json")
		if err := makePrivate(data); err != nil {
			return fmt.Errorf("make the data's folder private: %w", err)
		}
		wait, cancel := context.WithTimeout(ctx, lockWait)
		defer cancel()
		a.unlock, err = lock(wait, data, a.config.API)
		if err != nil {
			return err
		}
		listen = func(addr string) (*httpserver.Server, error) {
			return httpserver.ListenAgain(addr, filepath.Join(data, "services-port"))
		}
	}
	a.server, err = listen(a.config.Addr)
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
	})
	if err != nil {
		return err
	}
	for _, queue := range a.config.Template.Queues {
		a.Queues.Create(queue.Name)
	}
	a.tables = dynamodb.Forward(a.Database.URL, a.config.Written)
	a.SES.Outbox, err = ses.OpenOutbox(mails, a.config.MailArrived)
	if err != nil {
		return err
	}
	a.SES.Suppressed, err = ses.OpenSuppressionList(suppressed)
	if err != nil {
		return err
	}
	a.SES.Values, a.SES.Destinations = a.config.Values, a.config.Template.EventDestinations
	a.SES.Bus, err = eventbridge.New(a.config.Template.Rules, a.SES.Outbox.Told)
	return err
}

// makePrivate makes a folder that its owner alone may enter, whatever the rights of the files in it. It narrows the
// rights of a folder that is there already.
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

// Invoke has operators' calls of Lambda invoke functions by i. It is to be called before Start.
func (a *Account) Invoke(i invoke) { a.invoke = i }

// Start lets the services answer, and the database live.
func (a *Account) Start(log *slog.Logger) {
	a.server.Start(httpserver.ForPrograms(a, a.config.Hosts...), log)
	a.Database.Supervise(log)
}

// Close ends the services and the database.
func (a *Account) Close() (err error) {
	if a.server != nil {
		err = a.server.Close()
	}
	if a.Database != nil {
		err = errors.Join(err, a.Database.Close())
	}
	if a.unlock != nil {
		err = errors.Join(err, a.unlock())
	}
	return err
}

// Environ is the environment of an operator's tools, such as the AWS CLI: credentials, region, the services' addresses,
// the stack's name, and TABLE_NAME when there is one table.
func (a *Account) Environ() map[string]string {
	environ := map[string]string{
		"AWS_ACCESS_KEY_ID":               dynamodb.AccessKeyID,
		"AWS_ENDPOINT_URL_CLOUDFORMATION": a.URL,
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
	if tables := a.config.Template.Tables; len(tables) == 1 {
		environ["TABLE_NAME"] = tables[0].Name
	}
	return environ
}

// Change changes what the services tell from now on.
func (a *Account) Change(change func(*State)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.state)
}

// now is what the services tell; what it points to is not changed.
func (a *Account) now() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// ServeHTTP answers one call of an operator's tool, or of a container.
func (a *Account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	state := a.now()
	w.Header().Set("Date", time.Now().Add(state.Clock).UTC().Format(http.TimeFormat))
	c := a.call(r)
	denied := state.Denied[c.action]
	switch {
	case c.serve == nil:
		awserror.New(http.StatusNotFound, awserror.Coral+"UnknownOperationException",
			"the local stack has no "+r.Method+" "+r.URL.Path+" "+c.action+
				"; to call AWS itself, use a terminal without the variables of demo.env").Write(w, c.protocol)
	case denied:
		awserror.New(http.StatusForbidden, c.deniedCode, "not authorized to perform: "+c.action).Write(w, c.protocol)
	default:
		c.serve(w, r, state)
	}
}

// call is what a request asks for.
type call struct {
	action     string // as IAM names it, such as "ses:GetAccount"
	protocol   awserror.Protocol
	deniedCode string
	serve      func(http.ResponseWriter, *http.Request, State) // nil: it is not known
}

// call finds the service by what only its protocol has: SES and Lambda their paths, DynamoDB, KMS and SQS a header,
// CloudFormation and SNS, which have no action of the same name here, forms.
func (a *Account) call(r *http.Request) call {
	if path, ok := strings.CutPrefix(r.URL.Path, "/v2/email/"); ok {
		return a.email(r.Method, path)
	}
	if operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810."); ok {
		c := call{
			action:     "dynamodb:" + operation,
			protocol:   awserror.JSON,
			deniedCode: awserror.Coral + "AccessDeniedException",
			serve:      a.forward,
		}
		if operation == "DescribeContinuousBackups" {
			c.serve = describeContinuousBackups
		}
		return c
	}
	if operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "TrentService."); ok {
		return key(operation)
	}
	if operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."); ok {
		serve := func(w http.ResponseWriter, r *http.Request, _ State) { a.Queues.ServeHTTP(w, r) }
		return call{
			action:     "sqs:" + operation,
			protocol:   awserror.JSON,
			deniedCode: awserror.Coral + "AccessDeniedException",
			serve:      serve,
		}
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/"); ok {
		return a.function(r.Method, name)
	}
	c := call{protocol: awserror.Query, deniedCode: "AccessDenied"}
	switch action := r.FormValue("Action"); {
	case r.Method != http.MethodPost:
	case action == "DescribeStacks":
		c.action, c.serve = "cloudformation:"+action, describeStacks
	case action == "ListStackResources":
		c.action, c.serve = "cloudformation:"+action, a.listStackResources
	case action == "GetTopicAttributes":
		c.action, c.serve, c.deniedCode = "sns:"+action, getTopicAttributes, "AuthorizationError"
	}
	return c
}

func (a *Account) forward(w http.ResponseWriter, r *http.Request, _ State) {
	w.Header().Del("Date") // the database has its own
	a.tables.ServeHTTP(w, r)
}
