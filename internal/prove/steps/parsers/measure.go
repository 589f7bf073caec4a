package main

import (
	"fmt"
	"runtime"
)

// measure writes a line before and behind each reading. The last one says what was read, the size of the work and the
// bytes of memory that were allocated.
func (p parser) measure(name, text string) {
	size := func() int { return len(text) }
	clean()
	fmt.Println("others")
	without := allocated(func() {
		if p.others != nil {
			size = p.others(text)
		}
	})
	fmt.Println("read")
	with := allocated(func() { p.read(text) })
	fmt.Printf("%q %d %d\n", name, size(), with-without)
}

// maxGarbage is how many bytes of memory are in use before the collector may run, between two readings.
const maxGarbage = 64 << 20

func clean() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > maxGarbage {
		runtime.GC()
	}
}

func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}
