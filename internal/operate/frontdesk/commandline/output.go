package commandline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Output is where a command prints: its result on standard output, and everything else on standard error. So a result
// can be piped on. What others wrote cannot harm the terminal: control characters are escaped. It also asks a person,
// who answers on standard input.
type Output struct {
	in       io.Reader
	out, err escaper
	json     *bool
}

// Print prints v as JSON if --json is given, and otherwise what text prints: [Output.Show] and [Output.Report] suit
// most commands. The text is complete before its first line appears, because columns are aligned by their widest cell.
func (o Output) Print(v any, text func(Printer)) error {
	if *o.json {
		return o.PrintJSON(v)
	}
	var printed bytes.Buffer
	p := Printer{w: &printed}
	if terminal, is := o.Terminal(); is {
		p.columns = terminal.Columns()
	}
	text(p)
	_, err := io.WriteString(o.out, align(printed.String()))
	return err
}

// PrintJSON prints v as JSON: on one line if --json is given, and otherwise indented. The escapes do not change
// its value.
func (o Output) PrintJSON(v any) error {
	var printed bytes.Buffer
	enc := json.NewEncoder(&printed)
	enc.SetEscapeHTML(false)
	if !*o.json {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := o.out.Write(printed.Bytes())
	return err
}

// Lines returns where a command prints a result of many lines of JSON, with one Write for each. They appear at once,
// so a result may be larger than the memory.
func (o Output) Lines() io.Writer { return o.out }

// Note prints beside the result, on standard error, as [Printer.Printf] does.
func (o Output) Note(format string, args ...any) { Printer{w: o.err}.Printf(format, args...) }

// Log returns standard error for text that consists of lines already, such as the log of another program.
func (o Output) Log() io.Writer { return o.err }

// Printer prints text for people. In a result, the columns that tabs end are aligned.
type Printer struct {
	w       io.Writer
	columns int // of the terminal; 0 for none
}

// Printf prints as [fmt.Printf] does. The format alone ends a line or begins a column: in what the arguments print,
// line feeds and tabs are escaped, too.
func (p Printer) Printf(format string, args ...any) {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers' formats
	}
	args = slices.Clone(args)
	for i, arg := range args {
		args[i] = escaped{arg}
	}
	fmt.Fprintf(p.w, format, args...)
}

// Row prints a line of cells, which are aligned with those of the lines around it.
func (p Printer) Row(cells ...any) {
	p.Printf(strings.TrimSuffix(strings.Repeat("%v\t", len(cells)), "\t")+"\n", cells...)
}

// PrintError prints a program's error. Further lines of the message, such as a compiler's, are indented, so none of
// them looks like another error.
func PrintError(w io.Writer, program string, err error) {
	fmt.Fprintf(escaper{w}, "%s: %s\n", program, strings.ReplaceAll(err.Error(), "\n", "\n    "))
}
