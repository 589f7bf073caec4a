package local

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/develop/local/rebuild"
	"frontdesk/internal/develop/local/samtemplate"
)

// Options say where a stack finds its functions and where it keeps its state. Only Root is required.
type Options struct {
	Root         string            // the project's folder, with the Makefile
	Template     string            // path of the SAM template; default Root/template.yaml
	Data         string            // folder for the database's file and the captured mails; empty keeps all in memory
	Builds       string            // folder of the functions' programs; default Root/.local/functions
	Addr         string            // of the gateway; default "127.0.0.1:0", which is any free port
	Hosts        []string          // names besides localhost under which the stack answers
	StackName    string            // AWS::StackName, a part of the tables' names; default "frontdesk"
	Environment  map[string]string // of every function, for names that the template does not set
	Parameters   map[string]string // of the template, instead of their defaults
	DynamoDB     string            // endpoint of a running DynamoDB; empty starts one
	ServicesAddr string            // where operators and containers reach AWS; default "127.0.0.1:0"
	ServicesOnly bool              // no functions and routes: they run somewhere else
	Watch        bool              // rebuild functions when their source changes
	// Logs gets the functions' output, line by line, the stack's own JSON lines about failed invocations, and the
	// messages of the watch. The default is os.Stderr.
	Logs       io.Writer
	Progress   io.Writer          // of Build, which reports how far it is; default: nothing is reported
	Processes  int                // of one function at a time; default 64. When all are busy, a request waits
	Contention *contention.Config // simulated contention of the database; nil for none

	// In a test, the stack may stay within the test's process.
	Programs  map[string]lambda.Program // run in place of those in Builds, by their names; nil for those in Builds
	Network   httpserver.Network        // of everything but the database; default [httpserver.Machine]
	Transport http.RoundTripper         // of all calls to the database; default [dynamodb.Transport]

	initTimeout time.Duration // for tests, shorter than Lambda's
}

// Fixed values for ARNs and signatures. The account is the example of AWS's documentation.
const region, accountID = "us-east-1", "123456789012"

// Build builds every function for this machine, with the project's Makefile.
// Processes that build into the same folder wait for each other. The error contains the compiler's output.
func Build(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	loaded, _, err := o.load()
	if err == nil {
		err = o.project(loaded).Build(ctx, o.Progress)
	}
	return err
}

// withDefaults fills in the defaults, and makes every path absolute: functions run in folders of their own.
func (o Options) withDefaults() (Options, error) {
	o.Template = cmp.Or(o.Template, filepath.Join(o.Root, "template.yaml"))
	o.Builds = cmp.Or(o.Builds, filepath.Join(o.Root, ".local", "functions"))
	for _, path := range []*string{&o.Root, &o.Template, &o.Builds, &o.Data} {
		if path == &o.Data && o.Data == "" {
			break
		}
		var err error
		*path, err = filepath.Abs(*path)
		if err != nil {
			return o, fmt.Errorf("resolve path: %w", err)
		}
	}
	o.Addr, o.ServicesAddr = cmp.Or(o.Addr, "127.0.0.1:0"), cmp.Or(o.ServicesAddr, "127.0.0.1:0")
	o.Network = cmp.Or(o.Network, httpserver.Machine)
	o.StackName = cmp.Or(o.StackName, "frontdesk")
	o.Processes = cmp.Or(o.Processes, 64)
	if o.Logs == nil {
		o.Logs = os.Stderr
	}
	return o, nil
}

// values are what CloudFormation would know about this stack: its region, account, name and parameters.
func (o Options) values() samtemplate.Values {
	return samtemplate.Values{
		Region: region, AccountID: accountID, Partition: "aws", StackName: o.StackName, Parameters: o.Parameters,
		// Mails go to their recipients, as in production: the outbox keeps them, and they reach nobody.
		Defaults: map[string]string{"Purpose": "production"},
	}
}

// load reads the template, and compiles the policies of its functions.
func (o Options) load() (t *samtemplate.Template, p awsproxy.Policies, err error) {
	t, err = samtemplate.Load(o.Template, o.values())
	if err == nil {
		p, err = awsproxy.Compile(t.Functions)
	}
	if err == nil && o.Parameters[existingTable] != "" {
		t.Tables, err = o.existing()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("load template: %w", err)
	}
	if o.ServicesOnly {
		t.Functions, t.Routes = nil, nil
		t.Rules = slices.DeleteFunc(t.Rules, func(r samtemplate.Rule) bool { return r.Webhook == nil })
	}
	return t, p, nil
}

// existingTable is the template's parameter that names an existing table, to be used instead of the stack's own.
const existingTable = "ExistingTableName"

// existing returns the tables of a stack that creates none. They have the shape of the template's own table, and the
// name of the existing one.
func (o Options) existing() ([]samtemplate.Table, error) {
	values := o.values()
	values.Parameters = maps.Clone(values.Parameters)
	delete(values.Parameters, existingTable)
	t, err := samtemplate.Load(o.Template, values)
	if err != nil {
		return nil, err
	}
	if len(t.Tables) != 1 {
		return nil, fmt.Errorf("%s is for a template of one table, not of %d", existingTable, len(t.Tables))
	}
	t.Tables[0].Name, t.Tables[0].Exists = o.Parameters[existingTable], true
	return t.Tables, nil
}

// project says what has to be built for a template.
func (o Options) project(t *samtemplate.Template) rebuild.Project {
	return rebuild.Project{Root: o.Root, Builds: o.Builds, Template: o.Template, Functions: t.Functions}
}
