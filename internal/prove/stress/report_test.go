package main

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
)

// TestRefusalsThatAreUnconfirmedAreCounted: the log has lines of requests, and of the stack.
func TestRefusalsThatAreUnconfirmedAreCounted(t *testing.T) {
	t.Parallel()
	line := func(cause, said string) string {
		return fmt.Sprintf(`{"level":"ERROR","status":503,"cause":%q,"error":"%s: %s"}`,
			cause, table.ErrUnknown.Message, said)
	}
	var out strings.Builder
	err := printUnconfirmed(&out, strings.NewReader(strings.Join([]string{
		"functions are ready", line(table.Unconfirmed, "taken"), line("", "operation error DynamoDB"),
		line(table.Unconfirmed, "there is no 7"), line(table.Unconfirmed, "there is no 8"),
	}, "\n")))
	expect.Equal(t, err, nil)
	expect.Equal(t, out.String(), "\n3 answers of 503 in place of a refusal, after an attempt without an answer\n"+
		"       2  there is no n\n       1  taken\n")
}
