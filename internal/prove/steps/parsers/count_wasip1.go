package main

// steps returns how many steps the program has taken. Package steps tells it, from outside.
//
//go:wasmimport steps count
func steps() uint64
