package api

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Group runs parts of one request concurrently. It is an errgroup that also catches panics: a panic becomes the error
// of its part, with the stack. A recover elsewhere would not help, because a panic in any goroutine ends the process.
type Group struct{ *errgroup.Group }

// NewGroup returns a group that waits for all of its parts, even if one fails.
func NewGroup() Group { return Group{new(errgroup.Group)} }

// NewGroupContext returns a group and a context that ends as soon as one part fails.
func NewGroupContext(ctx context.Context) (Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return Group{group}, ctx
}

// Go runs f in a goroutine of its own.
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
