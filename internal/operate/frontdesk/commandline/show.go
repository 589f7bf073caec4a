package commandline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// Show prints a result by the tags of its fields. With --json it is what encoding/json makes of it. Otherwise a list
// has a line for each element, below a head, and a struct has a row for each field. Fields with the tag show are
// printed. The tag has the field's name, of which the head is the capitals, and behind commas:
//
//	column  the field is printed in a list alone
//	row     the field is printed in a struct alone
//	day     the list has the date of the time alone
//	once    the field is a secret, and a sentence says that it is shown once
//
// What is empty is "-" in a list, and has no row; false is not empty. Times are in RFC 3339. A map of counts has a row
// for each key. A list in a struct has a row for each element, and of an element that is a struct the fields are cells.
//
// At a terminal that is narrower than a list, each element has rows instead. Rows that are wider go on below.
func (o Output) Show(v any) error {
	return o.Print(v, func(p Printer) { p.show(reflect.ValueOf(v)) })
}

// Report prints what a command did: v if --json is given, and otherwise a sentence, with the secrets of v below it.
func (o Output) Report(v any, format string, args ...any) error {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers' formats
	}
	return o.Print(v, func(p Printer) {
		p.Printf(format+"\n", args...)
		value := reflect.Indirect(reflect.ValueOf(v))
		if value.Kind() != reflect.Struct {
			return
		}
		secrets := slices.DeleteFunc(shownFields(value.Type(), "column"), func(f field) bool { return !f.has("once") })
		if rows := rowsOf(value, secrets); len(rows) > 0 {
			p.Printf("\n")
			p.rows(rows)
			p.shownOnce(value, secrets)
		}
	})
}

// Counts prints how many there are of each thing, by their names in the order of the alphabet.
func (p Printer) Counts(counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		p.Printf("%8d  %s\n", counts[name], name)
	}
}

// show prints a list, or a struct.
func (p Printer) show(v reflect.Value) {
	if v.Kind() == reflect.Slice {
		p.list(v)
		return
	}
	v = reflect.Indirect(v)
	fields := shownFields(v.Type(), "column")
	p.rows(rowsOf(v, fields))
	p.shownOnce(v, fields)
}

// list prints a list with its head, or where that does not fit the terminal, rows for each element.
func (p Printer) list(list reflect.Value) {
	fields := shownFields(list.Type().Elem(), "row")
	var head []string
	for _, f := range fields {
		head = append(head, strings.ToUpper(f.name))
	}
	lines, elements := [][]string{head}, [][][]string{}
	for i := range list.Len() {
		var line []string
		var rows [][]string
		for _, f := range fields {
			cell := text(list.Index(i).FieldByIndex(f.index), f.has("day"))
			line = append(line, cmp.Or(cell, "-"))
			if cell != "" {
				rows = append(rows, []string{f.name, cell})
			}
		}
		lines, elements = append(lines, line), append(elements, rows)
	}
	if text := join(lines); list.Len() == 0 || p.fits(text) {
		io.WriteString(p.w, text)
		return
	}
	for i, rows := range elements {
		if i > 0 {
			p.Printf("\n")
		}
		p.rows(rows)
	}
}

// rows prints rows, each a name with cells behind it.
func (p Printer) rows(rows [][]string) {
	text := join(rows)
	if p.fits(text) {
		io.WriteString(p.w, text)
		return
	}
	indent := 0
	for _, row := range rows {
		indent = max(indent, uniseg.StringWidth(row[0])+gap)
	}
	for _, row := range rows {
		name := row[0] + strings.Repeat(" ", indent-1-uniseg.StringWidth(row[0])) // a space follows each word
		words := []Word{{Text: name}}
		for word := range strings.SplitSeq(strings.Join(row[1:], "  "), " ") {
			words = append(words, Word{Text: word})
		}
		io.WriteString(p.w, wrap(words, indent, p.columns, false)+"\n")
	}
}

// join returns lines of cells as text, whose tabs end the columns.
func join(lines [][]string) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.Join(line, "\t") + "\n")
	}
	return text.String()
}

// fits reports whether a text fits the terminal, once its columns are aligned.
func (p Printer) fits(text string) bool {
	for line := range strings.Lines(align(text)) {
		if p.columns > 0 && uniseg.StringWidth(strings.TrimSuffix(line, "\n")) > p.columns {
			return false
		}
	}
	return true
}

// shownOnce says of each secret that nothing can show it again: what is stored of it is a digest.
func (p Printer) shownOnce(v reflect.Value, fields []field) {
	for _, f := range fields {
		if f.has("once") && text(v.FieldByIndex(f.index), false) != "" {
			p.Printf("\nThe %s is shown only once: keep it with your other secrets.\n", f.name)
		}
	}
}
