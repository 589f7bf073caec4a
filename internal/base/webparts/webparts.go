// Package webparts has the pieces of pages that show mails: their look, and modules of JavaScript that make elements.
// The console of the local stack and the page of mails are made of them, and serve them beside files of their own.
package webparts

import "embed"

// Files are the style sheets and the modules, which name each other by relative addresses.
//
//go:embed *.css *.js
var Files embed.FS
