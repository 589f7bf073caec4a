package main

import (
	"context"
	"net/http"
)

var pages = []string{"/docs", "/openapi.json", "/app/login?email=ada%40example.org"}

// readPage fetches one of the pages, which call no service.
func (c *client) readPage(ctx context.Context) {
	path, _ := choose(c.rng, pages)
	of := pageDocs
	if path == pages[2] {
		of = pageLogin
	}
	a := c.do(ctx, request{endpoint: of, method: http.MethodGet, path: path})
	if a.ok() && len(a.body) == 0 {
		c.broken.add("an empty page: %s", path)
	}
}
