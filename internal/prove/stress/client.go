package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/fixture"
)

type object = fixture.Object

// client is one of the clients that use the API at the same time. It makes one request after the other, each drawn by
// lot, and keeps a model of what it has written: whatever was acknowledged has to be there in the end.
type client struct {
	*caller
	number int
	tenant *tenant
	table  table.Table // opened as an operator
	shared *sharedUsers
	rows   []*readingRow
	rng    *rand.Rand
	serial int // counts the names that it has given

	mails      []*mailModel
	readers    []*reader // recipients of its newsletters
	users      []*userModel
	deleted    []*userModel // users that the client has deleted, or whose fate it does not know
	categories []*categoryModel
}

// thinkTime is the mean pause between two requests of a client; a pause is half of it to one and a half.
const thinkTime = 250 * time.Millisecond

// attempts is how often a client sends a request until it is acknowledged.
const attempts = 3

// mix is what clients do, with relative frequencies.
var mix = []struct {
	weight int
	do     func(*client, context.Context)
}{
	{18, (*client).sendMail},
	{4, (*client).sendNewsletter},
	{3, (*client).unsubscribe},
	{1, (*client).listUnsubscribes},
	{3, (*client).showMail},
	{1, (*client).listMails},
	{8, (*client).listCategories},
	{4, (*client).showCategory},
	{4, (*client).readInPublic},
	{8, (*client).createCategory},
	{10, (*client).updateCategory},
	{4, (*client).reorderCategories},
	{7, (*client).deleteCategory},
	{5, (*client).createUser},
	{2, (*client).importUser},
	{2, (*client).createSharedUser},
	{8, (*client).showUser},
	{7, (*client).renameUser},
	{6, (*client).getLoginLink},
	{4, (*client).signInByLink},
	{3, (*client).signInByPassword},
	{2, (*client).changeEmail},
	{1, (*client).changePassword},
	{2, (*client).makeToken},
	{1, (*client).endTokens},
	{2, (*client).listUsers},
	{2, (*client).deleteUser},
	{1, (*client).rotateApp},
	{1, (*client).revokeApp},
	{4, (*client).keepMember},
	{1, (*client).listMembers},
	{1, (*client).revokeGrant},
	{6, (*client).readRow},
}

// work makes requests until the load ends.
func (c *client) work(ctx context.Context, end time.Time) {
	weights := 0
	for _, m := range mix {
		weights += m.weight
	}
	c.pause(ctx, c.upTo(thinkTime)) // clients must not begin in step
	for time.Now().Before(end) && ctx.Err() == nil {
		// A mail whose pause is over goes before anything new.
		if m := c.nextRetry(); m != nil && time.Now().After(m.retryAt) {
			c.send(ctx, m)
		} else {
			drawn := c.rng.IntN(weights)
			for _, m := range mix {
				drawn -= m.weight
				if drawn < 0 {
					m.do(c, ctx)
					break
				}
			}
		}
		c.pause(ctx, thinkTime/2+c.upTo(thinkTime))
	}
}

// finish repeats all mails with an Idempotency-Key until their answers are final, or the context ends.
func (c *client) finish(ctx context.Context) {
	for m := c.nextRetry(); m != nil; m = c.nextRetry() {
		if c.pause(ctx, time.Until(m.retryAt)); ctx.Err() != nil {
			return
		}
		c.send(ctx, m)
	}
}

// pause waits, but not longer than the context lives.
func (c *client) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// upTo draws a time below d.
func (c *client) upTo(d time.Duration) time.Duration { return time.Duration(c.rng.Int64N(int64(d))) }

// chance is true with the given probability.
func (c *client) chance(share float64) bool { return c.rng.Float64() < share }

// name returns a name that no client has used before.
func (c *client) name(kind string) string {
	c.serial++
	return fmt.Sprintf("%s-%d-%d", kind, c.number, c.serial)
}

// choose draws an element of a list; false if the list is empty.
func choose[T any](rng *rand.Rand, list []T) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[rng.IntN(len(list))], true
}
