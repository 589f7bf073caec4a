package commandline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// field is a field with the tag show.
type field struct {
	name    string
	options []string
	index   []int
}

// has reports whether the tag has an option.
func (f field) has(option string) bool { return slices.Contains(f.options, option) }

// shownFields returns the fields of a struct that are printed, in their order, without those that have an option.
func shownFields(t reflect.Type, without string) (fields []field) {
	for _, f := range reflect.VisibleFields(t) {
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
			inner := shownFields(value.Type().Elem(), "column")
			for i := range value.Len() {
				row := []string{f.name}
				for _, column := range inner {
					row = append(row, text(value.Index(i).FieldByIndex(column.index), false))
				}
				rows = append(rows, row)
			}
		case value.Kind() == reflect.Slice && customText(value) == nil:
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

// customText returns how a value prints itself, or nil.
func customText(v reflect.Value) func() string {
	switch value := v.Interface().(type) {
	case fmt.Stringer:
		return value.String
	case json.Marshaler:
		return func() string {
			printed, _ := value.MarshalJSON() // what cannot be printed has failed as JSON already
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
	custom := customText(v)
	switch at, isTime := v.Interface().(time.Time); {
	case isTime && at.IsZero():
	case isTime && day:
		plain = at.Format(time.DateOnly)
	case isTime:
		plain = at.Format(time.RFC3339)
	case custom != nil:
		plain = custom()
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
