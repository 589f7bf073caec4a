// Parsers reads texts that strangers and callers may send. It runs in WebAssembly, where package steps counts what that
// takes. With the name of a parser it reads texts of pairs of pieces, and writes a line for each that takes too much.
// Without one it lists the names.
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
	// sizes are how many bytes the smaller and the larger text have. What reads a bounded part of a text has sizes
	// below it. The smaller is as large as what the parser treats in the way of long texts, such as a long line.
	// Most texts are read at eighths of the larger alone, see [parser.looksLinear].
	sizes [2]int
	// pieces are what texts are made of, see [parsePiece].
	pieces []string
	read   func(text string)
	// others does what of the reading is not the parser's own, and returns what tells the size of the work that is. It
	// is nil if all of the reading is the parser's own, and its size that of the text. A size of 0 leaves the text out.
	others func(text string) (size func() int)
}

var parsers = slices.Concat(ofPages, ofMails, ofRequests, planted)

func main() {
	debug.SetGCPercent(-1) // the collector's steps are nobody's
	deepen(5000)
	for _, p := range parsers {
		switch {
		case len(os.Args) < 2:
			fmt.Println(p.name)
		case p.name == os.Args[1]:
			p.readPairs()
		}
	}
}

// deepen makes the stack as deep as any parser needs it, 1 KiB for each call, because to make it deeper takes steps.
// With the environment variable GODEBUG=gcshrinkstackoff=1 it stays so.
func deepen(calls int) byte {
	var frame [1 << 10]byte
	if calls > 0 {
		frame[calls%len(frame)] = deepen(calls - 1)
	}
	return frame[0]
}

// readPairs reads texts of each pair of pieces.
func (p parser) readPairs() {
	p.read("") // what is made once is made
	empty := p.cost("")
	for i, one := range p.pieces {
		for j, other := range p.pieces {
			p.judge(empty, one+" then "+other, i == j, func(size int) string {
				return parsePiece(one).repeat(size) + parsePiece(other).repeat(size)
			})
			if i < j {
				p.judge(empty, one+" with "+other, false, parsePiece(one).around(parsePiece(other)).repeat)
			}
		}
	}
}

// judge writes what is found in a text. Few texts are read at their own sizes, because that takes the most: those of a
// single piece, and those that do not look linear while they are small.
func (p parser) judge(empty cost, name string, single bool, text func(size int) string) {
	if !single && p.looksLinear(empty, text) {
		return
	}
	read := func() []string { return compare(p.reading(text(p.sizes[0])), p.reading(text(p.sizes[1]))) }
	if len(read()) == 0 {
		return
	}
	for _, found := range read() { // again, because what a pool keeps is made the first time
		fmt.Printf("%q: %s\n", name, found)
	}
}
