package commandline

import (
	"strings"
	"testing"
	"time"
)

// TestProgress: a line has the rate of this run, and the time that the rest takes at this rate. A table that grew
// while it was read has more items than expected, and then no time to go.
func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		progress Progress
		done     int64
		in       time.Duration
		want     string
	}{
		"of a table of unknown size": {
			Progress{What: "items", Done: 3000}, 3000, 2 * time.Second, "3000 items, 1500/s",
		},
		"with a time to go": {
			Progress{What: "items", Done: 1000, Total: 10_000}, 1000, 10 * time.Second,
			"1000 of about 10000 items, 100/s, 1m30s to go",
		},
		"after one that was interrupted": {
			Progress{What: "items", Done: 9000, Total: 10_000}, 1000, 10 * time.Second,
			"9000 of about 10000 items, 100/s, 10s to go",
		},
		"of a table that has grown": {
			Progress{What: "items", Done: 11_000, Total: 10_000}, 11_000, 10 * time.Second,
			"11000 of about 10000 items, 1100/s",
		},
		"of the second reading": {
			Progress{What: "suspect pages", Done: 1, Total: 3}, 1, time.Second,
			"1 of about 3 suspect pages, 1/s, 2s to go",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(c.progress, c.done, c.in); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestProgressIsALineEveryFewSeconds, however often Show is called.
func TestProgressIsALineEveryFewSeconds(t *testing.T) {
	var out strings.Builder
	p := NewProgressLines(&out)
	for n := range int64(100) {
		p.Show(Progress{What: "items", Done: n, Total: 1000})
	}
	if out.Len() > 0 {
		t.Errorf("printed %q at once", out.String())
	}
	// Instead of waiting, the test lets the last line be older.
	p.last, p.since = p.last.Add(-progressEvery), p.since.Add(-progressEvery)
	for n := range int64(100) {
		p.Show(Progress{What: "items", Done: 100 + n, Total: 1000})
	}
	const want = "100 of about 1000 items, 33/s, 27s to go\n"
	if out.String() != want {
		t.Errorf("printed %q", out.String())
	}
}
