// Command frontdesk is the operators' tool: it runs the stack on one machine, creates the table, gives out and
// revokes credentials, sends mails, and looks at a stack that runs here or on AWS.
//
// On AWS it uses the usual chain of credentials. With --local it works on the stack of this machine in the same way,
// because that stack answers as AWS does. The packages below this one have most commands, with the help of their
// flags. This one has the program as a whole.
package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/frontdesk/client"
	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/operate/frontdesk/events"
	"frontdesk/internal/operate/frontdesk/operator"
	"frontdesk/internal/operate/frontdesk/person"
	"frontdesk/internal/operate/frontdesk/suppression"
	"frontdesk/internal/operate/frontdesk/target"

	"github.com/alecthomas/kong"
)

// commands are the commands of the whole tool, in the order of the help. A package's commands are embedded, so its
// groups are at the top level of the command line.
type commands struct {
	Local       localCommand         `cmd:"" help:"Run the whole stack on this machine." example:"frontdesk local --seed\nfrontdesk local --port 3001 --parameter AllowedOrigins=http://localhost:5173"`
	Client      client.Commands      `embed:""`
	Operator    operator.Commands    `embed:""`
	Events      events.Commands      `embed:""`
	Suppression suppression.Commands `embed:""`
	Person      person.Commands      `embed:""`
	Check       checkCommand         `cmd:"" help:"Look for items of the table that contradict each other; --repair mends them." example:"frontdesk --stack frontdesk check\nfrontdesk --stack frontdesk check --repair"`
	Doctor      doctorCommand        `cmd:"" help:"Look at a deployment, its table, its alarms' topic and SES with your AWS credentials, and at what mailboxes want of its senders: what is right, what is missing, what goes wrong now, and the command that mends it. Changes nothing. Of the stack on this machine it looks at the table alone." example:"frontdesk --stack frontdesk doctor"`

	ShowVersion versionCommand `cmd:"" name:"version" help:"Print the version, and of which commit it is." example:"frontdesk version"`

	Help       commandline.Help       `cmd:"" help:"Print what a command does." example:"frontdesk help mail-key create"`
	Completion commandline.Completion `cmd:"" help:"Print a script by which a shell completes command lines." example:"frontdesk completion zsh > ~/.zfunc/_frontdesk"`
	Complete   commandline.Complete   `cmd:"" hidden:"" help:"What the script of completion calls."`
}

// toolExamples are the command lines that the help of the tool itself shows.
const toolExamples = "frontdesk local\nfrontdesk --local status\nfrontdesk help mail send"

// globalFlags are those of every command.
type globalFlags struct {
	JSON    bool             `help:"Print one JSON object or array."`
	Version kong.VersionFlag `help:"Print the version, and of which commit it is."`
	target.Flags
}

// main ends the context at Ctrl-C and at SIGTERM, so that a command can end what it has begun and print what it
// has done.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := session{commandline.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, machine}
	status := s.exitStatus(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// errInterrupted is what a person reads who has pressed Ctrl-C, in place of the step that it stopped.
var errInterrupted = errors.New("interrupted")

// interrupted returns [errInterrupted] for an error that only says that a signal has ended the context. Of several
// errors it replaces those alone: the others say what else went wrong.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if several, are := err.(interface{ Unwrap() []error }); are {
		var all []error
		for _, one := range several.Unwrap() {
			all = append(all, interrupted(ctx, one))
		}
		return errors.Join(all...)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)) {
		return errInterrupted
	}
	return err
}

// session is what a command line works with, besides the environment. Tests run the same command lines with buffers
// for the streams, and with a DNS and a network of their own.
type session struct {
	commandline.Streams
	network
}

// network is how a command reaches others.
type network struct {
	lookupTXT lookupTXT
	dial      target.Dial
}

// machine is the network of this machine. Where nothing listens, a machine refuses at once; a busy one may take
// seconds to answer.
var machine = network{net.DefaultResolver.LookupTXT, (&net.Dialer{Timeout: 10 * time.Second}).DialContext}

// lookupTXT asks the DNS for TXT records. It is a type of its own because kong passes values to a command by
// their type.
type lookupTXT func(ctx context.Context, name string) ([]string, error)

// exitStatus carries out one command line, prints its error, and returns the status for the shell.
func (s session) exitStatus(ctx context.Context, args []string) int {
	err := s.run(ctx, args)
	if err != nil {
		commandline.PrintError(s.Err, "frontdesk", interrupted(ctx, err))
	}
	return commandline.ExitStatus(err)
}

// run carries out one command line. The target and the table are opened only for a command whose Run takes them, so
// help and version need neither AWS credentials nor a running stack.
func (s session) run(ctx context.Context, args []string) error {
	var flags globalFlags
	var opened *target.Target
	var unopened error
	// kong calls a provider while it prepares the arguments of Run, and wraps its error with the provider's type. So
	// each provider notes its own error as well.
	open := func() (*target.Target, error) {
		opened, unopened = flags.Open(s.dial)
		return opened, unopened
	}
	openTable := func(ctx context.Context, t *target.Target) (result table.Table, err error) {
		result, unopened = t.Table(ctx)
		return result, unopened
	}
	err := commandline.Program{
		Name:        "frontdesk",
		Description: "Outbound mail, help-center categories and platform users beside a support product.",
		Examples:    toolExamples,
		Version:     version(),
		Streams:     s.Streams,
		Options: []kong.Option{
			kong.Bind(s.lookupTXT),
			kong.BindToProvider(open),
			kong.BindToProvider(openTable),
		},
	}.Run(ctx, &flags, &flags.JSON, &commands{}, args)
	if unopened != nil {
		// The error goes without the name of its type, which kong adds.
		return unopened
	}
	// A command that opened no target has a nil one here, which explains nothing.
	return opened.Explain(err)
}
