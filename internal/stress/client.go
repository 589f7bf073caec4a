package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// client is one of those that use the API at the same time. It does one thing after the other, each drawn by lot,
// and remembers what it was told: what it wrote and was acknowledged is to be there in the end.
type client struct {
	*caller
	number int
	tenant *tenant
	files  *fileServer
	common *common
	rng    *rand.Rand
	serial int // of what it has named

	letters    []*letter
	people     []*person
	categories []*shelved
}

// think is how long a client pauses between two requests: from half of it to one and a half.
const think = 250 * time.Millisecond

// mix is what clients do, and how often.
var mix = []struct {
	weight int
	do     func(*client, context.Context)
}{
	{18, (*client).sendMail},
	{8, (*client).listCategories},
	{8, (*client).createCategory},
	{10, (*client).updateCategory},
	{7, (*client).deleteCategory},
	{5, (*client).createPerson},
	{2, (*client).createCommonPerson},
	{8, (*client).showPerson},
	{7, (*client).renamePerson},
	{6, (*client).getLoginLink},
	{4, (*client).signInByLink},
	{3, (*client).signInByPassword},
	{3, (*client).readPage},
}

// work does things until the load ends.
func (c *client) work(ctx context.Context, end time.Time) {
	weights := 0
	for _, m := range mix {
		weights += m.weight
	}
	c.pause(ctx, c.upTo(think)) // so that they do not begin in step
	for time.Now().Before(end) && ctx.Err() == nil {
		if !c.resendDue(ctx) {
			drawn := c.rng.IntN(weights)
			for _, m := range mix {
				if drawn -= m.weight; drawn < 0 {
					m.do(c, ctx)
					break
				}
			}
		}
		c.pause(ctx, think/2+c.upTo(think))
	}
}

// pause waits, until the context ends at the longest.
func (c *client) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// upTo draws a time.
func (c *client) upTo(d time.Duration) time.Duration { return time.Duration(c.rng.Int64N(int64(d))) }

// chance is true in that share of the cases.
func (c *client) chance(share float64) bool { return c.rng.Float64() < share }

// name is a name that nobody else uses.
func (c *client) name(kind string) string {
	c.serial++
	return fmt.Sprintf("%s-%d-%d", kind, c.number, c.serial)
}

// choose draws one of several; false if there is none.
func choose[T any](rng *rand.Rand, list []T) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[rng.IntN(len(list))], true
}

// tries is how often a client sends a request that is not acknowledged.
const tries = 3
