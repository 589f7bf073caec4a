package requestlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestLinesBelongToTheirRequest shows to which request a line of a function's log belongs: to the one that it names, or
// else to the one that its process was serving.
func TestLinesBelongToTheirRequest(t *testing.T) {
	tests := []struct {
		name, line, serving string
		request             string // empty: none
	}{
		{"a line that names its request", `{"request_id":"a","msg":"x"}`, "", "a"},
		{"a line that names another than is served", `{"request_id":"a"}`, "b", "a"},
		{"a line of no structure", "plain", "b", "b"},
		{"a line about request ids", `the "request_id" is missing`, "b", "b"},
		{"a name of another type", `{"request_id":1}`, "b", "b"},
		{"a name deeper inside", `{"x":{"request_id":"a"}}`, "b", "b"},
		{"a line of nobody", "plain", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var l requestLines
			l.add([]byte(test.line+"\n\n"), test.serving)
			for _, id := range []string{"a", "b", ""} {
				want := []string{}
				if id == test.request && id != "" {
					want = []string{test.line}
				}
				if got := l.linesOf(id); !slices.Equal(got, want) {
					t.Errorf("the lines of %q are %q, want %q", id, got, want)
				}
			}
		})
	}
}

// TestLinesAreBounded shows all limits: requests, bytes of a line, lines of a request, and bytes in all.
func TestLinesAreBounded(t *testing.T) {
	var l requestLines
	for i := range linesRequests + 10 {
		l.add([]byte("line\n"), fmt.Sprint(i))
	}
	expect.Equal(t, len(l.lines), linesRequests)
	expect.Equal(t, len(l.linesOf("9")), 0)
	expect.Equal(t, len(l.linesOf("10")), 1)
	l.add([]byte(strings.Repeat("x", 2*linesLine)+"\n"), "long")
	got := l.linesOf("long")
	expect.Len(t, got, 1, `a long line is not cut: l.of("long")`)
	expect.Equal(t, len(got[0]), linesLine, "a long line is not cut")
	for range linesEach + 1 {
		l.add([]byte("line\n"), "many")
	}
	if got := l.linesOf("many"); len(got) != linesEach {
		t.Errorf("%d lines of one request are kept", len(got))
	}
	// Twice the limit, in requests of 100 lines. The sum shows that the count of bytes has not drifted.
	for i := range 2 * linesBytes / linesLine / 100 {
		l.add([]byte(strings.Repeat(strings.Repeat("x", linesLine)+"\n", 100)), fmt.Sprint("large", i))
	}
	sum := 0
	for _, lines := range l.lines {
		for _, line := range lines {
			sum += len(line)
		}
	}
	if sum != l.bytes || sum > linesBytes {
		t.Errorf("%d bytes are kept and %d counted, want at most %d", sum, l.bytes, linesBytes)
	}
}
