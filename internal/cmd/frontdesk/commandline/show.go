package commandline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

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

// Say prints what a command did: v if --json is given, and otherwise a sentence, with the secrets of v below it.
func (o Output) Say(v any, format string, args ...any) error {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the callers' formats
	}
	return o.Print(v, func(p Printer) {
		p.Printf(format+"\n", args...)
		value := reflect.Indirect(reflect.ValueOf(v))
		if value.Kind() != reflect.Struct {
			return
		}
		secrets := slices.DeleteFunc(shown(value.Type(), "column"), func(f field) bool { return !f.has("once") })
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
	fields := shown(v.Type(), "column")
	p.rows(rowsOf(v, fields))
	p.shownOnce(v, fields)
}

// list prints a list with its head, or where that does not fit the terminal, rows for each element.
func (p Printer) list(list reflect.Value) {
	fields := shown(list.Type().Elem(), "row")
	var head []string
	for _, f := range fields {
		head = append(head, strings.ToUpper(f.name))
	}
	lines := [][]string{head}
	for i := range list.Len() {
		lines = append(lines, cells(list.Index(i), fields))
	}
	if text := join(lines); list.Len() == 0 || p.fits(text) {
		io.WriteString(p.w, text)
		return
	}
	for i, line := range lines[1:] {
		var rows [][]string
		for at, cell := range line {
			if cell != "-" {
				rows = append(rows, []string{fields[at].name, cell})
			}
		}
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

// field is a field with the tag show.
type field struct {
	name    string
	options []string
	index   []int
}

// has reports whether the tag has an option.
func (f field) has(option string) bool { return slices.Contains(f.options, option) }

// shown returns the fields of a struct that are printed, in their order, without those that have an option.
func shown(of reflect.Type, without string) (fields []field) {
	for _, f := range reflect.VisibleFields(of) {
		if tag, is := f.Tag.Lookup("show"); is {
			parts := strings.Split(tag, ",")
			fields = append(fields, field{name: parts[0], options: parts[1:], index: f.Index})
		}
	}
	return slices.DeleteFunc(fields, func(f field) bool { return f.has(without) })
}

// rowsOf returns the rows of a struct.
func rowsOf(v reflect.Value, fields []field) (rows [][]string) {
	for _, f := range fields {
		switch value := v.FieldByIndex(f.index); {
		case value.Kind() == reflect.Map:
			keys := value.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, key := range keys {
				rows = append(rows, []string{text(key, false), cmp.Or(text(value.MapIndex(key), false), "0")})
			}
		case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct:
			inner := shown(value.Type().Elem(), "column")
			for i := range value.Len() {
				row := []string{f.name}
				for _, of := range inner {
					row = append(row, text(value.Index(i).FieldByIndex(of.index), false))
				}
				rows = append(rows, row)
			}
		case value.Kind() == reflect.Slice && ownText(value) == nil:
			for i := range value.Len() {
				rows = append(rows, []string{f.name, text(value.Index(i), false)})
			}
		default:
			if cell := text(value, false); cell != "" {
				rows = append(rows, []string{f.name, cell})
			}
		}
	}
	return rows
}

// cells returns the line of an element in a list.
func cells(v reflect.Value, fields []field) (line []string) {
	for _, f := range fields {
		line = append(line, cmp.Or(text(v.FieldByIndex(f.index), f.has("day")), "-"))
	}
	return line
}

// ownText returns how a value prints itself, or nil.
func ownText(v reflect.Value) func() string {
	switch own := v.Interface().(type) {
	case fmt.Stringer:
		return own.String
	case json.Marshaler:
		return func() string {
			printed, _ := own.MarshalJSON() // what cannot be printed has failed as JSON already
			return string(printed)
		}
	}
	return nil
}

// text returns a value as text, escaped and on one line; "" for one that is empty. A time may be the day alone.
func text(v reflect.Value, day bool) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	var plain string
	own := ownText(v)
	switch at, isTime := v.Interface().(time.Time); {
	case isTime && at.IsZero():
	case isTime && day:
		plain = at.Format(time.DateOnly)
	case isTime:
		plain = at.Format(time.RFC3339)
	case own != nil:
		plain = own()
	case v.Kind() == reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, text(v.Index(i), day))
		}
		plain = strings.Join(all, " ")
	case v.Kind() == reflect.Bool || !v.IsZero():
		plain = fmt.Sprint(v.Interface())
	}
	return escape(plain, "")
}
