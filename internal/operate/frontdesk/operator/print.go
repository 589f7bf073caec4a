package operator

import "time"

// views converts values to the form in which the tool prints them. The types of the features have fields that nobody
// should see, such as the secret of a mail key.
func views[T, V any](values []T, view func(T) V) []V {
	all := make([]V, len(values)) // none is an empty array in JSON
	for i, value := range values {
		all[i] = view(value)
	}
	return all
}

// orNull returns a time for JSON: null for the zero time. encoding/json would write the zero time as the year 1.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
