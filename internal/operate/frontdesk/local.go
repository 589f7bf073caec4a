package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/account"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/develop/local/dynamodb"
	"frontdesk/internal/operate/frontdesk/client"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/demo"
)

// localCommand is frontdesk local, which is what make run calls.
//
// Port is nil without the flag, because the default depends on --services-only. It asks before it deletes data of
// another layout.
type localCommand struct {
	Port     *int   `env:"PORT" placeholder:"N" help:"Port of API and console. Default: 3000; 3001 with --services-only, as 3000 is SAM's."`
	Host     string `default:"127.0.0.1" help:"Address to listen on: 0.0.0.0 for all of this machine's. Who reaches it can call the API."`
	Project  string `env:"FRONTDESK_PROJECT" placeholder:"DIR" help:"The project's folder. Default: the working one or the nearest above that has a template.yaml, else the tool's own."`
	Dir      string `default:".local" help:"Folder of the stack's state and of demo.env, in the project's."`
	DynamoDB string `name:"dynamodb" env:"DYNAMODB_ENDPOINT" placeholder:"URL" help:"Use a DynamoDB that runs already."`
	Watch    bool   `default:"true" negatable:"" help:"Build functions again when their source changes."`

	AllowedHosts []string          `name:"allowed-host" placeholder:"NAME" help:"Name by which the API and the console may be called beside localhost, such as this machine's in its network; may be repeated. Who opens the console sees every mail and the credentials."`
	Parameters   map[string]string `name:"parameter" mapsep:"none" placeholder:"NAME=VALUE" help:"Parameter of template.yaml, such as AllowedOrigins=http://localhost:5173, in place of its default; may be repeated. The README lists them."`

	ServicesOnly bool `help:"Database, outbox and console alone, for the containers of sam local start-api. They find them on --host, on the port after --port, without a password: see internal/docs/local.md."`
	Realistic    bool `help:"Make the database as slow and as contended as DynamoDB: transactions that conflict, 1,000 writes a second for each partition, 2 to 15 ms a call."`

	Seed      bool   `help:"Fill the stack through its API with categories, users and a dozen mails to look at."`
	Yes       bool   `help:"Delete data of another layout without asking."`
	Ephemeral bool   `help:"For the tests of others: keep all in memory, do not watch the source, and end with the process that has started it. Without --env-file the variables are printed."`
	EnvFile   string `placeholder:"FILE" help:"File that gets the stack's variables, in one step when it is ready, and is removed when it ends. Default: demo.env in --dir."`
}

// Run builds the functions, starts the stack, provisions the demo tenant, and waits for a signal or a failure.
func (c localCommand) Run(ctx context.Context, out commandline.Output) error {
	if err := c.check(); err != nil {
		return commandline.Usage("%w", err)
	}
	orphaned := c.orphaned() // the parent may end as soon as the variables are published
	root, err := projectRoot(c.Project)
	if err != nil {
		return err
	}
	dir := c.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	// The log is for a person only at a terminal. A file or a pipe gets the lines of JSON as they are.
	terminal, atTerminal := out.LogTerminal()
	log := out.Log()
	if atTerminal {
		log = terminalLog{terminal}
	}
	options := c.options(root, dir, log)
	if atTerminal {
		options.Progress = terminal.Stream() // the build shows it in one place
	}
	if err := ready(ctx, options); err != nil {
		return err
	}
	if !c.ServicesOnly && os.Getenv("FUNCTIONS_BUILT") == "" { // make test has built them
		if err := local.Build(ctx, options); err != nil {
			return err
		}
	}
	stack, tenant, err := c.start(ctx, options, dir)
	if other, is := errors.AsType[table.UnknownLayout](err); is && c.ownsTable() {
		if err := c.discard(ctx, out, options.Data, other); err != nil {
			return err
		}
		stack, tenant, err = c.start(ctx, options, dir)
	}
	if err != nil {
		return err
	}
	// It also stops what runs when a later step fails; after the Close below it does nothing.
	defer stack.Close()
	stack.Show(tenant.Console())
	if c.Seed {
		if err := tenant.Seed(ctx); err != nil {
			return fmt.Errorf("seed the stack: %w", err)
		}
	}
	welcome := tenant.Welcome
	if c.ServicesOnly {
		sam := filepath.Join(dir, "sam-env.json")
		if err := demo.WriteSAMEnvironment(sam, stack.Environ()); err != nil {
			return fmt.Errorf("write the environment of sam local: %w", err)
		}
		welcome = func(p commandline.Printer) { tenant.WelcomeSAM(p, sam) }
	} else if c.Ephemeral {
		welcome = tenant.WelcomeEphemeral
	}
	// Publishing is the last step: whoever waits for the file finds a stack that is ready, with its sample data.
	unpublish, err := tenant.Publish()
	if err != nil {
		return fmt.Errorf("write the variables: %w", err)
	}
	defer unpublish()
	// Requests before the welcome are those of the seed, which nobody made by hand: the log leaves them out.
	welcomed := time.Now()
	if err := out.Print(tenant.Variables, welcome); err != nil {
		return err
	}
	if atTerminal && !c.ServicesOnly {
		go func() { // it ends with the stack
			err := client.Follow(ctx, tenant.Variables["CONSOLE_URL"], welcomed, terminal)
			if err != nil {
				out.Note("requests are shown no longer: %v\n", err)
			}
		}()
	}
	select {
	case <-ctx.Done():
	// nil, which is never ready, unless the stack is ephemeral.
	case <-orphaned:
	case err = <-stack.Failed():
	}
	// The file goes before the stack ends, so nobody finds an address that does not answer.
	unpublish()
	out.Note("stopping\n")
	return errors.Join(err, stack.Close())
}

// start starts the stack and provisions the demo tenant. After an error nothing runs.
func (c localCommand) start(
	ctx context.Context, options local.Options, dir string,
) (*local.Stack, *demo.Tenant, error) {
	stack, err := local.Start(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	base := stack.URL()
	// The functions are in the containers of sam local, so the API answers where SAM does.
	if c.ServicesOnly {
		base = demo.SAMURL
	}
	tenant, err := demo.Provision(ctx, stack, base, c.files(dir, options.Data))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("provision the demo tenant: %w", err), stack.Close())
	}
	return stack, tenant, nil
}

// ownsTable reports whether the table is among the stack's own data, and not somewhere else.
func (c localCommand) ownsTable() bool {
	return c.DynamoDB == "" && c.Parameters["ExistingTableName"] == ""
}

// discard deletes the data of a stack that has ended, if somebody confirms it. Its table has a layout that this version
// does not know.
func (c localCommand) discard(
	ctx context.Context, out commandline.Output, data string, other table.UnknownLayout,
) error {
	err := commandline.Asking{Yes: c.Yes}.Confirm(ctx, out,
		"table %s has layout %d, and this version of frontdesk only knows layout %d: "+
			"delete all of %s, and start anew?", other.Table, other.Layout, table.Layout, data)
	if err != nil {
		return err
	}
	if err := account.CheckUnlocked(data); err != nil { // another stack has started while the question stood
		return err
	}
	return os.RemoveAll(data)
}

// check refuses options that contradict each other. It comes before anything is built or started. The command line
// itself is wrong, so the exit status is 2.
func (c localCommand) check() error {
	switch {
	case c.ServicesOnly && c.Seed:
		return errors.New("--seed calls the API, which --services-only does not run: give one of them")
	case c.ServicesOnly && c.Ephemeral:
		return errors.New("--ephemeral is for the whole stack: leave out --services-only")
	case c.Ephemeral && c.DynamoDB != "":
		return errors.New("--ephemeral keeps its tables in memory: leave out --dynamodb and DYNAMODB_ENDPOINT")
	}
	return nil
}

// options returns the options of a stack. dir is the folder of its state, and log gets what it and its functions log.
func (c localCommand) options(root, dir string, log io.Writer) local.Options {
	options := local.Options{
		Root:        root,
		Data:        filepath.Join(dir, "data"),
		Addr:        net.JoinHostPort(c.Host, strconv.Itoa(c.port(3000))),
		Environment: map[string]string{"ALLOW_PRIVATE_DOWNLOADS": allowPrivateDownloads()},
		Hosts:       c.AllowedHosts,
		Parameters:  c.Parameters,
		DynamoDB:    c.DynamoDB,
		Watch:       c.Watch,
		Logs:        log,
		Progress:    log,
	}
	if c.Realistic {
		options.Contention = contention.AWS()
	}
	if c.Ephemeral {
		// An empty folder keeps all state in memory. A test's stack must not change under the test, so nothing is
		// built again.
		options.Data, options.Watch = "", false
	}
	if c.ServicesOnly {
		options.ServicesOnly, options.Watch = true, false
		port := c.port(3001)
		options.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) // mails are for this machine alone
		// The port after the console's; with port 0 both are any free ones.
		options.ServicesAddr = net.JoinHostPort(c.Host, strconv.Itoa(port+min(port, 1)))
	}
	return options
}

// files returns the files that get the tenant's variables. An ephemeral stack keeps none of them for a next start.
func (c localCommand) files(dir, data string) demo.Files {
	if c.Ephemeral {
		return demo.Files{Public: c.EnvFile}
	}
	const name = "demo.env"
	return demo.Files{Saved: filepath.Join(data, name), Public: cmp.Or(c.EnvFile, filepath.Join(dir, name))}
}

// ready returns an error if something keeps the stack from starting. It comes before the build. A build may take a
// minute, and would replace the functions of another stack that runs on the same data.
func ready(ctx context.Context, o local.Options) error {
	if o.Data != "" {
		if err := account.CheckUnlocked(o.Data); err != nil {
			return err
		}
	}
	// The port may still be taken by others before the stack listens on it. The stack then fails with the system's
	// own error; this look only gives a better one, with a port to choose.
	for _, addr := range []string{o.Addr, o.ServicesAddr} {
		host, port, _ := net.SplitHostPort(addr)
		number, err := strconv.Atoi(port)
		if err != nil || !taken(host, number) {
			continue
		}
		free := number + 1
		for taken(host, free) {
			free++
		}
		return fmt.Errorf("port %d is taken; choose another: PORT=%d make run, or frontdesk local --port %d",
			number, free, free)
	}
	if o.DynamoDB != "" {
		return nil
	}
	_, err := dynamodb.Install(ctx, o.Root)
	return err
}

// taken reports whether something listens on a port. It says nothing about an address that is not this machine's: the
// stack's own error does. It listens for a moment, as the stack does later. Port 0 is never taken.
func taken(host string, port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err == nil {
		listener.Close()
	}
	return errors.Is(err, syscall.EADDRINUSE)
}

// orphaned returns a channel that closes when the process that started an ephemeral stack has ended. The stack then
// ends, too: a suite that was killed could not stop it. For any other stack the channel is nil.
func (c localCommand) orphaned() <-chan struct{} {
	if !c.Ephemeral {
		return nil
	}
	// A process whose parent has ended gets another parent: process 1, or a subreaper of Linux. Polling works on
	// every Unix; a signal at the parent's death is Linux's alone.
	parent, orphaned := os.Getppid(), make(chan struct{})
	go func() {
		for os.Getppid() == parent {
			time.Sleep(orphanCheck)
		}
		close(orphaned)
	}()
	return orphaned
}

// orphanCheck is the time between two looks for the parent. A look is one system call, so it may come often: the
// suite that was killed is soon started again, and wants its port.
const orphanCheck = 250 * time.Millisecond

// port returns the port of the API and the console; 0 means any free one.
func (c localCommand) port(fallback int) int {
	if c.Port == nil {
		return fallback
	}
	return *c.Port
}

// allowPrivateDownloads returns the variable of that name, and "true" if it is not set: the files of a first mail are
// mostly on the same machine. On AWS a function refuses to download from addresses of a private network, which a
// mail's author could use to read what the function can reach.
func allowPrivateDownloads() string {
	if value, set := os.LookupEnv("ALLOW_PRIVATE_DOWNLOADS"); set {
		return value
	}
	return "true"
}

// projectRoot returns the given folder, or else the nearest one with a template.yaml: first from the working folder
// upwards, then from the tool's own. The tool's own folder serves a built tool that is called by its path from
// elsewhere, such as bin/frontdesk in another project's tests. A given folder is taken as it is, and none above it.
func projectRoot(given string) (string, error) {
	working, err := os.Getwd()
	if err != nil {
		return "", err
	}
	starts := []string{working}
	if tool, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(tool))
	}
	if given != "" {
		starts = []string{given}
	}
	for _, dir := range starts {
		for dir != "" {
			if _, err := os.Stat(filepath.Join(dir, "template.yaml")); err == nil {
				return filepath.Abs(dir)
			}
			parent := filepath.Dir(dir)
			if parent == dir || given != "" {
				break
			}
			dir = parent
		}
	}
	return "", fmt.Errorf("there is no template.yaml in %s or above: run frontdesk local inside the project, "+
		"or give its folder with --project", cmp.Or(given, working))
}
