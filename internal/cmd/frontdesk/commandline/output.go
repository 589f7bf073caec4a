package commandline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Output is where a command prints. What others wrote cannot harm the terminal: control characters are escaped.
type Output struct {
	out, err escaper
	json     *bool
}

// Print prints v as JSON where that is asked for, else what text prints.
func (o Output) Print(v any, text func(Printer)) error {
	if *o.json {
		return o.PrintJSON(v)
	}
	var printed bytes.Buffer
	text(Printer{&printed})
	_, err := io.WriteString(o.out, align(printed.String()))
	return err
}

// PrintJSON prints v as JSON: on one line where that is asked for, else indented. The escapes do not change its value.
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

// Lines is where a command prints lines of JSON that are its result, each by one call.
func (o Output) Lines() io.Writer { return o.out }

// Note prints beside the result, on standard error, as [Printer.Printf] does.
func (o Output) Note(format string, args ...any) { Printer{o.err}.Printf(format, args...) }

// Log is standard error for what is lines already, such as the log of another program.
func (o Output) Log() io.Writer { return o.err }

// Printer prints text for people. In a result, the columns that tabs end are aligned.
type Printer struct{ w io.Writer }

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

// PrintError prints an error of a program. The lines behind its first one, such as a compiler's, are indented: none of
// them looks like another message.
func PrintError(w io.Writer, program string, err error) {
	fmt.Fprintf(escaper{w}, "%s: %s\n", program, strings.ReplaceAll(err.Error(), "\n", "\n    "))
}
