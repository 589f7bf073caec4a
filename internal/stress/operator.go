package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"frontdesk/internal/local"
	"frontdesk/internal/table"
	"frontdesk/internal/user/platformapp"
)

// operator imports, exports and forgets while the clients work, by the functions that the tool's commands call. Its
// calls of the table fail, too, and it is interrupted. It repeats what was not acknowledged.
type operator struct {
	*client // sends the mails that are to be forgotten
	trees   []*importedTree
	persons []*forgottenPerson
}

// newOperator opens the table with a transport whose calls fail as long as the load lasts.
func newOperator(ctx context.Context, c *client, s scenario, stack *local.Stack) (o *operator, err error) {
	cfg := stack.Operator()
	cfg.HTTPClient = &http.Client{Transport: &failing{
		next: http.DefaultTransport, loaded: func() bool { return s.faults.Load().loaded() },
		rng: newRand(c.rng.Uint64(), 0),
	}}
	c.table, err = table.OpenKnown(ctx, cfg, stack.Environ()["TABLE_NAME"])
	if err != nil {
		return nil, err
	}
	may := true
	_, err = platformapp.Store{Table: c.table}.Update(ctx, c.tenant.App.ID, platformapp.Change{MayImportHashes: &may})
	return &operator{client: c}, err
}

// work imports trees and forgets persons, at the same time, until the load ends. Then it finishes what it has begun.
func (o *operator) work(ctx context.Context, end time.Time) {
	var working sync.WaitGroup
	defer working.Wait()
	for time.Now().Before(end) && ctx.Err() == nil {
		tree, person := o.newTree(), o.newPerson()
		o.meet(ctx, person)
		bringing, forgetting := newRand(o.rng.Uint64(), 0), newRand(o.rng.Uint64(), 0)
		working.Go(func() { o.bring(ctx, bringing, tree) })
		working.Go(func() { o.forget(ctx, forgetting, person) })
		o.pause(ctx, operatorPause)
	}
}

// operatorPause is the pause before the next tree and the next person.
const operatorPause = 6 * time.Second

// repeated repeats an action until it is acknowledged. It interrupts the action, at first every other time.
func repeated(ctx context.Context, rng *rand.Rand, do func(context.Context) error) (tries int, err error) {
	for tries = 1; ; tries++ {
		within := time.Hour
		if rng.Float64() < 1/float64(1+tries) {
			within = time.Duration(rng.Int64N(int64(time.Second)))
		}
		trying, cancel := context.WithTimeout(ctx, within)
		err = do(trying)
		cancel()
		if err == nil || ctx.Err() != nil {
			return tries, err
		}
	}
}

// failing is a transport that loses some calls: either the request or the answer.
type failing struct {
	next   http.RoundTripper
	loaded func() bool // whether calls fail now

	mu  sync.Mutex
	rng *rand.Rand
}

// lostShare is the share of the operator's calls that are lost, half of them after they were applied.
const lostShare = 0.06

// RoundTrip loses a call before it is sent, or loses its answer. In both cases the SDK sees a connection that ended,
// and retries.
func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	drawn := f.rng.Float64()
	f.mu.Unlock()
	lost := f.loaded() && drawn < lostShare
	if lost && drawn < lostShare/2 {
		return nil, io.ErrUnexpectedEOF
	}
	response, err := f.next.RoundTrip(r)
	if lost && err == nil {
		response.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return response, err
}
