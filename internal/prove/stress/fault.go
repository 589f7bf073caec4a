package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
)

// faultKind is a kind of fault.
type faultKind struct {
	name       string
	fault      *awsproxy.Fault // nil: made for each call, or no fault of a call
	persistent bool            // may meet all calls of a request
}

var (
	throttled    = &faultKind{"throttled", awsproxy.Throttled, true}
	delayed      = &faultKind{"delayed", nil, false}
	conflict     = &faultKind{"conflict", awsproxy.Conflict, true}
	serverError  = &faultKind{"500", awsproxy.ServerError, true}
	cutBefore    = &faultKind{"cut before", awsproxy.CutBefore, true}
	cutAfter     = &faultKind{"cut after", awsproxy.CutAfter, true}
	killedBefore = &faultKind{"killed before", awsproxy.KillBefore, false}
	killedAfter  = &faultKind{"killed after", awsproxy.KillAfter, false}
	killedIdle   = &faultKind{"killed idle", nil, false}
	late         = &faultKind{"late", nil, true}
	unanswered   = &faultKind{"unanswered", awsproxy.CutAfter, false}
)

// faultKinds are all kinds, in the report's order.
var faultKinds = []*faultKind{
	throttled, delayed, conflict, serverError, cutBefore, cutAfter, killedBefore, killedAfter, killedIdle, late,
	unanswered,
}

func (k *faultKind) String() string { return k.name }

// canMeet reports whether a call can fail in this way.
func (k *faultKind) canMeet(call awsproxy.Call) bool {
	switch k {
	case conflict, late:
		return isWrite(call)
	case unanswered:
		return call.Service != "ses"
	case killedIdle:
		return false
	}
	return true
}

// rates are probabilities by kind of fault: for each call, or, for killedIdle, for each second.
type rates = map[*faultKind]float64

// isWrite reports whether a call may change items. Only a write meets conflicts, or can arrive late.
func isWrite(call awsproxy.Call) bool {
	return slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}, call.Action)
}

// phase is a part of the load.
type phase struct {
	name  string
	share float64 // of the load's time
	rates rates   // of the calls that can fail so; of killedIdle, a second
}

// phases first show what each kind of fault does alone, and at last whether the system recovers.
var phases = []phase{
	{"calm", 0.10, nil},
	{"throttled", 0.12, rates{throttled: 0.10}},
	{"slow", 0.12, rates{delayed: 0.10}},
	{"conflicts, 500", 0.12, rates{conflict: 0.12, serverError: 0.05}},
	{"cuts", 0.12, rates{cutBefore: 0.04, cutAfter: 0.04}},
	{"late, unanswered", 0.12, rates{late: 0.05, unanswered: 0.01}},
	{"kills", 0.12, rates{killedBefore: 0.01, killedAfter: 0.01, killedIdle: 3}},
	{"all at once", 0.12, everything},
	{"calm", 0.06, nil},
}

// everything is the last phase but one: all kinds of faults at once, at lower rates than alone.
var everything = rates{
	throttled: 0.05, delayed: 0.04, conflict: 0.05, serverError: 0.02, cutBefore: 0.02, cutAfter: 0.02,
	killedBefore: 0.005, killedAfter: 0.005, killedIdle: 2, late: 0.02, unanswered: 0.003,
}

// persistentShare is the share of persistent faults: the later calls of the same request fail as well, so its retries
// do not help.
const persistentShare = 0.1

// Most delays are up to half a second. Some are longer than the functions wait for DynamoDB.
const (
	shortDelay = 500 * time.Millisecond
	longDelay  = 2500 * time.Millisecond
	longShare  = 0.05
)

const (
	// latest is how late a delayed write is applied at most. Its caller gets no answer.
	latest = 8 * time.Second
	// unansweredFor is how long all answers of the table to a request are lost, beginning with a write.
	unansweredFor = 25 * time.Second
)

// injector makes calls of the functions fail, phase by phase.
type injector struct {
	phases   []phase
	begin    time.Time
	duration time.Duration
	injected recorder[injection]

	idle *rand.Rand // only for killIdle

	mu         sync.Mutex
	rng        *rand.Rand
	persistent map[string]*faultKind // by request
	applied    map[string]bool       // requests with a call that was applied but not answered
	answered   map[string]time.Time  // until when a request's answers are lost

	onTheWay sync.WaitGroup // late writes
}

// injection is a fault that happened.
type injection struct {
	at      time.Time
	kind    *faultKind
	service string // the service that was called; "" for none
}

// newInjector returns an injector for a load that begins now. With the same seed it draws the same faults for the
// same sequence of calls.
func newInjector(phases []phase, seed uint64, begin time.Time, duration time.Duration) *injector {
	return &injector{
		phases: phases, begin: begin, duration: duration, rng: newRand(seed, 0), idle: newRand(seed, math.MaxUint64),
		persistent: map[string]*faultKind{}, applied: map[string]bool{}, answered: map[string]time.Time{},
	}
}

// loaded reports whether the load is running.
func (i *injector) loaded() bool {
	if i == nil {
		return false
	}
	_, ok := i.phase(time.Now())
	return ok
}

// phase returns the phase at a time; false before and after the load.
func (i *injector) phase(at time.Time) (p phase, ok bool) {
	p, _, ok = i.position(at)
	return p, ok
}

// contended reports whether the database is as contended as DynamoDB now: in the second half of each phase.
func (i *injector) contended() bool {
	p, left, ok := i.position(time.Now())
	return ok && left <= p.share/2
}

// position returns the phase at a time, and how much of its share is left.
func (i *injector) position(at time.Time) (p phase, left float64, ok bool) {
	passed := at.Sub(i.begin).Seconds() / i.duration.Seconds()
	if passed < 0 || passed >= 1 {
		return p, 0, false
	}
	for _, p = range i.phases {
		passed -= p.share
		if passed < 0 {
			break
		}
	}
	return p, -passed, true
}

// inject is the argument of [awsproxy.Proxy.Inject].
func (i *injector) inject(call awsproxy.Call) *awsproxy.Fault {
	now := time.Now()
	p, ok := i.phase(now)
	if !ok || call.RequestID == "" { // the call of a process that starts
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	k := i.lasting(call.RequestID, now)
	if k == nil {
		k = i.draw(p, call)
		if k == nil {
			return nil
		}
		if k == unanswered {
			i.answered[call.RequestID] = now.Add(unansweredFor)
		} else if k.persistent && i.rng.Float64() < persistentShare {
			i.persistent[call.RequestID] = k
		}
	}
	if !k.canMeet(call) || k == conflict && i.applied[call.RequestID] {
		// A transaction that was applied does not conflict when it is sent again.
		return nil
	}
	i.injected.add(injection{now, k, call.Service})
	switch k {
	case cutAfter, unanswered:
		i.applied[call.RequestID] = true
	case late:
		return i.arriveLate(time.Duration(i.rng.Int64N(int64(latest))))
	case delayed:
		delay := time.Duration(i.rng.Int64N(int64(shortDelay)))
		if i.rng.Float64() < longShare {
			delay = longDelay
		}
		return awsproxy.Delay(delay)
	}
	return k.fault
}

// lasting returns the fault that meets all calls of a request now, nil for none.
func (i *injector) lasting(request string, now time.Time) *faultKind {
	if now.Before(i.answered[request]) {
		return unanswered
	}
	return i.persistent[request]
}

// arriveLate applies a write after a time, and gives no answer.
func (i *injector) arriveLate(after time.Duration) *awsproxy.Fault {
	return awsproxy.Late(func(apply func()) {
		i.onTheWay.Add(1)
		time.AfterFunc(after, func() {
			defer i.onTheWay.Done()
			apply()
		})
	})
}

// draw draws at most one fault for a call.
func (i *injector) draw(p phase, call awsproxy.Call) *faultKind {
	drawn := i.rng.Float64()
	for _, k := range faultKinds {
		if !k.canMeet(call) || k == unanswered && !isWrite(call) {
			continue
		}
		drawn -= p.rates[k]
		if drawn < 0 {
			return k
		}
	}
	return nil
}

// killIdle kills idle processes of functions at the rates of the phases, until the context ends. It has a random
// source of its own, so that the number of its ticks does not change what calls meet.
func (i *injector) killIdle(ctx context.Context, stack *local.Stack) {
	const tick = 100 * time.Millisecond
	every := time.NewTicker(tick)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-every.C:
			p, _ := i.phase(now)
			if i.idle.Float64() >= p.rates[killedIdle]*tick.Seconds() {
				continue
			}
			lambda := stack.Lambda()
			if served, ok := choose(i.idle, lambda.Invocations()); ok && lambda.KillIdle(served.Function) {
				i.injected.add(injection{now, killedIdle, ""})
			}
		}
	}
}

// newRand returns the random source of one part.
func newRand(seed, part uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, part)) }
