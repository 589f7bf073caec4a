package main

import (
	"fmt"
	"strings"

	"frontdesk/internal/bench"
)

// memorySizes returns a table of what requests take with each memory size. The template's size is in bold.
func (r *results) memorySizes() string {
	var t table
	head := []string{""}
	for _, size := range bench.MemorySizes {
		head = append(head, fmt.Sprintf("%d MB", size))
	}
	t.add(head...)
	for _, request := range r.under("MemorySize") {
		name := "MemorySize/" + request
		function, kind, _ := strings.Cut(strings.TrimPrefix(request, "function="), "/kind=")
		row := []string{label(function, kind)}
		for _, size := range bench.MemorySizes {
			cell := r.atMemory(name, float64(size))
			if memory, ok := r.get(name, "memory-B"); ok && memory == float64(size)*1e6 {
				cell = "**" + cell + "**"
			}
			row = append(row, cell)
		}
		t.add(row...)
	}
	return t.String()
}

// atMemory returns what a request takes with a memory size: warm and cold times, and Lambda's price of a
// million requests.
func (r *results) atMemory(name string, size float64) string {
	time := func(percentile string) string {
		return strings.TrimSuffix(r.cell(name, fmt.Sprintf("%s-%g-sec", percentile, size), milliseconds), " ms")
	}
	busy, measured := r.get(name, fmt.Sprintf("p50-%g-sec", size))
	if !measured {
		return none
	}
	trips, _ := r.get(name, "trips/op")
	mails, _ := r.get(name, "mails/op")
	return fmt.Sprintf("%s, %s; %s, %s; $%.2f", time("p50"), time("p95"), time("cold-p50"), time("cold-p95"),
		lambdaPrice(billed(busy, trips, mails), size)*1e6)
}
