package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/expect"
	"frontdesk/internal/local/gate"
)

// TestPhasesFillTheTime: the shares of the phases add up to the whole load, and each time has its phase.
func TestPhasesFillTheTime(t *testing.T) {
	sum := 0.0
	for _, p := range phases {
		sum += p.share
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the shares add up to %g", sum)
	}
	f := newInjector(phases, 1, time.Now(), time.Hour)
	for share, want := range map[float64]string{0: "calm", 0.2: "throttled", 0.9: "all at once", 0.999: "calm"} {
		if p, ok := f.phase(f.begin.Add(time.Duration(share * float64(time.Hour)))); !ok || p.name != want {
			t.Errorf("at %g it is %q, want %q", share, p.name, want)
		}
	}
	for share, want := range map[float64]bool{0: false, 0.04: false, 0.06: true, 0.09: true, 0.11: false, 0.99: true} {
		f.begin = time.Now().Add(-time.Duration(share * float64(time.Hour)))
		if f.contended() != want {
			t.Errorf("at %g it is contended: %t", share, !want)
		}
	}
	for _, outside := range []time.Duration{-time.Second, time.Hour, 2 * time.Hour} {
		if p, ok := f.phase(f.begin.Add(outside)); ok {
			t.Errorf("at %v it is %q", outside, p.name)
		}
	}
}

// TestFaultsComeAtTheirRates: over 20,000 calls, the rates are right to a fifth.
func TestFaultsComeAtTheirRates(t *testing.T) {
	const calls = 20000
	rates := rates{throttled: 0.1, conflict: 0.2, killedAfter: 0.05}
	for action, writes := range map[string]bool{"BatchGetItem": false, "TransactWriteItems": true} {
		f := newInjector([]phase{{"all", 1, rates}}, 1, time.Now(), time.Hour)
		for i := range calls {
			f.inject(gate.Call{RequestID: fmt.Sprint(i), Service: "dynamodb", Action: action, N: 1})
		}
		for _, k := range faultKinds {
			want := rates[k] * calls
			if k == conflict && !writes {
				want = 0 // reads do not conflict
			}
			got := 0.0
			for _, i := range f.injected.all() {
				if i.kind == k {
					got++
				}
			}
			if math.Abs(got-want) > want/5 {
				t.Errorf("%s: %g of %d were %s, want %g", action, got, calls, k, want)
			}
		}
	}
}

// TestAPersistentFaultMeetsEveryCallOfItsRequest, so that retries do not help, and meets no other request.
func TestAPersistentFaultMeetsEveryCallOfItsRequest(t *testing.T) {
	f := newInjector([]phase{{"all", 1, rates{serverError: 0.5}}}, 1, time.Now(), time.Hour)
	for i := 0; len(f.persistent) == 0; i++ {
		f.inject(gate.Call{RequestID: fmt.Sprint(i), Action: "GetItem"})
	}
	f.phases[0].rates = nil // from now on nothing else fails
	for id := range f.persistent {
		for range 10 {
			if f.inject(gate.Call{RequestID: id, Action: "GetItem"}) != gate.ServerError {
				t.Error("a later call of the request is served")
			}
		}
	}
	if f.inject(gate.Call{RequestID: "another", Action: "GetItem"}) != nil {
		t.Error("another request's call fails")
	}
}

// TestAnswersAreLostForAWhile: from a write on, all of a request's calls of the table get no answer. Calls of SES do.
func TestAnswersAreLostForAWhile(t *testing.T) {
	f := newInjector([]phase{{"all", 1, rates{unanswered: 1}}}, 1, time.Now(), time.Hour)
	read := gate.Call{RequestID: "request", Service: "dynamodb", Action: "BatchGetItem"}
	write, send := read, read
	write.Action, send.Service = "PutItem", "ses"
	if f.inject(read) != nil {
		t.Error("a read is not answered, before any write")
	}
	expect.Equal(t, "f.inject(write)", f.inject(write), gate.CutAfter)
	expect.Equal(t, "f.inject(read)", f.inject(read), gate.CutAfter)
	if f.inject(send) != nil {
		t.Error("SES does not answer")
	}
	f.phases[0].rates = nil
	f.answered["request"] = time.Now().Add(-time.Millisecond)
	if f.inject(write) != nil {
		t.Error("a write is not answered after the time is over")
	}
}

// TestALateWriteIsWaitedFor: a write can be late, and a read cannot.
func TestALateWriteIsWaitedFor(t *testing.T) {
	f := newInjector([]phase{{"all", 1, rates{late: 1}}}, 1, time.Now(), time.Hour)
	if f.inject(gate.Call{RequestID: "request", Service: "dynamodb", Action: "BatchGetItem"}) != nil {
		t.Error("a read is late")
	}
	if f.inject(gate.Call{RequestID: "request", Service: "dynamodb", Action: "PutItem"}) == nil {
		t.Error("a write is not late")
	}
}

// TestTheSameSeedMakesTheSameFaults: a failed run can be repeated with its seed.
func TestTheSameSeedMakesTheSameFaults(t *testing.T) {
	faultsOf := func(seed uint64) (kinds []*faultKind) {
		f := newInjector([]phase{{"all", 1, everything}}, seed, time.Now(), time.Hour)
		for i := range 1000 {
			f.inject(gate.Call{RequestID: fmt.Sprint(i), Action: "PutItem"})
		}
		for _, i := range f.injected.all() {
			kinds = append(kinds, i.kind)
		}
		return kinds
	}
	if !slices.Equal(faultsOf(1), faultsOf(1)) {
		t.Error("one seed, two runs")
	}
	if slices.Equal(faultsOf(1), faultsOf(2)) {
		t.Error("two seeds, one run")
	}
}

// TestALoadThatProvesNothing: if one endpoint never succeeded, or one kind of fault never happened, the run fails.
func TestALoadThatProvesNothing(t *testing.T) {
	var operations []operation
	for _, e := range endpoints {
		operations = append(operations, operation{endpoint: e})
	}
	var injected []injection
	for _, k := range faultKinds {
		injected = append(injected, injection{kind: k})
	}
	failed := slices.Clone(operations)
	failed[slices.Index(endpoints, categoryList)].failure = "500 Internal error"
	for name, c := range map[string]struct {
		operations []operation
		injected   []injection
		want       string
	}{
		"a whole one":                      {operations, injected, ""},
		"an endpoint that nobody called":   {operations[1:], injected, "no request of send-mail"},
		"an endpoint that never succeeded": {failed, injected, "no request of list-categories"},
		"a kind of fault that never was":   {operations, injected[1:], "no fault of the kind throttled"},
	} {
		t.Run(name, func(t *testing.T) {
			var found violations
			checkLoad(c.operations, c.injected, &found)
			found.want(t, c.want)
		})
	}
}

// TestWhatWasAppliedConflictsWithNothing: DynamoDB answers a repeated transaction like the first one, so a conflict
// after it was applied would be false.
func TestWhatWasAppliedConflictsWithNothing(t *testing.T) {
	f := newInjector([]phase{{"all", 1, rates{cutAfter: 1}}}, 1, time.Now(), time.Hour)
	call := gate.Call{RequestID: "request", Action: "TransactWriteItems"}
	for len(f.applied) == 0 {
		f.inject(call)
	}
	clear(f.persistent)
	f.phases[0].rates = rates{conflict: 1}
	if f.inject(call) != nil {
		t.Error("the call that is sent again conflicts")
	}
	call.RequestID = "another"
	if f.inject(call) != gate.Conflict {
		t.Error("another's does not")
	}
}
