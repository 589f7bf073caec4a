package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/prove/fixture"
)

// readingRow is a row of fixture.Requests that only reads. It is prepared before the load, for a tenant that nobody
// changes. So all its answers say the same, and what is wrong in one is found when the load is over.
type readingRow struct {
	fixture.Request
	sent  fixture.Sent
	token string

	mu      sync.Mutex
	answers map[string]answer // the good ones, by their bodies
}

// prepareRows prepares all rows that read.
func prepareRows(ctx context.Context, stack *fixture.Stack) (rows []*readingRow, err error) {
	var found violations
	var preparing sync.WaitGroup
	preparing.Go(func() { // a goroutine of its own, which a fatal fault ends
		for _, r := range fixture.Requests {
			if !r.OnlyReads() {
				continue
			}
			c := stack.NewClient(reporter{ctx: ctx, violations: &found})
			rows = append(rows, &readingRow{
				Request: r, sent: r.Prepare(c), token: r.By.Text(c.Tenant), answers: map[string]answer{},
			})
		}
	})
	preparing.Wait()
	if all := found.all(); len(all) > 0 {
		return nil, fmt.Errorf("prepare what is read: %s", strings.Join(all, "; "))
	}
	return rows, nil
}

// readRow sends one of the rows. While things fail the answer may say so, and nothing else.
func (c *client) readRow(ctx context.Context) {
	r, _ := choose(c.rng, c.rows)
	a := c.do(ctx, request{
		endpoint: reading[r.Operation], values: r.sent.Values, query: r.sent.Query, token: r.token,
	})
	switch {
	case a.ok():
		r.keep(a)
	case a.status != 0 && a.status < http.StatusInternalServerError:
		c.violations.add("%s: %s", r, a)
	}
}

// keep remembers a good answer.
func (r *readingRow) keep(a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[string(a.body)] = a
}

// checkRows checks that each row always had the same answer, and the right one.
func (o *oracle) checkRows() {
	for _, r := range o.rows {
		good := len(r.answers) == 1
		if len(r.answers) > 1 {
			o.violations.add("%s has %d different answers", r, len(r.answers))
		}
		for _, a := range r.answers {
			if err := r.sent.Done(fixture.AnswerOf(r.String(), a.status, a.header, string(a.body))); err != nil {
				good = false
				o.violations.add("%s: %v", r, err)
			}
		}
		if good {
			o.confirmed.rows++
		}
	}
}

// reporter stands in for a test: what the fixture finds wrong is a violation. The fixture calls no other methods.
type reporter struct {
	testing.TB
	ctx        context.Context
	violations *violations
}

func (r reporter) Helper()                           {}
func (r reporter) Context() context.Context          { return r.ctx }
func (r reporter) Error(args ...any)                 { r.violations.add("%s", fmt.Sprint(args...)) }
func (r reporter) Errorf(format string, args ...any) { r.violations.add(format, args...) }

func (r reporter) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}
