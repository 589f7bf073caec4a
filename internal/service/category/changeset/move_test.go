package changeset

import (
	"slices"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/service/category/tree"
)

// forest has the parent of each category, 0 for none. There is no category 0.
type forest [6]id.ID

// above reports whether a is b or above b. In a circle it stops after six steps, and has not found 0 there.
func (f forest) above(a, b id.ID) bool {
	for range f {
		if b == a || b == 0 {
			break
		}
		b = f[b]
	}
	return a == b
}

// whole reports whether no category is its own ancestor: every one leads to 0.
func (f forest) whole() bool {
	for c := range f {
		if !f.above(0, id.ID(c)) {
			return false
		}
	}
	return true
}

// forests returns all shapes of five categories, each once. It numbers the categories so that each comes after
// its parent.
func forests() (all []forest) {
	seen := map[string]bool{}
	var f forest
	var number func(c id.ID)
	number = func(c id.ID) {
		if int(c) == len(f) {
			if shape := f.shape(0); !seen[shape] {
				seen[shape] = true
				all = append(all, f)
			}
			return
		}
		for f[c] = 0; f[c] < c; f[c]++ {
			number(c + 1)
		}
	}
	number(1)
	return all
}

// shape returns a text for what is below a category, without the numbers of the categories.
func (f forest) shape(c id.ID) string {
	var below []string
	for child := 1; child < len(f); child++ {
		if f[child] == c {
			below = append(below, f.shape(id.ID(child)))
		}
	}
	slices.Sort(below)
	shape := "("
	for _, s := range below {
		shape += s
	}
	return shape + ")"
}

// move is a new parent of a category, with the parents that were read.
type move struct {
	category, parent id.ID
	own              id.ID           // the category's parent, which its version holds
	line             map[id.ID]id.ID // the parents of the line above the new parent
}

// read reads all that a move depends on.
func (f forest) read(category, to id.ID) (m move, refused error) {
	found := func(c id.ID) (tree.Category, bool, error) { return tree.Category{ID: c, Parent: f[c]}, true, nil }
	read, refused, _ := climb(category, to, found)
	m = move{category, to, f[category], map[id.ID]id.ID{}}
	line, _ := read.Line(to)
	for _, c := range line {
		m.line[c] = f[c]
	}
	return m, refused
}

// write writes a move when all that it depends on is still as it was read.
func (f forest) write(m move) (after forest, written bool) {
	if f[m.category] != m.own {
		return f, false
	}
	for c, parent := range m.line {
		if f[c] != parent {
			return f, false
		}
	}
	f[m.category] = m.parent
	return f, true
}

// mixtures returns what reads may have seen while categories moved: for each category, its parent at any of the
// moments. These are more than any order of reads and writes can produce.
func mixtures(history []forest) []forest {
	mixed := []forest{history[0]}
	for _, f := range history[1:] {
		for c, parent := range f {
			for _, m := range mixed {
				if m[c] = parent; !slices.Contains(mixed, m) {
					mixed = append(mixed, m)
				}
			}
		}
	}
	return mixed
}

// TestMovesThatMeetMakeNoCircle is an exhaustive proof for five categories and three moves. Each move works with reads
// that may come from any earlier moment, mixed in any way. No written move may make a circle. A move whose reads are up
// to date must be written, unless it would make a circle.
func TestMovesThatMeetMakeNoCircle(t *testing.T) {
	t.Parallel()
	tried, refused, stale, written := 0, 0, 0, 0
	var explore func(history []forest, moves int)
	explore = func(history []forest, moves int) {
		now := history[len(history)-1]
		for _, read := range mixtures(history) {
			for category := id.ID(1); int(category) < len(now); category++ {
				for parent := range id.ID(len(now)) {
					if parent == category || parent == read[category] {
						continue
					}
					tried++
					m, wrong := read.read(category, parent)
					if wrong != nil {
						refused++
						if read == now && !now.above(category, parent) {
							t.Errorf("%v: %d under %d is refused", now, category, parent)
						}
						continue
					}
					after, ok := now.write(m)
					if !ok {
						stale++
						if read == now {
							t.Errorf("%v: %d under %d is stale", now, category, parent)
						}
						continue
					}
					written++
					if !after.whole() {
						t.Fatalf("%v: %d under %d, by %v", history, category, parent, m.line)
					}
					if moves > 1 {
						explore(append(history[:len(history):len(history)], after), moves-1)
					}
				}
			}
		}
	}
	all := forests()
	if len(all) != 20 { // unlabeled rooted trees with 6 nodes: https://oeis.org/A000081
		t.Errorf("%d forests", len(all))
	}
	for _, f := range all {
		explore([]forest{f}, 3)
	}
	t.Logf("%d moves: %d refused, %d stale, %d written", tried, refused, stale, written)
}

// TestAMoveClimbsUpTo shows where the walk above a new parent ends: at a root, at a category that is gone, at the
// moved category, or at the most levels.
func TestAMoveClimbsUpTo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		category, to id.ID
		levels       int
		want         error
	}{
		"a root":                          {900, 1, 1, nil},
		"the root above":                  {900, 7, 7, nil},
		"one that is gone":                {900, 103, 3, nil},
		"itself":                          {3, 7, 5, errOwnAncestor},
		"the most levels":                 {900, 50, 50, nil},
		"one level more":                  {900, 51, 51, errTooDeep},
		"the most levels, with it on top": {1, 51, 51, errOwnAncestor},
	} {
		// 1 is a root, and each number is below the one before it. 100 is gone.
		read, refused, err := climb(c.category, c.to, func(of id.ID) (tree.Category, bool, error) {
			return tree.Category{ID: of, Parent: of - 1}, of != 100, nil
		})
		line, _ := read.Line(c.to)
		expect.Equal(t, refused, c.want, name)
		expect.Equal(t, err, nil, name)
		expect.Equal(t, len(line), c.levels, name+": levels")
	}
}
