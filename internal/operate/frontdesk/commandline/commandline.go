// Package commandline makes a program from a grammar: structs whose fields declare commands, arguments and flags. The
// tags of a field say all of it, as [kong] reads them: its name, its help, and in example the command lines that the
// help shows, each on a line. The parser, the help and what a shell completes come from them.
package commandline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

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
	Examples    string        // command lines that the program's own help shows, each on a line
	Version     string        // printed by --version
	Options     []kong.Option // such as the values that commands take
	Streams
}

// Run carries out one command line. Flags is a pointer to a struct with the flags of every command, asJSON is the one
// of them that asks for JSON, and commands is what [Commands] takes. A group of commands without one of them prints
// its help. Commands get the context, the input as an [io.Reader], and an [Output]. A line that cannot be parsed is a
// [UsageError] that names the command whose help explains it.
func (p Program) Run(ctx context.Context, flags any, asJSON *bool, commands any, args []string) error {
	helped := false
	output := Output{in: p.In, out: escaper{p.Out}, err: escaper{p.Err}, json: asJSON}
	// A command's flags are needed if the line names it, or asks for its help or its completion. Otherwise its name
	// is enough. Most of the time of a short command would go into the flags of all others.
	parser, err := kong.New(flags, slices.Concat(p.Options, Commands(commands, func(name string) bool {
		return slices.Contains(args, name)
	}), []kong.Option{
		kong.Name(p.Name),
		kong.Description(p.Description),
		kong.Vars{"version": p.Version},
		kong.ConfigureHelp(p.helpOptions()),
		kong.Writers(output.out, output.err),
		// kong would end the process after --help and --version, and with it a test.
		kong.Exit(func(int) { helped = true }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(p.In, (*io.Reader)(nil)),
		kong.Bind(output, p.Streams),
		kong.PostBuild(groupFlags),
		kong.PostBuild(p.showExamples),
	})...)
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
		return Usage("%w (see %s --help)", withoutValue(err), node(e.Context).FullPath())
	}
	if err != nil {
		return err
	}
	return command.Run()
}

// withoutValue replaces the words of the parser for a flag that ends the line and needs a value.
func withoutValue(err error) error {
	if flag, _, ends := strings.Cut(err.Error(), `: expected `); ends && strings.HasSuffix(err.Error(), "(<EOL>)") {
		return errors.New(flag + " needs a value")
	}
	return err
}

// Commands returns options that add the commands of a struct, which from points to, to a grammar. Each field is a
// command or a group of commands. A field with the tag embed has the commands of a package. Those that are not wanted
// get no flags, arguments and subcommands, and are there by their names and their help alone.
func Commands(from any, wanted func(name string) bool) (all []kong.Option) {
	fields := reflect.ValueOf(from).Elem()
	for i := range fields.NumField() {
		tag, command := fields.Type().Field(i).Tag, fields.Field(i).Addr().Interface()
		if _, are := tag.Lookup("embed"); are {
			all = append(all, Commands(command, wanted)...)
			continue
		}
		name := cmp.Or(tag.Get("name"), strings.ToLower(fields.Type().Field(i).Name))
		if !wanted(name) {
			command = &struct{}{}
		}
		all = append(all, kong.DynamicCommand(name, tag.Get("help"), "", command, string(tag)))
	}
	return all
}

// node returns the command or group that the arguments name, as far as they go; the program itself if they name none.
func node(c *kong.Context) *kong.Node {
	if selected := c.Selected(); selected != nil {
		return selected
	}
	return c.Model.Node
}

// UsageError is the error of a command line that is wrong whatever the stack is like: an unknown flag, a missing
// argument, two flags that contradict each other.
type UsageError struct{ error }

// Unwrap returns the error within, such as that of the parser.
func (e UsageError) Unwrap() error { return e.error }

// Usage returns a [UsageError].
func Usage(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// ChangedError is the error of a command that has finished, while somebody changed what it read. Its result is whole,
// but may mix two states.
type ChangedError struct{ error }

// Changed returns a [ChangedError].
func Changed(format string, args ...any) error { return ChangedError{fmt.Errorf(format, args...)} }

// ExitStatus returns a program's exit status: 0 for success, 2 for a [UsageError], 3 for a [ChangedError], and 1 for
// any other error.
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
