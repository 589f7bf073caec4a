package api_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"
)

// TestAPanicSideBySideIsAnErrorWithItsStack shows that a panic in a part ends neither the process nor the wait for
// the others.
func TestAPanicSideBySideIsAnErrorWithItsStack(t *testing.T) {
	plain := api.NewGroup()
	withContext, ctx := api.NewGroupContext(t.Context())
	for name, run := range map[string]struct {
		start func(func() error)
		wait  func() error
	}{"plain": {plain.Go, plain.Wait}, "with a context": {withContext.Go, withContext.Wait}} {
		run.start(func() error { panic("dropped the tray") })
		run.start(func() error { return nil })
		err := run.wait()
		expect.Contains(t, fmt.Sprint(err), "dropped the tray", name+": error")
		expect.Contains(t, fmt.Sprint(err), "group_test.go", name+": error")
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("the context of the others: %v", ctx.Err())
	}
}
