package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"
)

// TestSweepReadsWhatItDoesNotLeave shows that Sweep reads each prefix to its end or leaves it, whatever is in between.
// It must give up early if the prefixes are far apart.
func TestSweepReadsWhatItDoesNotLeave(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	type item struct {
		table.Key
		Text string
	}
	var items []any
	var keys []string
	for i := range 1200 {
		for j := range 1 + i%3 { // one to three items per prefix
			k := table.Key{PK: "P", SK: fmt.Sprintf("P#%04d#%d", i, j)}
			// 300 bytes each, so that about 13 items make a unit of 4 KB.
			items, keys = append(items, item{k, strings.Repeat("x", 300)}), append(keys, k.SK)
		}
	}
	if _, err := stack.Table.Batch("PK", "SK").Write().Put(items...).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		n, apart  int // prefixes, and how far from each other
		most, few int // bounds for how many prefixes are left
	}{
		"side by side":       {n: 200, apart: 1},
		"every third one":    {n: 100, apart: 3},
		"far apart":          {n: 30, apart: 40, few: 25, most: 30},
		"many far apart":     {n: 60, apart: 20, few: 50, most: 60},
		"too few to attempt": {n: 9, apart: 1, few: 9, most: 9},
		"none":               {},
	} {
		t.Run(name, func(t *testing.T) {
			var prefixes []string
			for i := range c.n {
				prefixes = append(prefixes, fmt.Sprintf("P#%04d#", i*c.apart))
			}
			var read []string
			visit := func(it item, wanted bool) error {
				if wanted {
					read = append(read, it.SK)
				}
				return nil
			}
			left, err := table.Sweep(t.Context(), stack.Table, "P", prefixes, 2, visit)
			if err != nil {
				t.Fatal(err)
			}
			expect.AtMost(t, "len(left)", len(left), c.most)
			expect.AtLeast(t, "len(left)", len(left), c.few)
			has := func(prefixes []string, key string) bool {
				return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
			}
			// Every item must have been read exactly once, or belong to a prefix that was left.
			for _, key := range keys {
				times := 0
				for _, r := range read {
					if r == key {
						times++
					}
				}
				want := has(prefixes, key) && !has(left, key)
				expect.Equal(t, "has(prefixes, key) && !has(left, key)", want, times == 1)
				expect.AtMost(t, "times", times, 1)
			}
		})
	}
}
