package main

import (
	"context"
	"fmt"
	"net/http"
)

// readInPublic reads a portal without credentials, possibly as it was a minute ago, and follows one link of a
// category. The link's target must exist, unless its deletion has begun.
func (c *client) readInPublic(ctx context.Context) {
	portal := c.tenant.Portal
	query := fmt.Sprintf("?limit=%d", 10+c.rng.IntN(40))
	a := c.do(ctx, request{endpoint: publicList, values: []any{portal}, query: query})
	if !a.ok() {
		return
	}
	one, ok := choose(c.rng, payload[[]categoryView](a))
	if !ok {
		return
	}
	c.do(ctx, request{endpoint: publicShow, values: []any{portal, one.Slug}})
	to, ok := choose(c.rng, one.links())
	if !ok {
		return
	}
	target := c.do(ctx, request{
		endpoint: categoryShow, values: []any{portal, to}, token: c.tenant.AgentToken,
		also: []int{http.StatusNotFound},
	})
	if target.status == http.StatusNotFound && !c.tenant.targets.isRetired(to) {
		c.violations.add("category %d links to %d, which nobody has deleted, and which is not there", one.ID, to)
	}
}
