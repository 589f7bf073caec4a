package operator

import (
	"time"

	"frontdesk/internal/cmd/frontdesk/commandline"
)

// cells are one row of a list. [commandline.Printer.Row] formats each with %v.
type cells []any

// printList prints values: as a JSON array, or as a table with one row for each value. An empty list prints its head
// alone, so a person sees that the command did look.
func printList[T any](out commandline.Output, columns cells, values []T, row func(T) cells) error {
	return out.Print(values, func(p commandline.Printer) {
		p.Row(columns...)
		for _, value := range values {
			p.Row(row(value)...)
		}
	})
}

// views converts values to the form in which the tool prints them. The types of the features have fields that nobody
// should see, such as the secret of a mail key.
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

// orNull returns a time for JSON: null for the zero time. encoding/json would write the zero time as the year 1.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// day returns the date of a time for a list, "-" for none. The date is in the zone of the time, which is UTC for all
// that is stored.
func day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateOnly)
}
