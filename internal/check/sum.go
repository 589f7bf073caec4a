package check

import (
	"cmp"
	"slices"
)

// statement is what the items of a page together state of one fact, in 16 bytes.
type statement struct {
	Fact   uint64
	Weight int32
	Page   uint32 // index of the page
}

// sum collects the statements of all pages. All statements of a fact are in the same part, so the parts are sorted one
// at a time.
type sum struct {
	parts [256][]statement
	below []edge
}

// add adds the statements of a page.
func (s *sum) add(said []statement, below []edge) {
	for _, st := range said {
		part := &s.parts[st.Fact>>56]
		*part = append(*part, st)
	}
	s.below = append(s.below, below...)
}

// broken returns the statements that nothing agrees with, and the pages that made them.
func (s *sum) broken() (facts map[uint64]bool, pages map[uint32]bool) {
	facts, pages = map[uint64]bool{}, map[uint32]bool{}
	for i := range s.parts {
		said := s.parts[i]
		s.parts[i] = nil
		slices.SortFunc(said, func(a, b statement) int { return cmp.Compare(a.Fact, b.Fact) })
		for len(said) > 0 {
			end := 1
			for end < len(said) && said[end].Fact == said[0].Fact {
				end++
			}
			if !agree(said[:end]) {
				facts[said[0].Fact] = true
				for _, st := range said[:end] {
					pages[st.Page] = true
				}
			}
			said = said[end:]
		}
	}
	for _, e := range circles(s.below) {
		facts[e.Child], pages[e.Page] = true, true
	}
	return facts, pages
}

// agree reports whether the statements of all pages about one fact fit together. An item that exists satisfies all who
// need it.
func agree(said []statement) bool {
	total, isNeeded := int64(0), false
	for _, st := range said {
		switch st.Weight {
		case there:
			return true
		case needed:
			isNeeded = true
		default:
			total += int64(st.Weight)
		}
	}
	return !isNeeded && total == 0
}

// circles returns one edge of each cycle. It walks from each edge towards the root, and stops at an edge that it has
// visited. If that was in the same walk, the walk has closed a cycle.
func circles(edges []edge) (closed []edge) {
	byChild := func(e edge, child uint64) int { return cmp.Compare(e.Child, child) }
	slices.SortFunc(edges, func(a, b edge) int { return byChild(a, b.Child) })
	from := make([]int32, len(edges)) // the walk that first reached an edge, counted from 1; 0 if none did
	for start := range edges {
		for at, found := start, true; found; at, found = slices.BinarySearchFunc(edges, edges[at].Parent, byChild) {
			if from[at] == int32(start+1) {
				closed = append(closed, edges[at])
			}
			if from[at] != 0 {
				break
			}
			from[at] = int32(start + 1)
		}
	}
	return closed
}
