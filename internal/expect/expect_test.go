package expect_test

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/expect"
)

// recorder keeps what a check says when it fails.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.said = fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.said = fmt.Sprintf(format, args...) }

func TestAFailureSaysWhatWasSeenAndWanted(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		check func(testing.TB)
		want  string // "" where it does not fail
	}{
		"a value":             {func(t testing.TB) { expect.Equal(t, "n", 1, 2) }, "n: got 1, want 2"},
		"the same value":      {func(t testing.TB) { expect.Equal(t, "n", 1, 1) }, ""},
		"a text is no number": {func(t testing.TB) { expect.Equal[any](t, "n", "1", 1) }, `n: got "1", want 1`},
		"an empty list is nil": {
			func(t testing.TB) { expect.Equal(t, "list", []int{}, nil) }, "",
		},
		"a time in another zone": {
			func(t testing.TB) { expect.Equal(t, "at", at, at.In(time.FixedZone("", 3600))) }, "",
		},
		"another value":        {func(t testing.TB) { expect.Not(t, "n", 1, 2) }, ""},
		"not another value":    {func(t testing.TB) { expect.Not(t, "n", 1, 1) }, "n: got 1, want another"},
		"a list of its length": {func(t testing.TB) { expect.Len(t, "list", []int{7}, 1) }, ""},
		"a list of another": {
			func(t testing.TB) { expect.Len(t, "list", []int{7}, 2) }, "list: got 1, want 2: [7]",
		},
		"at the lower bound": {func(t testing.TB) { expect.AtLeast(t, "n", 1, 1) }, ""},
		"below it": {
			func(t testing.TB) { expect.AtLeast(t, "n", 0, 1) }, "n: got 0, want at least 1",
		},
		"at the upper bound": {func(t testing.TB) { expect.AtMost(t, "n", 1, 1) }, ""},
		"above it": {
			func(t testing.TB) { expect.AtMost(t, "n", 2, 1) }, "n: got 2, want at most 1",
		},
		"a part": {func(t testing.TB) { expect.Contains(t, "text", "abc", "b") }, ""},
		"without it": {
			func(t testing.TB) { expect.Contains(t, "text", "a", "b") }, `text: got "a", want "b" in it`,
		},
		"an unwanted part": {
			func(t testing.TB) { expect.Lacks(t, "text", "ab", "b") }, `text: got "ab", want no "b" in it`,
		},
		"without an unwanted": {func(t testing.TB) { expect.Lacks(t, "text", "a", "b") }, ""},
		"a beginning":         {func(t testing.TB) { expect.HasPrefix(t, "text", "ab", "a") }, ""},
		"another beginning": {
			func(t testing.TB) { expect.HasPrefix(t, "text", "a", "b") }, `text: got "a", want "b" at its beginning`,
		},
		"an end": {func(t testing.TB) { expect.HasSuffix(t, "text", "ab", "b") }, ""},
		"another end": {
			func(t testing.TB) { expect.HasSuffix(t, "text", "a", "b") }, `text: got "a", want "b" at its end`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			c.check(r)
			if r.said != c.want {
				t.Errorf("it said %q, want %q", r.said, c.want)
			}
		})
	}
}
