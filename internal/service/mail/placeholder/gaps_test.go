package placeholder

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestGapsAreTheNamesThatSomeListsLack: a name that all lists have, or none, is no gap.
func TestGapsAreTheNamesThatSomeListsLack(t *testing.T) {
	for name, c := range map[string]struct {
		lists [][]string
		want  string
	}{
		"no lists":                        {nil, ""},
		"a list alone":                    {[][]string{{"A", "B"}}, ""},
		"lists without names":             {[][]string{nil, nil}, ""},
		"a name that all have":            {[][]string{{"A"}, {"A"}, {"A"}}, ""},
		"names that one has":              {[][]string{{"B", "A"}, nil, {"C"}}, "A[1 2] B[1 2] C[0 1]"},
		"a name that one has not":         {[][]string{{"A"}, nil, {"A"}}, "A[1]"},
		"the same names in another order": {[][]string{{"A", "B"}, {"B", "A"}}, ""},
		"several names and lists":         {[][]string{{"A", "B"}, {"C", "A"}, {"B"}, {"A"}}, "A[2] B[1 3] C[0 2 3]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for name, without := range Gaps(len(c.lists), namesOf(c.lists, new(int))) {
				got = append(got, fmt.Sprint(name, without))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// namesOf yields the names of lists, and counts how many it has yielded.
func namesOf(lists [][]string, given *int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, list := range lists {
			for _, name := range list {
				if *given++; !yield(i, name) {
					return
				}
			}
		}
	}
}

// TestGapsLookAtEachNameOnce: Gaps reads each name once, however many it yields. 30 recipients may have 2,000
// names each.
func TestGapsLookAtEachNameOnce(t *testing.T) {
	const number, names = 30, 2_000
	all := make([][]string, number)
	for i := range number * names {
		all[i%number] = append(all[i%number], fmt.Sprintf("N%05d", i))
	}
	given, listed := 0, 0
	for name, without := range Gaps(number, namesOf(all, &given)) {
		expect.Equal(t, name, fmt.Sprintf("N%05d", listed))
		expect.Equal(t, len(without), number-1)
		expect.Equal(t, slices.Contains(without, listed%number), false, "the list that has "+name+" lacks it")
		if listed++; listed == 20 {
			break
		}
	}
	if given != number*names {
		t.Errorf("%d names were looked at of %d", given, number*names)
	}
}
