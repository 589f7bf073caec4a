// Package commandline makes a program of a grammar: a struct whose fields declare commands, arguments and flags beside
// their help, as [kong] reads it. The parser, the help and what a shell completes all come from it.
package commandline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// Streams are what a program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Program is a command-line tool.
type Program struct {
	Name        string
	Description string
	Version     string        // what --version prints
	Options     []kong.Option // such as what commands are given
	Streams
}

// Run carries out one command line. The grammar is a pointer to a struct, and asJSON its field that asks for JSON. A
// group of commands without one of them prints its help. Commands get the context, the input as an [io.Reader], and
// an [Output].
func (p Program) Run(ctx context.Context, grammar any, asJSON *bool, args []string) error {
	helped := false
	output := Output{escaper{p.Out}, escaper{p.Err}, asJSON}
	parser, err := kong.New(grammar, append([]kong.Option{
		kong.Name(p.Name),
		kong.Description(p.Description),
		kong.Vars{"version": p.Version},
		kong.ConfigureHelp(p.helpOptions()),
		kong.Writers(output.out, output.err),
		kong.Exit(func(int) { helped = true }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(p.In, (*io.Reader)(nil)),
		kong.Bind(output, p.Streams),
	}, p.Options...)...)
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if helped {
		return nil
	}
	if e, ok := errors.AsType[*kong.ParseError](err); ok {
		if e.Context.Error == nil && len(node(e.Context).Children) > 0 { // what is missing is the command
			return kong.DefaultHelpPrinter(p.helpOptions(), e.Context)
		}
		return Usage("%w (see %s --help)", err, node(e.Context).FullPath())
	}
	if err != nil {
		return err
	}
	return command.Run()
}

// node is the command that the arguments name as far as they go.
func node(c *kong.Context) *kong.Node {
	if selected := c.Selected(); selected != nil {
		return selected
	}
	return c.Model.Node
}

// UsageError is a command line that does not mean anything.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage is a [UsageError].
func Usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// ChangedError is the error of a command that has done all, while what it is about was changed.
type ChangedError struct{ error }

// Changed is a [ChangedError].
func Changed(format string, args ...any) error { return ChangedError{fmt.Errorf(format, args...)} }

// ExitStatus is that of a program: 0, 1 for what failed, 2 for a [UsageError], 3 for a [ChangedError].
func ExitStatus(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[UsageError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[ChangedError](err); ok {
		return 3
	}
	return 1
}
