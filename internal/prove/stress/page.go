package main

import "context"

// pages are the pages and documents that clients read without a token.
var pages = []struct {
	endpoint *endpoint
	path     string
}{{pageDocs, "/docs"}, {pageDocs, "/openapi.json"}, {pageLogin, "/app/login?email=ada%40example.org"}}

// readPage fetches one of the pages. They call no service.
func (c *client) readPage(ctx context.Context) {
	page, _ := choose(c.rng, pages)
	if a := c.do(ctx, request{endpoint: page.endpoint, path: page.path}); a.ok() && len(a.body) == 0 {
		c.violations.add("an empty page: %s", page.path)
	}
}
