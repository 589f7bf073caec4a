// Package target finds the stack that a command works on: the one on this machine, a deployed one, or the one that
// the environment names.
//
// Opening a target calls nobody. Each method asks only what it needs, so a command for the API alone works without
// AWS credentials, and one for the table alone without a running API.
package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/commandline"

	"github.com/alecthomas/kong"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// Flags select the stack. --local and --stack override the environment, and --table-name overrides both.
type Flags struct {
	Local     Folder `help:"Work on the stack that runs on this machine, by its demo.env; --local=DIR names another folder than .local, or such a file."`
	Stack     string `placeholder:"NAME" help:"Work on this deployed CloudFormation stack, with your AWS credentials."`
	TableName string `name:"table-name" placeholder:"NAME" help:"Another table than the stack's, or TABLE_NAME."`
}

// AfterApply refuses an empty name, which a script gives that has not set its variable: without the flag the command
// would work on the stack of the environment.
func (f Flags) AfterApply(c *kong.Context) error {
	for _, part := range c.Path {
		flag := part.Flag
		if flag != nil && (flag.Name == "stack" || flag.Name == "table-name") && flag.Target.IsZero() {
			return commandline.Usage("--%s is empty: give a name, or leave the flag out", flag.Name)
		}
	}
	return nil
}

// defaultStack is the name that samconfig.toml gives a stack.
const defaultStack = "frontdesk"

// Target is one stack. Its methods read the local stack's demo.env where the flag --local is given, and the
// environment elsewhere; never a mix of both.
type Target struct {
	flags Flags
	dial  Dial
	http  *http.Client
	get   func(variable string) string // reads the local stack's variables, or the environment
	name  string                       // its name in errors; "" for the environment
	table string                       // the opened table and its place; "" for none
}

// Dial connects to an address, as the method DialContext of [net.Dialer] does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Open finds the stack, which all later calls reach by dial. It makes no call.
func (f Flags) Open(dial Dial) (*Target, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = dial
	t := &Target{flags: f, dial: dial, http: &http.Client{Transport: transport}, get: os.Getenv}
	switch {
	case f.Local.path != "" && f.Stack != "":
		return nil, commandline.Usage("--local and --stack are two stacks: give one of them")
	case f.Local.path != "":
		file, variables, err := f.Local.read()
		if err != nil {
			return nil, err
		}
		t.get, t.name = func(name string) string { return variables[name] }, "the local stack of "+file
	// demo.env also sets the endpoints and credentials of the local stack. With these, a call for the deployed stack
	// would reach the local one.
	case f.Stack != "" && os.Getenv("CONSOLE_URL") != "":
		return nil, commandline.Usage("--stack is a deployed stack, but the variables of the local one are set, " +
			"which lead there: give --local instead, or take a new terminal")
	case f.Stack != "":
		t.name = "stack " + f.Stack
	}
	return t, nil
}

// IsLocal reports whether the stack runs on this machine.
func (t *Target) IsLocal() bool { return t.flags.Stack == "" && t.get("CONSOLE_URL") != "" }

// Name returns the name of the CloudFormation stack. It does not say whether such a stack exists.
func (t *Target) Name() string { return cmp.Or(t.flags.Stack, t.get("STACK_NAME"), defaultStack) }

// CheckNamed returns an error if nobody has named the stack: a command that changes a stack does not take the default.
func (t *Target) CheckNamed() error {
	if t.flags.Stack == "" && t.get("STACK_NAME") == "" {
		return commandline.Usage("no stack: give --local for the stack on this machine, --stack NAME for a deployed " +
			"one, or set STACK_NAME")
	}
	return nil
}

// patience is how long AWS may take for the first byte of an answer, and for each further one.
const patience = 10 * time.Second

// Config returns the configuration of an operator's AWS clients: region, credentials, endpoints, and how long they wait
// for an answer.
func (t *Target) Config(ctx context.Context) (aws.Config, error) {
	client := awshttp.NewBuildableClient().WithReadTimeout(patience).WithTransportOptions(func(tr *http.Transport) {
		tr.DialContext = t.dial
	})
	if t.flags.Local.path != "" {
		// The operator's own AWS profile must not matter here: a wrong region or role would only confuse.
		return aws.Config{
			Region:       t.get("AWS_REGION"),
			BaseEndpoint: aws.String(t.get("AWS_ENDPOINT_URL_DYNAMODB")),
			HTTPClient:   client,
			Credentials: credentials.NewStaticCredentialsProvider(
				t.get("AWS_ACCESS_KEY_ID"), t.get("AWS_SECRET_ACCESS_KEY"), ""),
		}, nil
	}
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client))
	switch {
	case err != nil:
		return cfg, fmt.Errorf("load AWS configuration: %w", err)
	case cfg.Region == "":
		return cfg, errors.New("there is no region: set AWS_REGION, or give your AWS profile one")
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil { // otherwise each call would fail in its own words
		return cfg, errNoCredentials
	}
	return cfg, nil
}

// errNoCredentials replaces the SDK's error, which lists every place where it has looked.
var errNoCredentials = errors.New("there are no AWS credentials: sign in with aws sso login or aws configure, " +
	"or set AWS_PROFILE; or give --local for the stack on this machine")

// Table opens the stack's table. It returns an error if this version of the tool does not know the table's layout. The
// name comes from the flag --table-name, else from the outputs of the stack that --stack names, else from TABLE_NAME.
func (t *Target) Table(ctx context.Context) (table.Table, error) {
	name := cmp.Or(t.flags.TableName, t.get("TABLE_NAME"))
	if name == "" && t.flags.Stack == "" {
		return table.Table{}, commandline.Usage("no table: give --local for the stack on this machine, " +
			"--stack NAME for a deployed one, or --table-name, or set TABLE_NAME")
	}
	cfg, err := t.Config(ctx)
	if err != nil {
		return table.Table{}, err
	}
	if t.flags.Stack != "" && t.flags.TableName == "" {
		deployed, err := t.Deployed(ctx)
		if err != nil {
			return table.Table{}, err
		}
		name = deployed.Outputs["TableName"]
		if name == "" {
			return table.Table{}, fmt.Errorf("%s names no table: it is %s", t.name, deployed.Status)
		}
	}
	t.table, err = t.reach(ctx, "table "+name, cfg, "AWS_ENDPOINT_URL_DYNAMODB")
	if err != nil {
		return table.Table{}, err
	}
	opened, err := table.OpenKnown(ctx, cfg, name)
	return opened, t.Explain(err)
}

// reach returns a thing with its place, such as "table t at http://127.0.0.1:8000". If the place is not AWS, it fails
// at once when nothing listens there, because the SDK would repeat calls for seconds. variable names the environment
// variable by which the AWS SDKs find the endpoint of a service.
func (t *Target) reach(ctx context.Context, thing string, cfg aws.Config, variable string) (string, error) {
	endpoint := cmp.Or(aws.ToString(cfg.BaseEndpoint), t.get(variable))
	parsed, err := url.Parse(endpoint)
	if err != nil || parsed.Port() == "" {
		return thing + " in " + cfg.Region, nil
	}
	thing += " at " + endpoint
	connection, err := t.dial(ctx, "tcp", parsed.Host)
	if err != nil {
		return "", fmt.Errorf("%s: nothing answers; is make run up?", thing)
	}
	return thing, connection.Close()
}

// API returns the base address of the stack's API.
func (t *Target) API(ctx context.Context) (string, error) {
	if t.flags.Stack != "" {
		deployed, err := t.Deployed(ctx)
		if err != nil {
			return "", err
		}
		if address := deployed.Outputs["ApiUrl"]; address != "" {
			return address, nil
		}
		return "", fmt.Errorf("%s names no API: it is %s", t.name, deployed.Status)
	}
	if address := t.get("BASE_URL"); address != "" {
		return address, nil
	}
	return "", commandline.Usage("no API: give --local for the stack on this machine, --stack NAME for a deployed " +
		"one, or set BASE_URL")
}

// HTTP returns the client for whatever is not AWS: the API, the console, and receivers of events.
func (t *Target) HTTP() *http.Client { return t.http }

// Console returns the base address of the local stack's console; "" if the stack is not local.
func (t *Target) Console() string {
	if !t.IsLocal() {
		return ""
	}
	return t.get("CONSOLE_URL")
}

// MailKey returns the mail key of the local stack's tenant, or the environment's; "" for none.
func (t *Target) MailKey() string { return t.get("MAIL_KEY") }
