// Package architecture holds the code to its layout: which package may import which, how long a line may be, what a
// literal and an if look like, and which modules the binary of each function links. It has tests and nothing else.
//
// The modules stand in modules.txt, so that a new dependency of a function shows in the difference of a change:
//
//	go test ./internal/architecture -update
package architecture
