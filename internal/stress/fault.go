package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/local"
)

// kind is a kind of fault.
type kind int

const (
	throttled kind = iota
	delayed
	conflict
	serverError
	cutBefore
	cutAfter
	killedBefore
	killedAfter
	killedIdle
	kinds // how many there are
)

var kindNames = [kinds]string{
	"throttled", "delayed", "conflict", "500", "cut before", "cut after", "killed before", "killed after", "killed idle",
}

func (k kind) String() string { return kindNames[k] }

// on reports whether a call can fail so.
func (k kind) on(call local.Call) bool {
	switch k {
	case conflict:
		return slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}, call.Action)
	case killedIdle:
		return false
	}
	return true
}

// phase is a part of the load.
type phase struct {
	name  string
	share float64          // of the load's time
	rates map[kind]float64 // of the calls that can fail so; of killedIdle, a second
}

// phases show first what each kind of fault does alone, and last whether it heals.
var phases = []phase{
	{"calm", 0.10, nil},
	{"throttled", 0.13, map[kind]float64{throttled: 0.10}},
	{"slow", 0.13, map[kind]float64{delayed: 0.10}},
	{"conflicts, 500", 0.14, map[kind]float64{conflict: 0.12, serverError: 0.05}},
	{"cuts", 0.14, map[kind]float64{cutBefore: 0.04, cutAfter: 0.04}},
	{"kills", 0.14, map[kind]float64{killedBefore: 0.01, killedAfter: 0.01, killedIdle: 3}},
	{"all at once", 0.14, everything},
	{"calm", 0.08, nil},
}

var everything = map[kind]float64{
	throttled: 0.05, delayed: 0.04, conflict: 0.05, serverError: 0.02, cutBefore: 0.02, cutAfter: 0.02,
	killedBefore: 0.005, killedAfter: 0.005, killedIdle: 2,
}

// lasting is the share of faults that last: the calls that the same request makes afterwards fail so, too, and its
// retries do not save it.
const lasting = 0.1

// A call is delayed by up to half a second, and some by longer than the functions wait for DynamoDB.
const (
	shortDelay = 500 * time.Millisecond
	longDelay  = 2500 * time.Millisecond
	longShare  = 0.05
)

// faults makes the functions' calls fail, phase by phase.
type faults struct {
	phases   []phase
	begin    time.Time
	duration time.Duration

	idle *rand.Rand // of killIdle alone

	mu       sync.Mutex
	rng      *rand.Rand
	lasting  map[string]kind // by request
	applied  map[string]bool // requests that a call was applied for whose answer they did not get
	injected []injection
}

// injection is a fault that happened.
type injection struct {
	at      time.Time
	kind    kind
	service string // that was called; "" for none
}

func newFaults(phases []phase, seed uint64, begin time.Time, duration time.Duration) *faults {
	return &faults{phases: phases, begin: begin, duration: duration, rng: newRand(seed, 0), idle: newRand(seed, math.MaxUint64), lasting: map[string]kind{}, applied: map[string]bool{}}
}

// phase is the one at a time; false before and after the load.
func (f *faults) phase(at time.Time) (phase, bool) {
	passed := at.Sub(f.begin).Seconds() / f.duration.Seconds()
	if passed < 0 || passed >= 1 {
		return phase{}, false
	}
	for _, p := range f.phases {
		if passed -= p.share; passed < 0 {
			return p, true
		}
	}
	return f.phases[len(f.phases)-1], true
}

// pick is for [local.Gate.Inject].
func (f *faults) pick(call local.Call) *local.Fault {
	now := time.Now()
	p, ok := f.phase(now)
	if !ok || call.RequestID == "" {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	k, ok := f.lasting[call.RequestID]
	if !ok {
		if k, ok = f.draw(p, call); !ok {
			return nil
		}
		if k < killedBefore && k != delayed && f.rng.Float64() < lasting {
			f.lasting[call.RequestID] = k
		}
	}
	if !k.on(call) || k == conflict && f.applied[call.RequestID] {
		return nil // a transaction that is sent again conflicts with nothing once it was applied
	}
	if k == cutAfter {
		f.applied[call.RequestID] = true
	}
	f.injected = append(f.injected, injection{now, k, call.Service})
	return f.make(k)
}

// draw draws at most one fault for a call.
func (f *faults) draw(p phase, call local.Call) (kind, bool) {
	drawn := f.rng.Float64()
	for k := range kinds {
		if !k.on(call) {
			continue
		}
		if drawn -= p.rates[k]; drawn < 0 {
			return k, true
		}
	}
	return 0, false
}

func (f *faults) make(k kind) *local.Fault {
	switch k {
	case throttled:
		return local.Throttled
	case conflict:
		return local.Conflict
	case serverError:
		return local.ServerError
	case cutBefore:
		return local.CutBefore
	case cutAfter:
		return local.CutAfter
	case killedBefore:
		return local.KillBefore
	case killedAfter:
		return local.KillAfter
	}
	delay := time.Duration(f.rng.Int64N(int64(shortDelay)))
	if f.rng.Float64() < longShare {
		delay = longDelay
	}
	return local.Delay(delay)
}

// killIdle kills idle processes of functions as the phases have it, until the context ends. It draws from a source of
// its own: how often it ticks does not change what calls meet.
func (f *faults) killIdle(ctx context.Context, stack *local.Stack) {
	const tick = 100 * time.Millisecond
	every := time.NewTicker(tick)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-every.C:
			p, _ := f.phase(now)
			if f.idle.Float64() >= p.rates[killedIdle]*tick.Seconds() {
				continue
			}
			if served, ok := choose(f.idle, stack.Invocations()); ok && stack.KillIdle(served.Function) {
				f.note(injection{now, killedIdle, ""})
			}
		}
	}
}

// note remembers a fault that happened.
func (f *faults) note(i injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.injected = append(f.injected, i)
}

// all is every fault that happened, when the load has ended.
func (f *faults) all() []injection {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.injected
}

// newRand is the source of one part's choices.
func newRand(seed, part uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, part)) }
