//go:build !wasip1

package main

// steps would return how many steps the program has taken. Only WebAssembly is metered.
func steps() uint64 { return 0 }
