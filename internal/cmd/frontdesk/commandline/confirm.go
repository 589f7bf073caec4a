package commandline

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
)

// errDeclined is for a question that somebody did not answer with yes.
var errDeclined = errors.New("nothing was done: the answer was not yes")

// Confirm asks a person at a terminal, and fails unless the answer is yes. Where the input is no terminal nobody is
// asked.
func (o Output) Confirm(in io.Reader, question string) error {
	if !isTerminal(in) {
		return nil
	}
	o.Note("%s [yes/no] ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if strings.TrimSpace(answer) != "yes" {
		return errDeclined
	}
	return nil
}

// isTerminal reports whether input comes from a terminal: a device of characters that is not the null device.
func isTerminal(in io.Reader) bool {
	file, isFile := in.(*os.File)
	if !isFile {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
