package commandline

import (
	"strings"

	"github.com/alecthomas/kong"
)

// helpOptions show the commands of a group, each with one line, and not those below them.
var helpOptions = kong.HelpOptions{
	Compact: true, NoExpandSubcommands: true, ValueFormatter: kong.DefaultHelpValueFormatter,
}

// Help is the command that prints the help of others.
type Help struct {
	Command []string `arg:"" optional:"" help:"A command, such as: mail-key create."`
}

// Run prints what the command does, or all commands.
func (h Help) Run(c *kong.Context) error {
	trace, err := kong.Trace(c.Kong, h.Command)
	if err != nil {
		return err
	}
	if trace.Error != nil || len(h.Command) > 0 && trace.Selected() == nil {
		return Usage("there is no command %s (see %s help)", strings.Join(h.Command, " "), c.Model.Name)
	}
	return kong.DefaultHelpPrinter(helpOptions, trace)
}
