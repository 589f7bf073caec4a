package matrix

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// theTableIsGone: DynamoDB answers to every call that there is no such table. The client learns that the server is
// at fault, and nothing else. The operator's log has the reason. When the table is back, the request succeeds.
func theTableIsGone(t testing.TB, s *fixture.Stack) {
	var told told
	each(rows(), func(r fixture.Request) {
		c := s.NewClient(t)
		sent := c.Prepared(r)
		var refused atomic.Int64
		a := s.Send(t, r, sent, func(call awsproxy.Call) *awsproxy.Fault {
			if call.Service != "dynamodb" {
				return nil
			}
			refused.Add(1)
			return awsproxy.Refuse(http.StatusBadRequest, "ResourceNotFoundException", "Requested resource not found")
		})
		if refused.Load() == 0 {
			if err := sent.Done(a); len(r.Rounds) > 0 || a.Status != r.Good() || err != nil {
				t.Errorf("%s: answer %d %.300s without a call: %v", r, a.Status, a.Raw, err)
			}
			return
		}
		if a.Status != http.StatusInternalServerError {
			t.Errorf("%s: answer %d %.300s, want 500", r, a.Status, a.Raw)
		}
		if r.Operation == "" { // Lambda logs the error of an event's function
			expect.Contains(t, a.Raw, "ResourceNotFoundException", r.String())
		} else {
			told.compare(t, r, a)
			logged := localtest.WaitLog(t, s.Stack, a.RequestID)
			expect.Contains(t, logged, "ResourceNotFoundException", r.String())
			expect.Contains(t, logged, `"level":"ERROR"`, r.String())
		}
		a = s.Send(t, r, sent, nil)
		if err := sent.Done(a); a.Status != r.Good() || err != nil {
			t.Errorf("%s, when the table is back: answer %d %.300s: %v", r, a.Status, a.Raw, err)
		}
	})
}

// told compares what clients are told.
type told struct {
	mu    sync.Mutex
	first map[string]string // by the form of the answer
}

// compare compares an answer with others of its form: most endpoints answer in the same JSON, send-mail in its own, and
// pages are their functions' own.
func (f *told) compare(t testing.TB, r fixture.Request, a fixture.Answer) {
	t.Helper()
	form := r.Function
	if a.Body != nil && a.Body["status"] == nil {
		form = "JSON"
	}
	told := strings.ReplaceAll(a.Raw, a.RequestID, "ID")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil {
		f.first = map[string]string{}
	}
	if f.first[form] == "" {
		f.first[form] = told
	}
	if told != f.first[form] || strings.Contains(told, "Resource") {
		t.Errorf("%s: answer %.500s, want %.500s", r, told, f.first[form])
	}
}
