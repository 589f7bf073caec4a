package main

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
)

// planted are parsers that are too slow, each in another way: by its own loop, by work that stands in the standard
// library, in the runtime, or in a single instruction. None of them makes more memory than a good one.
var planted = []parser{
	plant("planted: a loop of its own", func(long string, each func(func())) {
		each(func() {
			for _, c := range long {
				if c == 'x' {
					return
				}
			}
		})
	}),
	plant("planted: a search", func(long string, each func(func())) {
		each(func() { find(strings.IndexByte(long, 'x')) })
	}),
	plant("planted: a search from the end", func(long string, each func(func())) {
		each(func() { find(strings.LastIndexByte(long, 'x')) })
	}),
	plant("planted: a comparison", func(long string, each func(func())) {
		other := long[:len(long)-1] + "b"
		each(func() { find(strings.Compare(long, other)) })
	}),
	plant("planted: an equality", func(long string, each func(func())) {
		other := []byte(long)
		each(func() {
			if string(other) == long {
				find(1)
			}
		})
	}),
	plant("planted: a map", func(long string, each func(func())) {
		keys := map[string]bool{}
		for i := range 20 {
			keys[long[i:]] = true
		}
		each(func() {
			if keys[long] {
				find(1)
			}
		})
	}),
	plant("planted: a move within memory", func(long string, each func(func())) {
		all := []byte(long)
		each(func() { copy(all[1:], all) })
	}),
	plant("planted: a clearing", func(long string, each func(func())) {
		all := []byte(long)
		each(func() { clear(all) })
	}),
	plant("planted: an insertion", func(_ string, each func(func())) {
		all := make([]byte, 0, 10_000)
		each(func() { all = slices.Insert(all, 0, 'a') })
	}),
	plant("planted: a count", func(long string, each func(func())) {
		each(func() { find(bytes.Count([]byte(long[:64]), []byte("x")) + strings.Count(long, "x")) })
	}),
}

// found keeps what a parser finds, so that the compiler leaves nothing out.
var found atomic.Int64

func find(n int) { found.Add(int64(n)) }

// plant returns a parser that does something for each of many short pieces behind a long one.
func plant(name string, do func(long string, each func(func()))) parser {
	return parser{name: name, sizes: [2]int{500, 2000}, pieces: []string{"a", "b"}, read: func(text string) {
		long, many := strings.TrimRight(text, "b"), strings.Count(text, "b")
		if long == "" || many == 0 {
			return
		}
		do(long, func(step func()) {
			for range many {
				step()
			}
		})
	}}
}
