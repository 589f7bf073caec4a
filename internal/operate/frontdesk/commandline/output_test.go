package commandline_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/operate/frontdesk/commandline"
	"frontdesk/internal/prove/expect"

	"github.com/alecthomas/kong"
)

// grammar is the grammar of a program whose only command prints a value that somebody else wrote.
type grammar struct {
	Print printCommand `cmd:""`
}

// printCommand prints the value in each way that [commandline.Output] has: to the log, as a note, and as a result of
// two rows.
type printCommand struct{}

// value has a type of its own, by which kong passes it to the command.
type value string

// Run prints v three times.
func (printCommand) Run(v value, out commandline.Output) error {
	io.WriteString(out.Log(), "\tlogged "+string(v)+"\n")
	out.Note("noted %s\n", v)
	return out.Print(v, func(p commandline.Printer) { p.Printf("%s\t%6.1f\t|\n%s\t|\n", v, 0.25, "name") })
}

// prints returns what the program prints for a value.
func prints(t testing.TB, v string, given ...string) (out, err string) {
	t.Helper()
	var flags struct{ JSON bool }
	var stdout, stderr bytes.Buffer
	program := commandline.Program{
		Streams: commandline.Streams{Out: &stdout, Err: &stderr}, Options: []kong.Option{kong.Bind(value(v))},
	}
	if err := program.Run(t.Context(), &flags, &flags.JSON, &grammar{}, append(given, "print")); err != nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String()
}

// TestWhatATerminalObeysIsEscaped: a name or a subject that somebody else wrote moves no cursor, sets no title, ends
// no line and turns no text around. In a cell, line feeds and tabs are escaped as well, because the format alone
// makes rows and columns. In JSON the value stays what it was, so an escape in the text is escaped itself.
func TestWhatATerminalObeysIsEscaped(t *testing.T) {
	for name, c := range map[string]struct{ value, cell, json string }{
		"a title":  {"\x1b]0;title\a", `\u001b]0;title\u0007`, `\u001b]0;title\u0007`},
		"a row":    {"a\r\nb", `a\r\nb`, `a\r\nb`},
		"a column": {"a\tb", `a\tb`, `a\tb`},
		// Vertical tab and form feed end a cell in [text/tabwriter], which align replaces.
		"an end of a cell":    {"a\vb\fc", `a\u000bb\u000cc`, `a\u000bb\fc`},
		"NUL":                 {"\x00", `\u0000`, `\u0000`},
		"DEL":                 {"\x7f", `\u007f`, `\u007f`},
		"C1":                  {"\u009b2J\u0085", `\u009b2J\u0085`, `\u009b2J\u0085`},
		"right to left":       {"\u202egro\u2066\u061c", `\u202egro\u2066\u061c`, `\u202egro\u2066\u061c`},
		"nothing to be seen":  {"a\u00adb\u200b\ufeff", `a\u00adb\u200b\ufeff`, `a\u00adb\u200b\ufeff`},
		"tags":                {"🏴\U000e0067", `🏴\udb40\udc67`, `🏴\udb40\udc67`},
		"joiners of no emoji": {"👩\u200da\u200d👩", `👩\u200da\u200d👩`, `👩\u200da\u200d👩`},
		"emoji of several":    {"👩🏽\u200d💻", "👩🏽\u200d💻", "👩🏽\u200d💻"},
		"emoji of a sign":     {"❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		"another end of line": {"\u2028\u2029", `\u2028\u2029`, `\u2028\u2029`},
		// 0x9b alone is the C1 character CSI in an 8-bit terminal.
		"what is no character": {"\x9b\xff", "\ufffd\ufffd", `\ufffd\ufffd`},
		"an escape":            {`\u001b`, `\u001b`, `\\u001b`},
		"any script":           {"Ünï 漢字 e\u0301 עברית 👩‍🚀", "Ünï 漢字 e\u0301 עברית 👩‍🚀", "Ünï 漢字 e\u0301 עברית 👩‍🚀"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := prints(t, c.value)
			if row, _, _ := strings.Cut(out, "  "); row != c.cell {
				t.Errorf("the cell is %q, want %q", row, c.cell)
			}
			if want := "noted " + c.cell + "\n"; !strings.HasSuffix(err, want) {
				t.Errorf("standard error is %q, want %q", err, want)
			}
			if out, _ := prints(t, c.value, "--json"); out != `"`+c.json+"\"\n" {
				t.Errorf("the JSON is %q, want %q", out, c.json)
			}
		})
	}
}

// TestColumnsAreAligned by the width that a text has at a terminal, which differs from the number of its characters.
// Two accents and a family of emoji take fewer places than characters, and Chinese takes more.
func TestColumnsAreAligned(t *testing.T) {
	for v, want := range map[string]string{
		"Ada":             "Ada      0.2  |\nname  |\n",
		"漢字":              "漢字     0.2  |\nname  |\n",
		"漢字漢":             "漢字漢     0.2  |\nname    |\n",
		"e\u0301te\u0301": "e\u0301te\u0301      0.2  |\nname  |\n",
		"👩‍🚀👩‍🚀":          "👩‍🚀👩‍🚀     0.2  |\nname  |\n",
	} {
		if out, _ := prints(t, v); out != want {
			t.Errorf("printed\n%s, want\n%s", out, want)
		}
	}
}

// TestALogKeepsItsLines: the log of another program may have several lines and tabs, which stay. Its control
// characters do not.
func TestALogKeepsItsLines(t *testing.T) {
	const want = "\tlogged one\n\ttwo \\u001b[2J\n"
	if _, err := prints(t, "one\n\ttwo \x1b[2J"); !strings.HasPrefix(err, want) {
		t.Errorf("logged %q, want %q", err, want)
	}
}

// FuzzOutput prints any text. A terminal obeys none of it, it takes as many lines as the format has, and as JSON it
// is the same value.
func FuzzOutput(f *testing.F) {
	f.Add("Ada")
	f.Add("\x1b]0;title\a\r\n\t\u009b\u202e\u2028\xff\\u0041")
	f.Fuzz(func(t *testing.T, v string) {
		text, _ := prints(t, v)
		asJSON, _ := prints(t, v, "--json")
		for printed, lines := range map[string]int{text: 2, asJSON: 1} {
			obeyed := strings.IndexFunc(printed, func(r rune) bool {
				return r != '\n' && (unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) ||
					strings.ContainsRune("\u00ad\u200b\u2060\ufeff", r))
			})
			expect.AtMost(t, obeyed, -1)
			expect.Equal(t, utf8.ValidString(printed), true)
			expect.Equal(t, strings.Count(printed, "\n"), lines)
		}
		var got string
		err := json.Unmarshal([]byte(asJSON), &got)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, got, string([]rune(v)))
	})
}
