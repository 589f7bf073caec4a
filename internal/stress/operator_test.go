package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/expect"
)

// TestRepeatedEndsWhenItIsAcknowledged, after some interruptions.
func TestRepeatedEndsWhenItIsAcknowledged(t *testing.T) {
	interrupted, calls := 0, 0
	tries, err := repeated(t.Context(), newRand(1, 1), func(ctx context.Context) error {
		calls++
		if end, _ := ctx.Deadline(); time.Until(end) < time.Second {
			interrupted++
		}
		if calls < 20 {
			return errors.New("not yet")
		}
		return nil
	})
	expect.Equal(t, "error", err, nil)
	expect.Equal(t, "tries", tries, 20)
	expect.AtLeast(t, "interrupted", interrupted, 1)
}

// TestCallsOfTheOperatorAreLost before and after they were applied, as long as the load lasts.
func TestCallsOfTheOperatorAreLost(t *testing.T) {
	applied := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { applied++ }))
	t.Cleanup(server.Close)
	loaded := true
	client := http.Client{Transport: &failing{
		next: http.DefaultTransport, loaded: func() bool { return loaded }, rng: newRand(1, 1),
	}}
	const calls = 1000
	call := func() (lost int) {
		applied = 0
		for range calls {
			response, err := client.Post(server.URL, "", strings.NewReader("x"))
			if err == nil {
				response.Body.Close()
			} else if errors.Is(err, io.ErrUnexpectedEOF) {
				lost++
			}
		}
		return lost
	}
	lost := call()
	expect.AtLeast(t, "lost", lost, calls/50)
	expect.AtLeast(t, "lost before they were applied", calls-applied, calls/100)
	expect.AtLeast(t, "lost afterwards", lost-(calls-applied), calls/100)
	loaded = false
	expect.Equal(t, "lost after the load", call(), 0)
}
