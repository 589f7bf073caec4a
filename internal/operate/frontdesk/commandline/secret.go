package commandline

import (
	"context"
	"errors"
	"io"

	"golang.org/x/term"
)

var (
	// errDiffer is for a secret that somebody did not type twice alike.
	errDiffer = errors.New("nothing was done: the two were not alike")
	// errEnded is for a prompt that somebody ended by Ctrl-C or Ctrl-D.
	errEnded = errors.New("nothing was done: the prompt was ended")
)

// ReadSecret reads the first line of the input. At a terminal it prompts, shows nothing of what is typed, and asks
// for it twice. It ends at once with the context or a Ctrl-C, and leaves the terminal as it was.
func (o Output) ReadSecret(ctx context.Context, name string) (string, error) {
	file, ok := terminalOf(o.in)
	if !ok {
		return await(ctx, func() (string, error) { return readLine(o.in) })
	}
	// One for both prompts: it keeps what is typed ahead.
	lines := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{o.in, io.Discard}, "")
	typed, err := o.promptSecret(ctx, lines, int(file.Fd()), name)
	if err != nil {
		return "", err
	}
	again, err := o.promptSecret(ctx, lines, int(file.Fd()), name+" again")
	if err != nil {
		return "", err
	}
	if typed != again {
		return "", errDiffer
	}
	return typed, nil
}

// promptSecret reads a line in the terminal's raw mode, in which a Ctrl-C is read as any other key. The mode is set
// and taken back here. [term.ReadPassword] does both itself, and would go on doing so after the context has ended.
func (o Output) promptSecret(ctx context.Context, lines *term.Terminal, fd int, prompt string) (string, error) {
	o.Note("%s: ", prompt)
	defer o.Note("\n")
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(fd, before)
	typed, err := await(ctx, func() (string, error) { return lines.ReadPassword("") })
	if errors.Is(err, io.EOF) {
		return "", errEnded
	}
	return typed, err
}
