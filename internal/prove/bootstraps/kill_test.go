package bootstraps

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/mail/redirect"
)

// TestAKilledProcessLosesNothingButItsMemory kills the process of each function that writes, before its last write and
// after it. A new process does what the client asks for again, once: nothing that matters was in the memory of the one
// that was killed. In simulated time all instances of a function share their variables.
func TestAKilledProcessLosesNothingButItsMemory(t *testing.T) {
	t.Parallel()
	s, seen := start(t), map[string]bool{}
	for _, r := range fixture.Requests {
		if seen[r.Function] || r.Writes == 0 || r.Function+"Function" == sendMail {
			continue
		}
		seen[r.Function] = true
		last := strings.Fields(r.Rounds[len(r.Rounds)-1])[0]
		for name, fault := range map[string]*awsproxy.Fault{
			"before its last write": awsproxy.KillBefore, "after its last write": awsproxy.KillAfter,
		} {
			t.Run(r.Function+", "+name, func(t *testing.T) {
				sent, killed := s.NewClient(t).Prepared(r), atomic.Bool{}
				first := s.Send(t, r, sent, func(c awsproxy.Call) *awsproxy.Fault {
					if c.Action != last || killed.Swap(true) {
						return nil
					}
					return fault
				})
				expect.Equal(t, killed.Load(), true, "the function has called "+last)
				expect.Equal(t, first.Status, http.StatusInternalServerError)
				again := s.Send(t, r, sent, nil)
				if err := sent.Done(first, again); err != nil {
					t.Errorf("answer %d %.500s: %v", again.Status, again.Raw, err)
				}
			})
		}
	}
}

// TestAMailOfAKilledProcessIsNotSentAgain: the record of the Idempotency-Key is in the table before SES is asked.
func TestAMailOfAKilledProcessIsNotSentAgain(t *testing.T) {
	t.Parallel()
	m := newMailer(t, start(t), redirect.Rule{})
	mail, once := m.mail(nil), http.Header{"Idempotency-Key": {"once"}}
	m.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
		if c.Action == "SendEmail" {
			return awsproxy.KillAfter
		}
		return nil
	})
	killed := m.Call(t, fixture.To("sendMail"), once, mail)
	expect.Equal(t, killed.Status, http.StatusInternalServerError)
	m.AWSProxy().Inject(nil)
	again := m.Call(t, fixture.To("sendMail"), once, mail)
	expect.Equal(t, again.Status, http.StatusConflict, again.Raw)
	expect.Len(t, m.Outbox().Mails(), 1)
}
