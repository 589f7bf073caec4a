package main

import "fmt"

// looksLinear reports whether a small text grows at no more cost than it grew before. A cost that grows faster than the
// text does so in a small text, too, but for one that begins with a certain size.
func (p parser) looksLinear(empty cost, text func(size int) string) bool {
	eighth := p.sizes[1] / 8
	small := p.cost(text(eighth))
	grown := small.minus(empty)
	for _, eighths := range []int{2, 3} {
		large := p.cost(text(eighths * eighth))
		grows := large.minus(small)
		// The same work differs by a hundredth, and buffers grow in jumps.
		if grows.steps <= grown.steps+large.steps/100 && float64(grows.bytes) <= 1.4*float64(grown.bytes) {
			return true
		}
		small, grown = large, grows
	}
	return false
}

// reading is what of the cost of a text is the parser's own.
type reading struct {
	cost
	size   int
	others int // steps of the same reading that are not the parser's own
}

func (p parser) reading(text string) reading {
	if p.others == nil {
		return reading{cost: p.cost(text), size: len(text)}
	}
	var size func() int
	others := costOf(func() { size = p.others(text) })
	return reading{cost: p.cost(text).minus(others), size: size(), others: others.steps}
}

// maxKept is how many bytes of memory a larger text may leave in the pools of regular expressions and the like.
const maxKept = 8 << 10

// compare returns what is found when a larger text takes more than as many times the cost as it is larger. The less it
// lets pass, the smaller the texts may be in which it finds the same.
func compare(small, large reading) (found []string) {
	if small.size == 0 || large.size == 0 {
		return nil
	}
	times := float64(large.size) / float64(small.size)
	// Twice the same work differs by some hundredths, by where the runtime finds memory.
	if float64(large.steps) > 1.12*times*float64(small.steps)+float64(large.others)/10 {
		found = append(found, fmt.Sprintf("%d steps for a size of %d, and %d for one of %d",
			small.steps, small.size, large.steps, large.size))
	}
	if float64(large.bytes) > 2*times*float64(small.bytes)+maxKept { // buffers grow in jumps
		found = append(found, fmt.Sprintf("%d bytes of memory for a size of %d, and %d for one of %d",
			small.bytes, small.size, large.bytes, large.size))
	}
	return found
}
