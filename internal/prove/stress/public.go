package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// readInPublic reads a portal without credentials, possibly as it was a minute ago, and follows one link of a
// category. The link's target must exist, unless its deletion has begun.
func (c *client) readInPublic(ctx context.Context) {
	path := "/public" + c.tenant.Categories()
	a := c.do(ctx, request{endpoint: publicList, path: fmt.Sprintf("%s?limit=%d", path, 10+c.rng.IntN(40))})
	if !a.ok() {
		return
	}
	one, ok := choose(c.rng, payload[[]categoryView](a))
	if !ok {
		return
	}
	c.do(ctx, request{endpoint: publicShow, path: path + "/" + url.PathEscape(one.Slug)})
	to, ok := choose(c.rng, one.links())
	if !ok {
		return
	}
	target := c.do(ctx, request{
		endpoint: categoryShow, path: fmt.Sprintf("%s/%d", c.tenant.Categories(), to), token: c.tenant.AgentToken,
		also: []int{http.StatusNotFound},
	})
	if target.status == http.StatusNotFound && !c.tenant.targets.isRetired(to) {
		c.violations.add("category %d links to %d, which nobody has deleted, and which is not there", one.ID, to)
	}
}
