package changeset

import (
	"slices"
	"testing"

	"frontdesk/internal/id"
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

// parent is the parent of a category.
func (f forest) parent(c id.ID) id.ID { return f[c] }

// readMove reads all that a move depends on, first the category and its new parent.
func readMove(category, to id.ID, parent func(id.ID) id.ID) (move, error) {
	m := move{category, to, map[id.ID]id.ID{category: parent(category), to: parent(to)}}
	for {
		unread, err := m.next()
		if err != nil || len(unread) == 0 {
			return m, err
		}
		for _, c := range unread {
			m.parents[c] = parent(c)
		}
	}
}

// write writes a move when all that it depends on is still as it was read.
func (f forest) write(m move) (after forest, written bool) {
	for _, c := range append(m.held(), m.category) {
		if f[c] != m.parents[c] {
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
					m := move{category, parent, map[id.ID]id.ID{category: read[category]}}
					if parent != 0 {
						var err error
						if m, err = readMove(category, parent, read.parent); err != nil {
							refused++
							if read == now && !now.above(category, parent) {
								t.Errorf("%v: %d under %d is refused", now, category, parent)
							}
							continue
						}
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
						t.Fatalf("%v: %d under %d, by %v", history, category, parent, m.parents)
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

// TestWhatAMoveHolds shows that a move holds no more than it depends on. Whatever it holds makes other moves wait.
func TestWhatAMoveHolds(t *testing.T) {
	t.Parallel()
	parent := func(c id.ID) id.ID { // 1 and 301 are roots; below 1 are 101, 102, … and 201, 202, …, each below another
		switch c {
		case 101, 201:
			return 1
		case 301:
			return 0
		}
		return max(c-1, 0)
	}
	sequence := func(from, to id.ID) (ids []id.ID) { // downwards
		for c := from; c >= to; c-- {
			ids = append(ids, c)
		}
		return ids
	}
	for name, c := range map[string]struct {
		category, to id.ID
		want         []id.ID
	}{
		"under a root":                     {105, 1, []id.ID{1}},
		"from one branch to another":       {101, 201, []id.ID{201}},
		"to the next branch":               {102, 201, []id.ID{201, 101}},
		"to another branch, deeper":        {103, 202, []id.ID{202, 201, 102, 101}},
		"up to the grandparent":            {105, 103, []id.ID{104}},
		"a root":                           {301, 202, []id.ID{202, 201, 1}},
		"with 50 held on both sides":       {126, 225, slices.Concat(sequence(225, 201), sequence(125, 101))},
		"with more of them":                {127, 225, append(sequence(225, 201), 1)},
		"a category that is very deep":     {180, 203, append(sequence(203, 201), 1)},
		"one that is as deep as it may be": {150, 201, append([]id.ID{201}, sequence(149, 101)...)},
	} {
		m, err := readMove(c.category, c.to, parent)
		if got := m.held(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %d under %d holds %v, want %v: %v", name, c.category, c.to, got, c.want, err)
		}
	}
}
