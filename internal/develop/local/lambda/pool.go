package lambda

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/develop/local/samtemplate"
)

// pool holds the instances of one function. An idle one gets the next event. If all are busy, another is started, which
// is a cold start. If there are as many as allowed, the event waits.
type pool struct {
	config     Config
	function   samtemplate.Function
	slots      chan struct{} // one per running invocation
	background chan struct{} // one per asynchronous invocation that uses a shared process

	mu     sync.Mutex
	idle   []instance       // the one that served last is at the end
	all    map[instance]int // the number of the build that each runs
	build  int              // number of the current build
	closed bool
}

func newPool(c Config, f samtemplate.Function) *pool {
	return &pool{
		config: c, function: f, all: map[instance]int{},
		slots: make(chan struct{}, c.Processes), background: make(chan struct{}, asyncProcesses),
	}
}

// invoke runs one invocation to its end, and describes it. The context limits only the wait for a free process.
func (p *pool) invoke(ctx context.Context, inv *pending) (result []byte, record Invocation, err error) {
	record = Invocation{RequestID: inv.RequestID, Function: p.function.LogicalID, At: time.Now()}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, record, fmt.Errorf("wait for a free process: %w", context.Cause(ctx))
	}
	// An idle process may end at any moment. Then the event goes to the next one, because no process has seen it.
	for {
		began := time.Now()
		process, cold, err := p.acquire()
		if err != nil {
			return nil, record, err
		}
		if cold {
			err = process.init(p.config.InitTimeout)
			record.Cold, record.Init = true, time.Since(began)
		}
		if err == nil {
			before := time.Now()
			result, err = process.invoke(inv)
			record.Duration = time.Since(before)
		}
		p.release(process)
		if errors.Is(err, errGone) {
			// It ended while idle; another process will do.
			continue
		}
		return result, record, err
	}
}

// acquire returns an idle process, or starts one. It prefers the process that served last, as its caches are warm.
func (p *pool) acquire() (_ instance, cold bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, errors.New("the stack is closed")
	}
	if last := len(p.idle) - 1; last >= 0 {
		process := p.idle[last]
		p.idle = p.idle[:last]
		return process, false, nil
	}
	process, err := start(p.config, p.function)
	if err != nil {
		return nil, false, err
	}
	// Under the lock, so that a renewal from now on makes this process an old one.
	p.all[process] = p.build
	go p.reap(process)
	return process, true, nil
}

// release makes an idle process available again. It ends a process that is not idle, because that has lost its
// invocation, and one of an older build.
func (p *pool) release(process instance) {
	if !process.idle() || !p.makeIdle(process) {
		process.kill()
	}
}

// makeIdle reports false for a process of an older build.
func (p *pool) makeIdle(process instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The function was rebuilt while the process was serving.
	if p.all[process] != p.build {
		return false
	}
	p.idle = append(p.idle, process)
	return true
}

// renew ends the processes of the old build: idle ones now, busy ones in release.
func (p *pool) renew() {
	p.mu.Lock()
	p.build++
	old := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, process := range old {
		process.kill()
	}
}

// reap waits until a process has ended, and removes it from the pool.
func (p *pool) reap(process instance) {
	<-process.ended()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, process)
	if i := slices.Index(p.idle, process); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		p.config.Log.Warn("a process ended while it was idle", "function", p.function.LogicalID,
			"exit", process.err().Error())
	}
}

// find returns the pool's process with this session token, or nil.
func (p *pool) find(token string) instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	for process := range p.all {
		if process.token() == token {
			return process
		}
	}
	return nil
}

// killIdle kills the idle process that would be used next. It returns false if there is none.
func (p *pool) killIdle() bool {
	p.mu.Lock()
	idle := slices.Clone(p.idle)
	p.mu.Unlock()
	if len(idle) == 0 {
		return false
	}
	idle[len(idle)-1].kill() // it may get an event at this very moment
	return true
}

// close ends all processes, busy or not, and waits for that.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.idle = nil
	all := slices.Collect(maps.Keys(p.all))
	p.mu.Unlock()
	for _, process := range all {
		process.kill()
	}
}
