package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"frontdesk/internal/local"
	"frontdesk/internal/local/contention"
	"frontdesk/internal/table"
)

type localCommand struct {
	Port     *int   `env:"PORT" placeholder:"N" help:"${local_port}"`
	Host     string `default:"127.0.0.1" help:"${local_host}"`
	Dir      string `default:".local" help:"Folder of the stack's state and of demo.env, in the project's."`
	DynamoDB string `name:"dynamodb" env:"DYNAMODB_ENDPOINT" placeholder:"URL" help:"Use a DynamoDB that runs already."`
	Watch    bool   `default:"true" negatable:"" help:"Build functions again when their source changes."`

	AllowedHosts   []string `name:"allowed-host" placeholder:"NAME" help:"${local_allowed_host}"`
	AllowedOrigins []string `name:"allowed-origin" placeholder:"URL" help:"${local_allowed_origin}"`

	ServicesOnly bool `help:"${services_only}"`
	Realistic    bool `help:"${local_realistic}"`
}

// Run builds the functions, starts the stack, provisions the demo tenant, and waits until it is told to stop.
func (c localCommand) Run(ctx context.Context, out output) error {
	root, err := projectRoot()
	if err != nil {
		return err
	}
	dir := c.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	options := local.Options{
		Root:        root,
		Data:        filepath.Join(dir, "data"),
		Addr:        net.JoinHostPort(c.Host, strconv.Itoa(c.port(3000))),
		Environment: map[string]string{"ALLOW_PRIVATE_DOWNLOADS": allowPrivateDownloads()},
		Hosts:       c.AllowedHosts,
		Parameters:  c.parameters(),
		DynamoDB:    c.DynamoDB,
		Watch:       c.Watch,
		Logs:        os.Stderr,
	}
	if c.Realistic {
		options.Contention = contention.AWS()
	}
	if c.ServicesOnly {
		options.ServicesOnly, options.Watch = true, false
		port := c.port(3001)
		options.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) // mails are for this machine alone
		options.ServicesAddr = net.JoinHostPort(c.Host, strconv.Itoa(port+min(port, 1)))
	} else if os.Getenv("FUNCTIONS_BUILT") == "" { // make test has built them for all of its tests
		if err := local.Build(ctx, options); err != nil {
			return err
		}
	}
	stack, err := local.Start(ctx, options)
	if err != nil {
		return err
	}
	defer stack.Close()

	base := stack.URL()
	if c.ServicesOnly {
		base = samURL
	}
	demo, err := provisionDemo(ctx, stack, base, filepath.Join(dir, "demo.env"))
	if err != nil {
		return fmt.Errorf("provision the demo tenant: %w", err)
	}
	stack.Show(demo.console())
	welcome := demo.welcome
	if c.ServicesOnly {
		sam := filepath.Join(dir, "sam-env.json")
		if err := writeSAMEnvironment(sam, stack.Environ()); err != nil {
			return fmt.Errorf("write the environment of sam local: %w", err)
		}
		welcome = func(w io.Writer) { demo.welcomeSAM(w, sam) }
	}
	if err := out.print(demo.variables, welcome); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case err = <-stack.Failed():
	}
	fmt.Fprintln(os.Stderr, "stopping")
	return errors.Join(err, stack.Close())
}

// parameters are those of the template that an option sets.
func (c localCommand) parameters() map[string]string {
	if len(c.AllowedOrigins) == 0 {
		return nil
	}
	return map[string]string{"AllowedOrigins": strings.Join(c.AllowedOrigins, ",")}
}

// port is that of the API, and of the console; 0 is any.
func (c localCommand) port(fallback int) int {
	if c.Port == nil {
		return fallback
	}
	return *c.Port
}

// allowPrivateDownloads is true unless the caller's environment decides: the files of a first mail are mostly on the
// same machine.
func allowPrivateDownloads() string {
	if value, set := os.LookupEnv("ALLOW_PRIVATE_DOWNLOADS"); set {
		return value
	}
	return "true"
}

// projectRoot is the nearest folder, from the working one upwards, that has the template.
func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "template.yaml")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("there is no template.yaml here or in a folder above: " +
				"run frontdesk local inside the project")
		}
		dir = parent
	}
}

// demoTable opens the stack's table as an operator.
func demoTable(stack *local.Stack) table.Table {
	return table.Open(stack.Operator(), stack.Environ()["TABLE_NAME"])
}
