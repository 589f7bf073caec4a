package matrix

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// trouble is something that goes wrong with a call. Every write meets each trouble of writes. Of the others each call
// meets one, in turn: all calls are repeated by the same code of package table, whose tests have each trouble.
type trouble struct {
	name   string
	fault  *awsproxy.Fault
	status int  // of the answer; 0 if the function mends it
	writes bool // it is one of writes
}

// passing is what goes wrong once. A function has 15 seconds and repeats the call, so the client does not see it.
var passing = []trouble{
	{name: "lost before", fault: awsproxy.CutBefore},
	{name: "lost after", fault: awsproxy.CutAfter, writes: true},
	{name: "refused with 500", fault: awsproxy.ServerError},
	{name: "throttled", fault: awsproxy.Throttled},
	{name: "in conflict", fault: awsproxy.Conflict, writes: true},
}

// lasting goes wrong with every attempt. The client sees it, and can send the request again.
var lasting = []trouble{
	{name: "lost before, each time", fault: awsproxy.CutBefore, status: http.StatusServiceUnavailable},
	{name: "lost after, each time", fault: awsproxy.CutAfter, status: http.StatusServiceUnavailable, writes: true},
	{name: "throttled, each time", fault: awsproxy.Throttled, status: http.StatusServiceUnavailable},
	{name: "in conflict, each time", fault: awsproxy.Conflict, status: http.StatusConflict, writes: true},
	{name: "killed before", fault: awsproxy.KillBefore, status: http.StatusInternalServerError},
	{name: "killed after", fault: awsproxy.KillAfter, status: http.StatusInternalServerError, writes: true},
}

func (tr trouble) kills() bool { return strings.HasPrefix(tr.name, "killed") }

// aCallThatFailsOnce: every call of every way through a function goes wrong once, and the client sees nothing of it.
func aCallThatFailsOnce(t testing.TB, s *fixture.Stack) {
	failCalls(t, s, passing)
}

// TestACallThatFailsEachTime: every call of every way through a function goes wrong at every attempt, or its process
// dies. The answer is true: the client that sends the request again gets what it has asked for, once.
func TestACallThatFailsEachTime(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		failCalls(t, s, lasting)
		finishDeletions(t, s)
	})
}

// attempt is a request, one call of which goes wrong.
type attempt struct {
	row     fixture.Request
	call    call
	trouble trouble
}

func (a attempt) String() string { return fmt.Sprintf("%s: %s %s", a.row, a.call, a.trouble.name) }

func failCalls(t testing.TB, s *fixture.Stack, troubles []trouble) {
	t.Helper()
	var ofAny, ofWrites []trouble
	for _, tr := range troubles {
		if tr.writes {
			ofWrites = append(ofWrites, tr)
		} else {
			ofAny = append(ofAny, tr)
		}
	}
	var attempts []attempt
	turn := 0
	for _, r := range paths(t, s) {
		for _, c := range calls(t, s, r) {
			meets := []trouble{ofAny[turn%len(ofAny)]}
			turn++
			if c.writes() {
				meets = append(meets, ofWrites...)
			}
			for _, tr := range meets {
				if tr.status == 0 || r.TestedElsewhere == nil || !r.TestedElsewhere(c.Call) {
					attempts = append(attempts, attempt{r, c, tr})
				}
			}
		}
	}
	each(attempts, func(a attempt) {
		if err := a.run(t, s); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	})
}

// run sends the request with the trouble, and then without, as clients do.
func (a attempt) run(t testing.TB, s *fixture.Stack) (err error) {
	c := s.NewClient(t)
	sent := c.Prepared(a.row)
	var seen, hits atomic.Int64
	first := s.Send(t, a.row, sent, func(call awsproxy.Call) *awsproxy.Fault {
		if what(call) != what(a.call.Call) || seen.Add(1) < int64(a.call.n) {
			return nil
		}
		if hits.Add(1) > 1 && a.trouble.status == 0 {
			return nil
		}
		return a.trouble.fault
	})
	if hits.Load() == 0 {
		err = fmt.Errorf("no call was failed: %q", s.Actions(first))
	}
	if want := a.statuses(); !slices.Contains(want, first.Status) {
		err = errors.Join(err, fmt.Errorf("answer %d %.300s, want %v", first.Status, first.Raw, want))
	}
	again := first.Header.Get("Retry-After")
	if (again != "") != (first.Status == 409 || first.Status == 503) {
		err = errors.Join(err, fmt.Errorf("answer %d with Retry-After %q", first.Status, again))
	}
	answers := []fixture.Answer{first}
	if first.Status != a.row.Good() {
		answers = append(answers, retry(t, s, a.row, sent))
	}
	return errors.Join(err, sent.Done(answers...))
}

// statuses returns those that the first answer may have.
func (a attempt) statuses() []int {
	settled := a.row.Settles && a.trouble.fault == awsproxy.CutAfter && a.call.Action == "TransactWriteItems"
	bestEffort := a.row.BestEffort != nil && a.row.BestEffort(a.call.Call) && !a.trouble.kills()
	switch {
	case a.trouble.status == 0, settled, bestEffort:
		return []int{a.row.Good()}
	case a.row.Operation == "": // Lambda invokes the function again, whatever its error
		return []int{http.StatusInternalServerError}
	case a.trouble.fault == awsproxy.Conflict: // 503 where several transactions are one change
		return []int{http.StatusConflict, http.StatusServiceUnavailable}
	}
	return []int{a.trouble.status}
}

// retry sends a request until the function is well, as clients do, for a minute. A mail that is sent once stays with a
// process that has died for half of that.
func retry(t testing.TB, s *fixture.Stack, r fixture.Request, sent fixture.Sent) (a fixture.Answer) {
	t.Helper()
	for range 120 {
		a = s.Send(t, r, sent, nil)
		if a.Status != http.StatusConflict && a.Status != http.StatusServiceUnavailable {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	return a
}

// finishDeletions ends deletions of users that were interrupted, by the command that the check tells. The check may
// report nothing else.
func finishDeletions(t testing.TB, s *fixture.Stack) {
	t.Helper()
	s.AwaitTransactions()
	faults := s.Check(t, check.Options{Pause: time.Millisecond}).Faults
	for _, f := range faults {
		var of id.ID
		if n, _ := fmt.Sscanf(f.Do, "frontdesk user delete %d", &of); n == 0 {
			t.Errorf("broken: %s", f.What)
		} else if _, err := (&user.Service{Table: s.Table}).Delete(t.Context(), of); err != nil {
			t.Errorf("%s: %v", f.Do, err)
		}
	}
	if len(faults) > 0 {
		s.MustBeWhole(t)
	}
}
