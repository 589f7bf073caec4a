package placeholder

import (
	"iter"
	"maps"
	"slices"
)

// Gaps finds the names that some lists have and others lack. It yields them in alphabetical order, each with the
// indices of the lists that lack it. The sequence names has the index of a list with each of its names: indices
// ascend, and no list has a name twice. Gaps reads names once and before it yields anything, so its work grows
// linearly with their number.
func Gaps(lists int, names iter.Seq2[int, string]) iter.Seq2[string, []int] {
	having := map[string][]int{} // for each name, the lists that have it
	for list, name := range names {
		having[name] = append(having[name], list)
	}
	maps.DeleteFunc(having, func(_ string, in []int) bool { return len(in) == lists })
	return func(yield func(string, []int) bool) {
		for _, name := range slices.Sorted(maps.Keys(having)) {
			if !yield(name, others(lists, having[name])) {
				return
			}
		}
	}
}

// others returns the numbers from 0 to n-1 that are not in some. some must ascend.
func others(n int, some []int) []int {
	var rest []int
	for i := range n {
		if len(some) > 0 && some[0] == i {
			some = some[1:]
		} else {
			rest = append(rest, i)
		}
	}
	return rest
}
