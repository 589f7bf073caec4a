package api

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Group runs the parts of one request side by side. It is an errgroup whose parts may panic: a panic is the error of
// that part, with its stack, and does not end the process.
type Group struct{ *errgroup.Group }

// NewGroup makes a group that waits for all of its parts, even if one fails.
func NewGroup() Group { return Group{new(errgroup.Group)} }

// NewGroupContext makes a group whose first failure ends the context of the others.
func NewGroupContext(ctx context.Context) (Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return Group{group}, ctx
}

// Go runs f beside the others.
func (g Group) Go(f func() error) {
	g.Group.Go(func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return f()
	})
}
