package main

import (
	"context"
	"encoding/json"
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
	endpoint *endpoint
	path     string
	token    string
	done     func(...fixture.Answer) error

	mu      sync.Mutex
	answers map[string]fixture.Answer // the good ones, by their bodies
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
			sent := r.Prepare(c)
			rows = append(rows, &readingRow{
				Request: r, endpoint: endpointOf(r, sent.Method), path: sent.Path, token: r.By.Text(c.Tenant),
				done: sent.Done, answers: map[string]fixture.Answer{},
			})
		}
	})
	preparing.Wait()
	if all := found.all(); len(all) > 0 {
		return nil, fmt.Errorf("prepare what is read: %s", strings.Join(all, "; "))
	}
	return rows, nil
}

// endpointOf returns the endpoint that a row calls. Where no client calls it otherwise, it is a new one.
func endpointOf(r fixture.Request, method string) *endpoint {
	name := r.Program()
	for _, e := range endpoints {
		if e.program() == name && e.method == method {
			return e
		}
		if e.name == name { // by another method
			name += ", " + r.Name
		}
	}
	return newEndpoint(name, method)
}

// readRow sends one of the rows. While things fail the answer may say so, and nothing else.
func (c *client) readRow(ctx context.Context) {
	r, _ := choose(c.rng, c.rows)
	a := c.do(ctx, request{endpoint: r.endpoint, path: r.path, token: r.token})
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
	raw := strings.TrimSuffix(string(a.body), "\n")
	if _, ok := r.answers[raw]; ok {
		return
	}
	kept := fixture.Answer{Request: r.String(), Status: a.status, Header: a.header, Raw: raw}
	_ = json.Unmarshal(a.body, &kept.Body) // a page is no JSON
	r.answers[raw] = kept
}

// checkRows checks that each row always had the same answer, and the right one.
func (o *oracle) checkRows() {
	for _, r := range o.rows {
		before := len(o.violations.all())
		if len(r.answers) > 1 {
			o.violations.add("%s has %d different answers", r, len(r.answers))
		}
		for _, a := range r.answers {
			if err := r.done(a); err != nil {
				o.violations.add("%s: %v", r, err)
			}
		}
		if len(r.answers) > 0 && len(o.violations.all()) == before {
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
