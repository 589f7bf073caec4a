package main

import "strings"

// firstAnswers returns a table of the times from a start to the first answer.
func (r *results) firstAnswers() string {
	var t table
	t.add("", "memory", "`hello-world`", "`get-item`", "both", "as it is", "one root", "as it is beside one root")
	for _, name := range r.under("FirstAnswer") {
		function, _, _ := strings.Cut(strings.TrimPrefix(name, "function="), "/kind=") // of its first kind
		name = "FirstAnswer/" + name
		t.add(label(function, ""), r.cell(name, "memory-B", func(v float64) string { return count(v/1e6) + " MB" }),
			r.cell(name, "hello-sec", milliseconds), r.cell(name, "get-item-sec", milliseconds),
			r.cell(name, "files-sec", milliseconds), r.cell(name, "median-sec", milliseconds),
			r.cell(name, "one-root-sec", milliseconds), r.cell(name, "x-one-root", multiple))
	}
	return t.String()
}
