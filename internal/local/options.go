package local

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/local/contention"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/rebuild"
	"frontdesk/internal/local/template"
)

// Options says where a stack finds its functions and keeps its state. Only Root is needed.
type Options struct {
	Root         string            // the project's folder, with the Makefile
	Template     string            // path of the SAM template; default Root/template.yaml
	Data         string            // folder of the database's file and the captured mails; empty: all is in memory
	Builds       string            // folder of the functions, <Builds>/<LogicalId>/bootstrap; default Root/.local/build
	Addr         string            // of the gateway; default "127.0.0.1:0", any free port
	Hosts        []string          // names beside localhost that the stack answers to
	StackName    string            // AWS::StackName, a part of the tables' names; default "frontdesk"
	Environment  map[string]string // of every function, where the template does not set the name
	Parameters   map[string]string // of the template, over their defaults
	DynamoDB     string            // endpoint of a DynamoDB that runs; empty: the stack starts its own
	ServicesAddr string            // of what operators and containers call of AWS; default "127.0.0.1:0"
	ServicesOnly bool              // without functions and routes, which are somewhere else
	Watch        bool              // build functions again while the stack runs, when their source changes
	// Logs gets what the functions write to stdout and stderr, line by line, the stack's own JSON lines about
	// invocations that failed, and what the watch has to say; default os.Stderr.
	Logs       io.Writer
	Progress   io.Writer          // of Build, which tells how far it is; default: nobody is told
	Processes  int                // of one function at a time; default 64. A request that finds all of them busy waits
	Contention *contention.Config // of the database; nil: none

	integrationTimeout, initTimeout time.Duration // shorter than the services' in tests
}

const region, accountID = "us-east-1", "123456789012"

// Build builds every function of the template for this machine with the project's Makefile into Options.Builds. Builds
// of several processes into one folder wait for each other. The error has the compiler's output.
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

// withDefaults fills in what is not given and makes every path absolute: functions run in folders of their own.
func (o Options) withDefaults() (Options, error) {
	o.Template = cmp.Or(o.Template, filepath.Join(o.Root, "template.yaml"))
	o.Builds = cmp.Or(o.Builds, filepath.Join(o.Root, ".local", "build"))
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
	o.StackName = cmp.Or(o.StackName, "frontdesk")
	o.Processes = cmp.Or(o.Processes, 64)
	if o.Logs == nil {
		o.Logs = os.Stderr
	}
	return o, nil
}

// values are what CloudFormation would know about this stack.
func (o Options) values() template.Values {
	return template.Values{
		Region: region, AccountID: accountID, Partition: "aws", StackName: o.StackName, Parameters: o.Parameters,
	}
}

// load reads the template and compiles its policies.
func (o Options) load() (t *template.Template, p gate.Policies, err error) {
	t, err = template.Load(o.Template, o.values())
	if err == nil {
		p, err = gate.Compile(t.Functions)
	}
	if err == nil && o.Parameters[existingTable] != "" {
		t.Tables, err = o.existing()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("load template: %w", err)
	}
	if o.ServicesOnly {
		t.Functions, t.Routes, t.Rules = nil, nil, nil
	}
	return t, p, nil
}

// existingTable is the template's parameter that names a table to use in place of the stack's own.
const existingTable = "ExistingTableName"

// existing are the tables of a stack that makes none: what the template's own would be, by the name of the one to use.
func (o Options) existing() ([]template.Table, error) {
	own := o.values()
	own.Parameters = maps.Clone(own.Parameters)
	delete(own.Parameters, existingTable)
	t, err := template.Load(o.Template, own)
	if err != nil {
		return nil, err
	}
	if len(t.Tables) != 1 {
		return nil, fmt.Errorf("%s is for a template of one table, not of %d", existingTable, len(t.Tables))
	}
	t.Tables[0].Name, t.Tables[0].Exists = o.Parameters[existingTable], true
	return t.Tables, nil
}

// project is what is built of a template.
func (o Options) project(t *template.Template) rebuild.Project {
	return rebuild.Project{Root: o.Root, Builds: o.Builds, Template: o.Template, Functions: t.Functions}
}
