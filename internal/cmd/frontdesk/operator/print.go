package operator

import (
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
)

// cells are a row of a list.
type cells []any

// printList prints values: as JSON an array of them, else a row each under the names of the columns.
func printList[T any](out commandline.Output, columns cells, values []T, row func(T) cells) error {
	return out.Print(values, func(p commandline.Printer) {
		p.Row(columns...)
		for _, value := range values {
			p.Row(row(value)...)
		}
	})
}

// views are values as they are printed.
func views[T, V any](values []T, view func(T) V) []V {
	all := make([]V, len(values)) // none is an empty array in JSON
	for i, value := range values {
		all[i] = view(value)
	}
	return all
}

// printShownOnce says below a secret, by its name, that it cannot be shown again.
func printShownOnce(p commandline.Printer, secret string) {
	p.Printf("\nThe %s is shown this once: keep it where secrets are kept.\n", secret)
}

// orNull is a time in JSON: null for the zero one.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// day is the date of a time in a list.
func day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateOnly)
}
