package operator

import (
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
)

// cells are one row of a list.
type cells []any

// printList prints values: as a JSON array, or as a table with one row for each value.
func printList[T any](out commandline.Output, columns cells, values []T, row func(T) cells) error {
	return out.Print(values, func(p commandline.Printer) {
		p.Row(columns...)
		for _, value := range values {
			p.Row(row(value)...)
		}
	})
}

// views converts values to the form in which the tool prints them.
func views[T, V any](values []T, view func(T) V) []V {
	all := make([]V, len(values)) // none is an empty array in JSON
	for i, value := range values {
		all[i] = view(value)
	}
	return all
}

// printShownOnce prints, below a secret, that it cannot be shown again.
func printShownOnce(p commandline.Printer, secret string) {
	p.Printf("\nThe %s is shown only once: keep it with your other secrets.\n", secret)
}

// orNull returns a time for JSON: null for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// day returns the date of a time for a list, "-" for none.
func day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateOnly)
}
