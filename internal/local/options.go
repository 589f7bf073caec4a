package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/rebuild"
	"frontdesk/internal/local/template"
)

// Options says where a stack finds its functions and keeps its state. Only Root is needed.
type Options struct {
	// Root is the project's folder, with the Makefile.
	Root string
	// Template is the path of the SAM template; default Root/template.yaml.
	Template string
	// Data is the folder for state: the database's file and the captured mails. Empty: all is in
	// memory and gone at Close.
	Data string
	// Builds is the folder of the built functions, <Builds>/<LogicalId>/bootstrap; default
	// Root/.local/build.
	Builds string
	// Addr is the address of the gateway; default "127.0.0.1:0", any free port.
	Addr string
	// StackName is CloudFormation's AWS::StackName, a part of the tables' names; default "frontdesk".
	// Two stacks on one DynamoDB need two names.
	StackName string
	// Environment is added to every function's environment where the template does not set the name.
	Environment map[string]string
	// Parameters are values for the template's parameters, over their defaults.
	Parameters map[string]string
	// DynamoDB is the endpoint of a running DynamoDB, such as "http://127.0.0.1:8000". Empty: the
	// stack starts its own.
	DynamoDB string
	// Watch builds functions again while the stack runs, when their source changes.
	Watch bool
	// Logs gets what the functions write to stdout and stderr, line by line, the stack's own JSON
	// lines about invocations that failed, and what the watch has to say; default os.Stderr.
	Logs io.Writer
	// Processes is how many processes one function may have at a time; default 64. A request that
	// finds all of them busy waits. (Lambda's own default is 1,000 for an account.)
	Processes int

	// Shortened in tests; zero is what the services have.
	integrationTimeout, initTimeout time.Duration
}

const (
	region    = "us-east-1"
	accountID = "123456789012"
	partition = "aws"
)

// Build builds every function of the template for this machine with the make target that sam build
// uses, build-<LogicalId>, into Options.Builds. Builds of several processes into one folder wait
// for each other. The error has the compiler's output.
func Build(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	template, _, err := o.load()
	if err != nil {
		return err
	}
	return o.project(template).Build(ctx)
}

// project is what is built of a template.
func (o Options) project(t *template.Template) rebuild.Project {
	return rebuild.Project{Root: o.Root, Builds: o.Builds, Template: o.Template, Functions: t.Functions}
}

// withDefaults fills in what is not given and makes every path absolute: functions run in folders
// of their own.
func (o Options) withDefaults() (Options, error) {
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return o, fmt.Errorf("find the project's folder: %w", err)
	}
	o.Root = root
	if o.Template == "" {
		o.Template = filepath.Join(root, "template.yaml")
	}
	if o.Builds == "" {
		o.Builds = filepath.Join(root, ".local", "build")
	}
	for _, path := range []*string{&o.Template, &o.Builds, &o.Data} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return o, fmt.Errorf("resolve path: %w", err)
		}
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.StackName == "" {
		o.StackName = "frontdesk"
	}
	if o.Logs == nil {
		o.Logs = os.Stderr
	}
	if o.Processes == 0 {
		o.Processes = 64
	}
	return o, nil
}

// values are what CloudFormation would know about this stack.
func (o Options) values() template.Values {
	return template.Values{
		Region:     region,
		AccountID:  accountID,
		Partition:  partition,
		StackName:  o.StackName,
		Parameters: o.Parameters,
	}
}

// load reads the template and compiles its policies.
func (o Options) load() (*template.Template, gate.Policies, error) {
	template, err := template.Load(o.Template, o.values())
	if err != nil {
		return nil, nil, fmt.Errorf("load template: %w", err)
	}
	policies, err := gate.Compile(template.Functions)
	if err != nil {
		return nil, nil, fmt.Errorf("load template: %w", err)
	}
	return template, policies, nil
}

// dataPath is a path in the folder for state, empty when the state is in memory.
func (o Options) dataPath(name string) string {
	if o.Data == "" {
		return ""
	}
	return filepath.Join(o.Data, name)
}
