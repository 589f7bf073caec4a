package commandline

import (
	"strings"

	"github.com/alecthomas/kong"
)

// helpOptions returns how help looks. A group shows its commands with one line each, and not the commands below
// those. Lines have at most 80 columns, and fewer at a terminal that is narrower.
func (s Streams) helpOptions() kong.HelpOptions {
	return kong.HelpOptions{
		Compact: true, NoExpandSubcommands: true, ValueFormatter: kong.DefaultHelpValueFormatter,
		WrapUpperBound: columnsOf(s.Out), FlagsLast: true,
	}
}

// groupFlags puts the flags of every command into a group, which stands after a command's own flags.
func groupFlags(k *kong.Kong) error {
	for _, flag := range k.Model.Flags {
		flag.Group = &kong.Group{Key: "every command", Title: "Flags of every command:"}
	}
	return nil
}

// showExamples adds the examples to the help of the program and of each command.
func (p Program) showExamples(k *kong.Kong) error {
	k.Model.Detail = detail(p.Examples)
	return kong.Visit(k.Model, func(at kong.Visitable, next kong.Next) error {
		if command, is := at.(*kong.Node); is {
			command.Detail = detail(command.Tag.Get("example"))
		}
		return next(nil)
	})
}

// detail returns what stands below the description of a command: its examples, indented, which keeps the help from
// wrapping them.
func detail(examples string) string {
	if examples == "" {
		return ""
	}
	return "Examples:\n\n\t" + strings.ReplaceAll(examples, "\n", "\n\t")
}

// Help is the command that prints the help of others.
type Help struct {
	Command []string `arg:"" optional:"" help:"A command, such as: mail-key create."`
}

// Run prints what the command does, or all commands.
func (h Help) Run(c *kong.Context, s Streams) error {
	trace, err := kong.Trace(c.Kong, h.Command)
	if err != nil {
		return err
	}
	if trace.Error != nil || len(h.Command) > 0 && trace.Selected() == nil {
		return Usage("there is no command %s (see %s help)", strings.Join(h.Command, " "), c.Model.Name)
	}
	return kong.DefaultHelpPrinter(s.helpOptions(), trace)
}
