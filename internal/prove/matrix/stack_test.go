package matrix

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/prove/fixture"
)

// start starts a stack for many requests at once. SES's events are left out: they would be requests that no row sends.
func start(t testing.TB, change ...func(*local.Options)) *fixture.Stack {
	t.Helper()
	s := fixture.Start(t, change...)
	s.Events().Replace(func(eventbridge.Event) []eventbridge.Event { return nil })
	return s
}

// atATime is how many items are side by side. More would wait for a process of their function.
const atATime = 64

// each calls f for every item, side by side, and waits for all.
func each[T any](items []T, f func(T)) {
	var wg sync.WaitGroup
	limit := make(chan struct{}, atATime)
	for _, item := range items {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			f(item)
		})
	}
	wg.Wait()
}

// call is a call of a request to the table.
type call struct {
	awsproxy.Call
	n int // which one of the calls that have the same name, from 1 on
}

func (c call) String() string { return fmt.Sprintf("%s (%d)", what(c.Call), c.n) }

func (c call) writes() bool { return c.Action != "BatchGetItem" && c.Action != "Query" }

// kinds matches the kinds of the keys in a call.
var kinds = regexp.MustCompile(`"[A-Z]+#`)

// what names a call by its operation, and by the kinds of keys in it. Calls side by side come in any order.
func what(c awsproxy.Call) string {
	found := kinds.FindAllString(string(c.Body), -1)
	slices.Sort(found)
	return c.Action + strings.ReplaceAll(" "+strings.Join(slices.Compact(found), " "), `"`, "")
}

// known are the calls of rows that were sent, by the row's name. They are the same on every stack.
var known sync.Map

// calls returns the calls of a good request to the table. It sends the request, unless it has before.
func calls(t testing.TB, s *fixture.Stack, r fixture.Request) (all []call) {
	t.Helper()
	if before, ok := known.Load(r.String()); ok {
		return before.([]call)
	}
	c := s.NewClient(t)
	sent := c.Prepared(r)
	a := s.Send(t, r, sent, nil)
	if err := sent.Done(a); a.Status != r.Good() || err != nil {
		t.Errorf("%s: answer %d %.500s: %v", r, a.Status, a.Raw, err)
	}
	seen := map[string]int{}
	for _, made := range s.AWSProxy().Calls(a.RequestID) {
		if made.Service != "dynamodb" {
			continue
		}
		name := what(made)
		seen[name]++
		all = append(all, call{made, seen[name]})
	}
	known.Store(r.String(), all)
	return all
}

// rows are the requests that no fault meets already.
func rows() []fixture.Request {
	return slices.DeleteFunc(slices.Clone(fixture.Requests), func(r fixture.Request) bool {
		return r.Fault != nil
	})
}

// paths are the first rows of each path through a function: what another row that makes the same calls has in its body
// makes no difference to a call that fails. Calls side by side come in any order.
func paths(t testing.TB, s *fixture.Stack) (first []fixture.Request) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range rows() {
		key := []string{}
		for _, c := range calls(t, s, r) {
			key = append(key, c.String())
		}
		slices.Sort(key)
		if key := r.Function + strings.Join(key, " "); !seen[key] {
			seen[key] = true
			first = append(first, r)
		}
	}
	return first
}

// endpoints are the first rows of each operation and credential: what another row of the same does with its body makes
// no difference to who may send it, and how.
func endpoints() (first []fixture.Request) {
	seen := map[string]bool{}
	for _, r := range rows() {
		if key := fmt.Sprint(r.Function, r.Operation, r.By, r.Foreign); !seen[key] {
			seen[key] = true
			first = append(first, r)
		}
	}
	return first
}
