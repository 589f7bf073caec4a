package main

import "runtime"

// cost is what it takes to read a text: steps, and bytes of memory that are allocated.
type cost struct{ steps, bytes int }

func (p parser) cost(text string) cost { return costOf(func() { p.read(text) }) }

func (c cost) minus(other cost) cost { return cost{c.steps - other.steps, c.bytes - other.bytes} }

// maxGarbage is how many bytes of memory are in use before the collector may run, between two readings.
const maxGarbage = 64 << 20

func costOf(do func()) cost {
	var before, after runtime.MemStats
	if runtime.ReadMemStats(&before); before.HeapAlloc > maxGarbage {
		runtime.GC()
		runtime.ReadMemStats(&before)
	}
	begin := steps()
	do()
	end := steps()
	runtime.ReadMemStats(&after)
	return cost{int(end - begin), int(after.TotalAlloc - before.TotalAlloc)}
}
