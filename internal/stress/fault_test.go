package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/local"
)

func TestPhasesFillTheTime(t *testing.T) {
	sum := 0.0
	for _, p := range phases {
		sum += p.share
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the shares add up to %g", sum)
	}
	f := newFaults(phases, 1, time.Now(), time.Hour)
	for share, want := range map[float64]string{0: "calm", 0.2: "throttled", 0.9: "all at once", 0.999: "calm"} {
		if p, ok := f.phase(f.begin.Add(time.Duration(share * float64(time.Hour)))); !ok || p.name != want {
			t.Errorf("at %g it is %q, want %q", share, p.name, want)
		}
	}
	for _, outside := range []time.Duration{-time.Second, time.Hour, 2 * time.Hour} {
		if p, ok := f.phase(f.begin.Add(outside)); ok {
			t.Errorf("at %v it is %q", outside, p.name)
		}
	}
}

// TestFaultsComeAtTheirRates: of 20,000 calls, within a fifth.
func TestFaultsComeAtTheirRates(t *testing.T) {
	const calls = 20000
	rates := map[kind]float64{throttled: 0.1, conflict: 0.2, killedAfter: 0.05}
	for action, writes := range map[string]bool{"BatchGetItem": false, "TransactWriteItems": true} {
		f := newFaults([]phase{{"all", 1, rates}}, 1, time.Now(), time.Hour)
		for i := range calls {
			f.pick(local.Call{RequestID: fmt.Sprint(i), Service: "dynamodb", Action: action, N: 1})
		}
		for k := range kinds {
			want := rates[k] * calls
			if k == conflict && !writes {
				want = 0 // a read conflicts with nothing
			}
			got := 0.0
			for _, i := range f.all() {
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

func TestAFaultThatLastsIsTheRequests(t *testing.T) {
	f := newFaults([]phase{{"all", 1, map[kind]float64{serverError: 0.5}}}, 1, time.Now(), time.Hour)
	for i := 0; len(f.lasting) == 0; i++ {
		f.pick(local.Call{RequestID: fmt.Sprint(i), Action: "GetItem"})
	}
	f.phases[0].rates = nil // from now on nothing else fails
	for id := range f.lasting {
		for range 10 {
			if f.pick(local.Call{RequestID: id, Action: "GetItem"}) != local.ServerError {
				t.Error("a later call of the request is served")
			}
		}
	}
	if f.pick(local.Call{RequestID: "another", Action: "GetItem"}) != nil {
		t.Error("another request's call fails")
	}
}

func TestTheSameSeedMakesTheSameFaults(t *testing.T) {
	faultsOf := func(seed uint64) (kinds []kind) {
		f := newFaults([]phase{{"all", 1, everything}}, seed, time.Now(), time.Hour)
		for i := range 1000 {
			f.pick(local.Call{RequestID: fmt.Sprint(i), Action: "PutItem"})
		}
		for _, i := range f.all() {
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

func TestALoadThatProvesNothing(t *testing.T) {
	var samples []sample
	for _, e := range endpoints {
		samples = append(samples, sample{endpoint: e})
	}
	var injected []injection
	for k := range kinds {
		injected = append(injected, injection{kind: k})
	}
	failed := slices.Clone(samples)
	failed[3].failure = "500 Internal error"
	for name, c := range map[string]struct {
		samples  []sample
		injected []injection
		want     string
	}{
		"a whole one":                      {samples, injected, ""},
		"an endpoint that nobody called":   {samples[1:], injected, "no request of send-mail"},
		"an endpoint that never succeeded": {failed, injected, "no request of list-categories"},
		"a kind of fault that never was":   {samples, injected[1:], "no fault of the kind throttled"},
	} {
		t.Run(name, func(t *testing.T) {
			var broken violations
			judgeLoad(c.samples, c.injected, &broken)
			broken.want(t, c.want)
		})
	}
}

func TestWhatWasAppliedConflictsWithNothing(t *testing.T) {
	f := newFaults([]phase{{"all", 1, map[kind]float64{cutAfter: 1}}}, 1, time.Now(), time.Hour)
	call := local.Call{RequestID: "request", Action: "TransactWriteItems"}
	for len(f.applied) == 0 {
		f.pick(call)
	}
	clear(f.lasting)
	f.phases[0].rates = map[kind]float64{conflict: 1}
	if f.pick(call) != nil {
		t.Error("the call that is sent again conflicts")
	}
	call.RequestID = "another"
	if f.pick(call) != local.Conflict {
		t.Error("another's does not")
	}
}
