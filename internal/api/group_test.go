package api_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"frontdesk/internal/api"
)

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
		if err == nil || !strings.Contains(err.Error(), "dropped the tray") ||
			!strings.Contains(err.Error(), "group_test.go") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("the context of the others: %v", ctx.Err())
	}
}
