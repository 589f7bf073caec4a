package main

import (
	"slices"
	"strings"
)

// portals is a table of how operations grow with the portal.
func (r *results) portals() string {
	var sizes, operations []string
	for _, name := range r.under("Portal") {
		size, operation, _ := strings.Cut(strings.TrimPrefix(name, "categories="), "/function=")
		if !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
		if !slices.Contains(operations, operation) {
			operations = append(operations, operation)
		}
	}
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
			time, cpu := r.cell(name, "median-sec", milliseconds), r.cell(name, "cpu-sec", milliseconds)
			row = append(row, time+", "+cpu+", "+r.units(name))
		}
		t.add(row...)
	}
	return t.String()
}
