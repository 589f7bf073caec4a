// Parsers reads texts that strangers and callers may send. It runs in WebAssembly, where package steps counts what that
// takes: each line that it writes is a moment at which the count is read. With the name of a parser it reads texts of
// pairs of pieces, without one it lists the names.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
)

// parser is a way of reading texts.
type parser struct {
	name string
	// size is how many bytes the smaller text of a pair has. What reads a bounded part of a text has a size below it.
	size int
	// pieces are what texts are made of, see [parsePiece].
	pieces []string
	read   func(text string)
	// work returns the size of the work that a text is, and what of the reading is not the parser's own. It is nil if
	// the size is that of the text, and all of the reading is its own. A size of 0 leaves the text out.
	work func(text string) (size int, others func())
}

var parsers = slices.Concat(ofPages, ofMails, ofRequests, planted)

func main() {
	debug.SetGCPercent(-1) // the collector's steps are nobody's
	deepen(10_000)
	for _, p := range parsers {
		switch {
		case len(os.Args) < 2:
			fmt.Println(p.name)
		case p.name == os.Args[1]:
			p.readPairs()
		}
	}
}

// deepen makes the stack as deep as any parser needs it, because to make it deeper takes steps. With the environment
// variable GODEBUG=gcshrinkstackoff=1 it stays so.
func deepen(calls int) int {
	if calls == 0 {
		return 0
	}
	return deepen(calls-1) + 1
}

// readPairs reads two texts of each pair of pieces, and for each of them one that is four times as large.
func (p parser) readPairs() {
	for i, one := range p.pieces {
		for j, other := range p.pieces {
			p.compare(one+" then "+other, func(size int) string {
				return parsePiece(one).repeat(size) + parsePiece(other).repeat(size)
			})
			if i < j {
				p.compare(one+" with "+other, func(size int) string {
					return parsePiece(one).around(parsePiece(other)).repeat(size)
				})
			}
		}
	}
}

func (p parser) compare(name string, text func(size int) string) {
	p.measure(name, text(p.size))
	p.measure(name, text(4*p.size))
}
