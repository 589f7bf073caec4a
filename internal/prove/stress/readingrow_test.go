package main

import (
	"fmt"
	"net/http"
	"testing"

	"frontdesk/internal/prove/fixture"
)

// TestRowsThatAreAnsweredWrong: the oracle finds an answer that differs from the others, and one that is not right.
func TestRowsThatAreAnsweredWrong(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		bodies    []string
		confirmed int
		said      string
	}{
		"the same answers are right":   {[]string{`{"id":1}`, `{"id":1}`}, 1, ""},
		"no answer proves nothing":     {nil, 0, ""},
		"another answer is found":      {[]string{`{"id":1}`, `{"id":1,"name":"x"}`}, 0, "2 different answers"},
		"a wrong answer is found":      {[]string{`{"id":2}`}, 0, "the id is 2"},
		"an answer without an id, too": {[]string{`<html>`}, 0, "the id is <nil>"},
	} {
		t.Run(rule, func(t *testing.T) {
			done := func(answers ...fixture.Answer) error {
				if id := answers[0].Body["id"]; id != 1.0 {
					return fmt.Errorf("the id is %v", id)
				}
				return nil
			}
			r := &readingRow{sent: fixture.Sent{Done: done}, answers: map[string]answer{}}
			for _, body := range c.bodies {
				r.keep(answer{status: http.StatusOK, body: []byte(body)})
			}
			o := &oracle{experiment: &experiment{rows: []*readingRow{r}, violations: new(violations)}}
			o.checkRows()
			o.violations.want(t, c.said)
			if o.confirmed.rows != c.confirmed {
				t.Errorf("%d rows are confirmed, want %d", o.confirmed.rows, c.confirmed)
			}
		})
	}
}
