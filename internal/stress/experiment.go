package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"frontdesk/internal/local"
)

// plan is what a trial is to be.
type plan struct {
	seed     uint64
	duration time.Duration // of the load
	clients  int
	phases   []phase
}

// settleWithin is how long the clients may take, once nothing fails any more, until every mail with a key has its
// final answer. A request that was killed leaves the key taken until its lease ends, which is half a minute.
const settleWithin = time.Minute

// trial is a load on a running stack, and what became of it.
type trial struct {
	plan
	stack   *local.Stack
	files   *fileServer
	clients []*client
	record  *record
	faults  *faults
	broken  *violations
}

// prepare gives the stack its tenants.
func prepare(ctx context.Context, p plan, stack *local.Stack) (*trial, error) {
	t := &trial{plan: p, stack: stack, record: new(record), broken: new(violations)}
	var err error
	if t.files, err = serveFiles(); err != nil {
		return nil, err
	}
	api := newCaller(stack.URL(), p.clients, t.broken)
	shared := &common{ids: map[string]int64{}}
	var of *tenant
	for i := range p.clients {
		if i%tenantClients == 0 {
			if of, err = provision(ctx, openTable(stack), i/tenantClients); err != nil {
				return nil, fmt.Errorf("provision a tenant: %w", err)
			}
		}
		t.clients = append(t.clients, &client{
			caller: api, number: i + 1, tenant: of, files: t.files, common: shared, rng: newRand(p.seed, uint64(i+1)),
		})
	}
	return t, nil
}

// load lets the clients work while the phases' faults happen.
func (t *trial) load(ctx context.Context) {
	begin := time.Now()
	t.faults = newFaults(t.phases, t.seed, begin, t.duration)
	api := t.clients[0].caller
	api.record, t.clients[0].common.begin = t.record, begin
	t.stack.Gate().Inject(t.faults.pick)

	killing, stop := context.WithCancel(ctx)
	var killer, working sync.WaitGroup
	killer.Go(func() { t.faults.killIdle(killing, t.stack) })
	for _, c := range t.clients {
		working.Go(func() { c.work(ctx, begin.Add(t.duration)) })
	}
	working.Wait()
	stop()
	killer.Wait()
	t.stack.Gate().Inject(nil)
	api.record = nil
}

// settle lets the clients end what they have begun.
func (t *trial) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	var finishing sync.WaitGroup
	for _, c := range t.clients {
		finishing.Go(func() { c.finish(ctx) })
	}
	finishing.Wait()
}
