package commandline

import (
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Terminal is where a person reads what a command prints. Unlike a file or a pipe it has a width, and colours.
type Terminal struct {
	file    *os.File
	colours bool
}

// Terminal returns the terminal of standard output. ok is false for a file, for a pipe, and with --json.
func (o Output) Terminal() (t Terminal, ok bool) { return o.terminal(o.out) }

// LogTerminal returns the terminal of standard error, as [Output.Terminal] does.
func (o Output) LogTerminal() (t Terminal, ok bool) { return o.terminal(o.err) }

// terminal returns the terminal behind a stream, if there is one.
func (o Output) terminal(stream escaper) (Terminal, bool) {
	file, ok := terminalOf(stream.w)
	return Terminal{file, wantsColours()}, ok && !*o.json
}

// wantsColours reports whether the environment allows colours. The console of Windows shows their codes as text, unless
// a program switches it first.
// https://no-color.org
func wantsColours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows"
}

// Stream returns the terminal itself, for a program that writes to it.
func (t Terminal) Stream() io.Writer { return t.file }

// Columns returns the terminal's width at this moment: people change the size of a window.
func (t Terminal) Columns() int { return columnsOf(t.file) }

// defaultColumns is used for a terminal that does not tell its width. It is that of the VT100 and of most since.
const defaultColumns = 80

// columnsOf returns the width of the terminal behind a stream, and [defaultColumns] for anything else.
func columnsOf(stream io.Writer) int {
	if file, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultColumns
}

// Style is how a word looks: the parameter of the control sequence "select graphic rendition".
// ECMA-48, 8.3.117
type Style string

// The styles. All are readable on a dark and on a light background.
const (
	Plain  Style = ""
	Faint  Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Word is a text within which no line breaks.
type Word struct {
	Text  string
	Style Style
}

// Words returns the words of a text, all in one style.
func Words(style Style, text string) (words []Word) {
	for _, word := range strings.Fields(text) {
		words = append(words, Word{word, style})
	}
	return words
}

// clock is the form of a time of day, and besideClock the space below it and one more.
const clock, besideClock = "15:04:05", "         "

// Entry prints an entry of a log: the time of day, and words with a space between them. Words that do not fit the
// terminal go on in further lines, beside the time. What others wrote cannot harm the terminal: control characters are
// escaped.
func (t Terminal) Entry(at time.Time, words []Word) error {
	words = append([]Word{{at.Local().Format(clock), Faint}}, words...)
	_, err := io.WriteString(t.file, wrap(words, len(besideClock), t.Columns(), t.colours)+"\n")
	return err
}

// wrap returns words with a space between them, and escaped. Words that do not fit the columns go on in further lines,
// behind an indent. A word that is wider than that has a line of its own, without the indent. One wider than all
// columns is written whole: the terminal wraps it, and it can still be copied.
func wrap(words []Word, indent, columns int, coloured bool) string {
	var lines, line strings.Builder
	used, style := 0, Plain
	begin := func(indent int) {
		lines.WriteString(strings.TrimRight(line.String(), " ") + "\n") // a word may end with spaces
		line.Reset()
		line.WriteString(strings.Repeat(" ", indent))
		used = indent
	}
	for i, word := range words {
		text := escape(word.Text, "")
		width := uniseg.StringWidth(text)
		switch {
		case i == 0:
		case used+1+width <= columns:
			line.WriteString(" ")
			used++
		case indent+width <= columns:
			begin(indent)
		default:
			begin(0)
		}
		if coloured && word.Style != style {
			line.WriteString("\x1b[0;" + string(word.Style) + "m") // the 0 ends the style before
			style = word.Style
		}
		line.WriteString(text)
		used += width
	}
	if style != Plain {
		line.WriteString("\x1b[0m")
	}
	return lines.String() + line.String()
}

// Below prints lines as they are below an entry, beside its time.
func (t Terminal) Below(text string) error { return t.lines(besideClock, text) }

// Text prints lines as they are.
func (t Terminal) Text(text string) error { return t.lines("", text) }

// lines prints lines behind an indent. Tabs become four spaces: a terminal's own stops would not fit the indent.
func (t Terminal) lines(indent, text string) error {
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		if _, err := io.WriteString(t.file, indent+escape(line, "")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
