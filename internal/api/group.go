package api

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Group runs the parts of one request side by side. It is an errgroup whose parts may panic: that is an error
// of theirs, with its stack, and not the end of the process. The zero Group waits for all of its parts,
// whichever fails.
type Group struct{ errgroup.Group }

// Go runs f beside the others.
func (g *Group) Go(f func() error) { g.Group.Go(guarded(f)) }

// NewGroup makes a group whose first failure ends the context of the others.
func NewGroup(ctx context.Context) (*ContextGroup, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &ContextGroup{group}, ctx
}

// ContextGroup is a Group with a context.
type ContextGroup struct{ *errgroup.Group }

// Go runs f beside the others.
func (g *ContextGroup) Go(f func() error) { g.Group.Go(guarded(f)) }

func guarded(f func() error) func() error {
	return func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return f()
	}
}
