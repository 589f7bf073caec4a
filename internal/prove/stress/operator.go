package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// operator imports, exports and forgets while the clients work, by the functions that the tool's commands call. Its
// calls of the table fail, too, and it is interrupted. It repeats what was not acknowledged.
type operator struct {
	*client // sends the mails that are to be forgotten
	trees   []*importedTree
	persons []*forgottenPerson
}

// newOperator opens the table by a configuration whose calls fail as long as the load lasts.
func newOperator(ctx context.Context, c *client, lossy aws.Config, name string) (o *operator, err error) {
	c.table, err = table.OpenKnown(ctx, lossy, name)
	if err != nil {
		return nil, err
	}
	return &operator{client: c}, nil
}

// work imports trees and forgets persons, at the same time, until the load ends. Then it finishes what it has begun.
func (o *operator) work(ctx context.Context, end time.Time) {
	var working sync.WaitGroup
	defer working.Wait()
	for time.Now().Before(end) && ctx.Err() == nil {
		tree, person := o.newTree(), o.newPerson()
		o.createPerson(ctx, person)
		bringing, forgetting := newRand(o.rng.Uint64(), 0), newRand(o.rng.Uint64(), 0)
		working.Go(func() { o.importTree(ctx, bringing, tree) })
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

// lostShare is the share of the operator's calls that are lost, half of them after they were applied.
const lostShare = 0.06

// callLosses returns the faults by which some of the operator's calls are lost as long as the load lasts: either the
// call or its answer.
func (s scenario) callLosses(rng *rand.Rand) func(awsproxy.Call) *awsproxy.Fault {
	var mu sync.Mutex
	return func(awsproxy.Call) *awsproxy.Fault {
		mu.Lock()
		drawn := rng.Float64()
		mu.Unlock()
		switch {
		case !s.faults.Load().loaded():
			return nil
		case drawn < lostShare/2:
			return awsproxy.CutBefore
		case drawn < lostShare:
			return awsproxy.CutAfter
		}
		return nil
	}
}
