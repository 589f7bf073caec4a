package bootstraps

import (
	"testing"

	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestEveryEndpointAnswers sends one good request of each endpoint, and an event to each function that has none. The
// function answers, and logs the request: so its main runs what the template says, which finds its variables and
// understands its events.
func TestEveryEndpointAnswers(t *testing.T) {
	t.Parallel()
	s, seen, requests := start(t), map[string]bool{}, []string{}
	for _, r := range fixture.Requests {
		endpoint := r.Function + " " + r.Operation
		if seen[endpoint] {
			continue
		}
		seen[endpoint] = true
		t.Run(endpoint, func(t *testing.T) {
			sent := s.NewClient(t).Prepared(r)
			a := s.Send(t, r, sent, nil)
			if err := sent.Done(a); a.Status != r.Good() || err != nil {
				t.Errorf("answer %d %.500s: %v", a.Status, a.Raw, err)
			}
			if r.Operation != "" {
				requests = append(requests, a.RequestID)
			}
		})
	}
	for _, id := range requests {
		localtest.WaitLog(t, s.Stack.Stack, `"request_id":"`+id)
	}
}
