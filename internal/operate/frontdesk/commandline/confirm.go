package commandline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// errDeclined is the error when somebody answers a question with anything but yes.
var errDeclined = errors.New("nothing was done: the answer was not yes")

// Asking is part of a command that a person confirms, because it deletes or revokes something: at a terminal by an
// answer, and elsewhere by --yes.
type Asking struct {
	Yes bool `help:"Do not ask. It is required where the input is no terminal."`
}

// Confirm is [Output.Confirm], unless --yes is given.
func (a Asking) Confirm(ctx context.Context, out Output, format string, args ...any) error {
	if a.Yes {
		return nil
	}
	return out.Confirm(ctx, fmt.Sprintf(format, args...))
}

// Confirm asks a person at a terminal, and returns an error unless the answer is the whole word yes. If the input is
// no terminal, nobody can answer, and it returns a [UsageError]: a program that runs the command may not know what the
// command deletes. The question goes to standard error, so a redirected result does not hide it. A Ctrl-C ends the
// wait.
func (o Output) Confirm(ctx context.Context, question string) error {
	if _, ok := terminalOf(o.in); !ok {
		return Usage("missing: --yes, as the input is no terminal to ask at: %s", question)
	}
	o.Note("%s [yes/no] ", question)
	answer, err := await(ctx, func() (string, error) { return readLine(o.in) })
	if err != nil {
		return err
	}
	if strings.TrimSpace(answer) != "yes" {
		return errDeclined
	}
	return nil
}

// terminalOf returns the terminal behind a stream. ok is false for a file, a pipe and the null device.
func terminalOf(stream any) (file *os.File, ok bool) {
	file, isFile := stream.(*os.File)
	return file, isFile && term.IsTerminal(int(file.Fd()))
}

// readLine reads the first line without its line end, at most 4096 bytes. A last line without a line end counts, too.
func readLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// await returns what read returns, or the context's error if the context ends first: a Ctrl-C does not interrupt a
// read. The read then goes on until the process ends, and its result is dropped.
func await[T any](ctx context.Context, read func() (T, error)) (result T, err error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := read()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}
