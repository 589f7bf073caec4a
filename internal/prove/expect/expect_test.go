package expect_test

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
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
	n, list, text := 1, []int{7}, "ab"
	for name, c := range map[string]struct {
		check func(testing.TB)
		want  string // "" where it does not fail
	}{
		"a value":              {func(t testing.TB) { expect.Equal(t, n, 2) }, "n: got 1, want 2"},
		"a value with a name":  {func(t testing.TB) { expect.Equal(t, n, 2, "it") }, "it: n: got 1, want 2"},
		"the same value":       {func(t testing.TB) { expect.Equal(t, n, 1) }, ""},
		"a text is no number":  {func(t testing.TB) { expect.Equal[any](t, "1", n) }, `"1": got "1", want 1`},
		"an empty list is nil": {func(t testing.TB) { expect.Equal(t, []int{}, nil) }, ""},
		"a time in another zone": {
			func(t testing.TB) { expect.Equal(t, at, at.In(time.FixedZone("", 3600))) }, "",
		},
		"another value":        {func(t testing.TB) { expect.Not(t, n, 2) }, ""},
		"not another value":    {func(t testing.TB) { expect.Not(t, n, 1) }, "n: got 1, want another"},
		"a list of its length": {func(t testing.TB) { expect.Len(t, list, 1) }, ""},
		"a list of another":    {func(t testing.TB) { expect.Len(t, list, 2) }, "list: got 1, want 2: [7]"},
		"at the lower bound":   {func(t testing.TB) { expect.AtLeast(t, n, 1) }, ""},
		"below it":             {func(t testing.TB) { expect.AtLeast(t, n, 2) }, "n: got 1, want at least 2"},
		"at the upper bound":   {func(t testing.TB) { expect.AtMost(t, n, 1) }, ""},
		"above it":             {func(t testing.TB) { expect.AtMost(t, n, 0) }, "n: got 1, want at most 0"},
		"a part":               {func(t testing.TB) { expect.Contains(t, text, "b") }, ""},
		"without it": {
			func(t testing.TB) { expect.Contains(t, text, "c") }, `text: got "ab", want "c" in it`,
		},
		"an unwanted part": {
			func(t testing.TB) { expect.Lacks(t, text, "b") }, `text: got "ab", want no "b" in it`,
		},
		"without an unwanted": {func(t testing.TB) { expect.Lacks(t, text, "c") }, ""},
		"a beginning":         {func(t testing.TB) { expect.HasPrefix(t, text, "a") }, ""},
		"another beginning": {
			func(t testing.TB) { expect.HasPrefix(t, text, "b") }, `text: got "ab", want "b" at its beginning`,
		},
		"an end":      {func(t testing.TB) { expect.HasSuffix(t, text, "b") }, ""},
		"another end": {func(t testing.TB) { expect.HasSuffix(t, text, "a") }, `text: got "ab", want "a" at its end`},
		"an expression on several lines": {
			func(t testing.TB) {
				expect.Equal(t, fmt.Sprint(
					n, text), "")
			}, `fmt.Sprint( n, text): got "1ab", want ""`,
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
