// Package architecture tests the layout of the code: which package may import which, how long a line may be, what a
// literal and an if look like, and which modules the functions of each service link. It has only tests.
//
// modules.txt lists the modules, so that a new dependency of a function shows in the diff of a change:
//
//	go test ./internal/prove/architecture -update
package architecture
