package main

import (
	"slices"
	"testing"
)

// TestALoadThatProvesNothing: if one endpoint never succeeded, or one kind of fault never happened, the run fails.
func TestALoadThatProvesNothing(t *testing.T) {
	var operations []operation
	for _, e := range endpoints {
		operations = append(operations, operation{endpoint: e})
	}
	var injected []injection
	for _, k := range faultKinds {
		injected = append(injected, injection{kind: k})
	}
	failed := slices.Clone(operations)
	failed[slices.Index(endpoints, categoryList)].failure = "500 Internal error"
	for name, c := range map[string]struct {
		operations []operation
		injected   []injection
		want       string
	}{
		"a whole one":                      {operations, injected, ""},
		"an endpoint that nobody called":   {operations[1:], injected, "no request of send-mail"},
		"an endpoint that never succeeded": {failed, injected, "no request of list-categories"},
		"a kind of fault that never was":   {operations, injected[1:], "no fault of the kind throttled"},
	} {
		t.Run(name, func(t *testing.T) {
			var found violations
			checkLoad(c.operations, c.injected, &found)
			found.want(t, c.want)
		})
	}
}
