package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user/platformapp"
)

// scenario is the configuration of an experiment.
type scenario struct {
	seed     uint64
	duration time.Duration // of the load
	clients  int
	phases   []phase
	faults   *atomic.Pointer[injector] // the injector of the load, once it has begun
}

// contention returns the contention of the database, which is active when the load wants it.
func (s scenario) contention() *contention.Config {
	c := contention.AWS()
	c.Seed = s.seed
	c.Active = func() bool {
		i := s.faults.Load()
		return i != nil && i.contended()
	}
	return c
}

// settleWithin is the time after the faults in which every mail with a key has to get its final answer. A killed
// request leaves its key taken until the lease ends, after half a minute.
const settleWithin = time.Minute

// experiment is a load on a running stack, with everything that its clients know.
type experiment struct {
	scenario
	stack      *local.Stack
	table      table.Table // opened as an operator
	api        *caller
	shared     *sharedUsers
	rows       []*readingRow
	clients    []*client // those of a tenant stand together
	operator   *operator
	injector   *injector
	history    *history
	violations *violations
	ends       []func() // close what it has opened
}

// tenant is shared by a few clients, so that they contend for the same items.
type tenant struct {
	fixture.Tenant
	daily   int // the mail key's daily quota, in recipients
	targets linkTargets
}

// publish makes the tenant's categories public.
func (t *tenant) publish(ctx context.Context, in table.Table) error {
	public := true
	p := portal.Portal{Account: t.Portal.Account, Slug: t.Portal.Slug}
	_, err := portal.Store{Table: in}.Update(ctx, p, &public)
	return err
}

// tenantClients is how many clients share a tenant.
const tenantClients = 8

const (
	// wideQuota is more than a tenant's clients can use.
	wideQuota = 1_000_000
	// narrowQuota is less than they use. The first tenant has it, and a key that redirects its mails.
	narrowQuota = 2_000
)

// mayImport lets the tenants' apps create users with hashes of other programs.
var mayImport = true

// newExperiment creates the tenants, and serves the files that mails attach. Even with an error, the experiment has to
// be closed.
func newExperiment(ctx context.Context, s scenario, stack *local.Stack) (*experiment, error) {
	calm, end := fixture.OperatorConfig(stack, func(awsproxy.Call) *awsproxy.Fault { return nil })
	e := &experiment{
		scenario: s, stack: stack, table: table.Open(calm, stack.Environ()["TABLE_NAME"]),
		shared: new(sharedUsers), history: new(history), violations: new(violations),
	}
	e.api = newCaller(stack.Network(), stack.URL(), s.clients, e.violations)
	e.ends = append(e.ends, end, e.api.http.CloseIdleConnections)
	stack.Handle("GET "+attachmentsPath+"{lines}/{name}", http.HandlerFunc(serveAttachment))
	var err error
	e.rows, err = prepareRows(ctx, fixture.Of(stack, e.table))
	if err != nil {
		return e, err
	}
	var t *tenant
	for i := range s.clients {
		if i%tenantClients == 0 {
			t = &tenant{daily: wideQuota}
			if i == 0 {
				t.daily = narrowQuota
			}
			t.Tenant, err = fixture.Provision(ctx, e.table, i/tenantClients, t.daily)
			if err != nil {
				return e, fmt.Errorf("provision a tenant: %w", err)
			}
			if i == 0 {
				if err := t.redirect(ctx, e.table); err != nil {
					return e, err
				}
			}
			if err := t.publish(ctx, e.table); err != nil {
				return e, fmt.Errorf("make a portal public: %w", err)
			}
			if err := t.grant(ctx, e.table); err != nil {
				return e, err
			}
			may := platformapp.Change{MayImportHashes: &mayImport}
			if _, err := (platformapp.Store{Table: e.table}).Update(ctx, t.App.ID, may); err != nil {
				return e, fmt.Errorf("let an app import hashes: %w", err)
			}
		}
		e.clients = append(e.clients, &client{
			caller: e.api, number: i + 1, tenant: t, table: e.table, shared: e.shared,
			rows: e.rows, rng: newRand(s.seed, uint64(i+1)),
		})
	}
	working := &client{
		caller: e.api, number: s.clients + 1, tenant: t, shared: e.shared, rng: newRand(s.seed, uint64(s.clients+1)),
	}
	lossy, end := fixture.OperatorConfig(stack, s.callLosses(newRand(working.rng.Uint64(), 0)))
	e.ends = append(e.ends, end)
	e.operator, err = newOperator(ctx, working, lossy, stack.Environ()["TABLE_NAME"])
	return e, err
}

// close ends what the experiment has opened.
func (e *experiment) close() {
	for _, end := range e.ends {
		end()
	}
}

// mailers returns everybody who sends mails.
func (e *experiment) mailers() []*client { return append(slices.Clone(e.clients), e.operator.client) }

// load lets the clients work while the faults of the phases happen.
func (e *experiment) load(ctx context.Context) {
	begin := time.Now()
	e.injector = newInjector(e.phases, e.seed, begin, e.duration)
	e.faults.Store(e.injector)
	e.api.history, e.shared.begin = e.history, begin
	e.stack.AWSProxy().Inject(e.injector.inject)

	// Idle processes are killed only while the clients work: afterwards the operator has to finish undisturbed.
	killing, stop := context.WithCancel(ctx)
	var killer, working, operating sync.WaitGroup
	killer.Go(func() { e.injector.killIdle(killing, e.stack) })
	for _, c := range e.clients {
		working.Go(func() { c.work(ctx, begin.Add(e.duration)) })
	}
	operating.Go(func() { e.operator.work(ctx, begin.Add(e.duration)) })
	working.Wait()
	stop()
	killer.Wait()
	e.stack.AWSProxy().Inject(nil)
	operating.Wait()
	// A late write may still arrive. The oracles must not look before.
	e.injector.onTheWay.Wait()
	e.api.history = nil
}

// settle lets the clients finish what they have begun.
func (e *experiment) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	var finishing sync.WaitGroup
	for _, c := range e.mailers() {
		finishing.Go(func() { c.finish(ctx) })
	}
	finishing.Wait()
}
