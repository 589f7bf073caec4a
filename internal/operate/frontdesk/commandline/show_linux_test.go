package commandline_test

import (
	"io"
	"strings"
	"testing"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/terminaltest"

	"github.com/alecthomas/kong"
)

// TestShowFitsATerminal of 20 columns: a list that is wider becomes rows, and rows go on below. A word that is wider
// than the place beside its name has a line of its own. CJK letters have two columns.
func TestShowFitsATerminal(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"a list that fits":    {[]part{{"a", 1}, {"漢字", 2}}, "NAME  SIZE\na     1\n漢字  2\n"},
		"an empty list":       {[]thing{}, "ID  NAME  FROM  PUBLIC  MAY  AT  ENDED\n"},
		"a list that is wide": {[]part{{"-", 1}, {"漢字 漢字漢字漢字", 0}}, "name  -\nsize  1\n\nname  漢字\n      漢字漢字漢字\n"},
		"a long word":         {part{"0123456789abcdef", 1}, "name\n0123456789abcdef\nsize  1\n"},
		"words":               {part{"one two  three four", 1}, "name  one two  three\n      four\nsize  1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			program, person := terminaltest.Open(t)
			terminaltest.Resize(t, person, 20)
			var commands struct {
				Show showCommand `cmd:""`
			}
			var flags struct{ JSON bool }
			streams := commandline.Streams{Out: program, Err: program}
			bound := []kong.Option{kong.Bind(result{c.value})}
			err := commandline.Program{Streams: streams, Options: bound}.
				Run(t.Context(), &flags, &flags.JSON, &commands, []string{"show"})
			if err != nil {
				t.Fatal(err)
			}
			program.Close()
			shown, _ := io.ReadAll(person) // it ends with an error, because the program has closed its side
			expect.Equal(t, strings.ReplaceAll(string(shown), "\r\n", "\n"), c.want, "shown")
		})
	}
}
