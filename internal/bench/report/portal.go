package main

import "strings"

// portals returns a table of how operations grow with the portal.
func (r *results) portals() string {
	sizes, operations := r.axes("Portal", "categories", "function")
	var t table
	head := []string{"categories in the portal"}
	for _, size := range sizes {
		head = append(head, thousands(size))
	}
	t.add(head...)
	for _, operation := range operations {
		function, kind, _ := strings.Cut(operation, "/kind=")
		row := []string{label(function, kind)}
		for _, size := range sizes {
			name := "Portal/categories=" + size + "/function=" + operation
			if r.values[name] == nil { // the benchmark leaves it out
				row = append(row, "too large")
				continue
			}
			time, cpu := r.cell(name, "median-sec", milliseconds), r.cell(name, "cpu-sec", milliseconds)
			row = append(row, time+", "+cpu+", "+r.units(name))
		}
		t.add(row...)
	}
	return t.String()
}
