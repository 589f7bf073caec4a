package commandline

import (
	"cmp"
	"slices"
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

// helpFlagWithGlobals puts --help into the group of the other flags that every command has. Groups come after a
// command's own flags.
func helpFlagWithGlobals(k *kong.Kong) error {
	for _, flag := range k.Model.Flags {
		k.Model.HelpFlag.Group = cmp.Or(k.Model.HelpFlag.Group, flag.Group)
	}
	return nil
}

// Examples adds examples to the help of commands. Its keys are a command's words, such as "mail-key create"; "" is
// the program.
func Examples(byCommand map[string][]string) kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		showExamples(k.Model.Node, nil, byCommand)
		return nil
	})
}

// showExamples adds the examples of a command, and of all below it. words are the command's own.
func showExamples(node *kong.Node, words []string, byCommand map[string][]string) {
	if lines := byCommand[strings.Join(words, " ")]; len(lines) > 0 {
		node.Detail = "Examples:\n\n\t" + strings.Join(lines, "\n\t") // an indented text is not wrapped
	}
	for _, child := range node.Children {
		showExamples(child, append(slices.Clone(words), child.Name), byCommand)
	}
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

// LongHelp replaces names in tags, such as ${name}, by help texts that are too long for a tag. These texts are no
// variables of kong, because they would take most of a command's time: for every flag, kong looks for names in all of
// its variables.
func LongHelp(texts ...map[string]string) kong.Option {
	byName := map[string]string{}
	for _, some := range texts {
		for name, text := range some {
			byName["${"+name+"}"] = text
		}
	}
	return kong.PostBuild(func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(at kong.Visitable, next kong.Next) error {
			switch at := at.(type) {
			case *kong.Node:
				at.Help = cmp.Or(byName[at.Help], at.Help)
			case *kong.Value:
				at.Help = cmp.Or(byName[at.Help], at.Help)
			}
			return next(nil)
		})
	})
}
