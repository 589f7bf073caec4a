package api

import (
	"maps"
	"slices"
	"strings"
)

// KnownParameters wraps the decoder of a list: it refuses a query parameter that the list does not have. A misspelt
// filter would otherwise list what nobody asked for. It is for lists that need a credential: readers of public pages
// come with parameters of campaigns. Filters are the parameters beside those of every list.
func KnownParameters[Input any](
	decode func(*Request) (Input, error), filters ...string,
) func(*Request) (Input, error) {
	names := strings.Join(slices.Concat(filters, []string{"limit and cursor"}), ", ")
	known := slices.Concat(filters, []string{"limit", "cursor", "page"}) // ParseLimit says why page may be there
	return func(r *Request) (input Input, err error) {
		for _, name := range slices.Sorted(maps.Keys(r.QueryStringParameters)) {
			if !slices.Contains(known, name) {
				return input, Errorf(Malformed, "query parameter %q is unknown; this list has %s", Brief(name), names)
			}
		}
		return decode(r)
	}
}
