package user_test

import (
	"bytes"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestAFailureIsCountedOnce shows that a mark that is written twice, because the first answer was lost, is one failure.
func TestAFailureIsCountedOnce(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for range 3 {
			var once atomic.Bool
			s.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
				if c.Action == "UpdateItem" && !once.Swap(true) {
					return awsproxy.CutAfter
				}
				return nil
			})
			s.signIn(t, object{"email": "eve@example.org", "password": password}).is(t, http.StatusUnauthorized, "")
		}
		if n := s.attempts(t); n != 3 {
			t.Errorf("%d attempts", n)
		}
	})
}

// inProgress is what DynamoDB answers to a transaction while it still works on an earlier attempt at the same one.
var inProgress = awsproxy.Refuse(400, "TransactionInProgressException", "The transaction is in progress")

// TestSlowTransactions delays the first attempt at a transaction. DynamoDB tells the later attempts that it is in
// progress. The answer still says what has really happened. A repeated transaction has the token of the first attempt
// (ClientRequestToken), so DynamoDB knows that they are one.
func TestSlowTransactions(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, d := range map[string]time.Duration{"4.5 s": 4500 * time.Millisecond, "6 s": 6 * time.Second} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				c := s.newApp(t, "app")
				ada := c.mustCreate(t, details("ada@example.org", nil))
				link := object{"email": "ada@example.org", "sso_auth_token": c.mustLogin(t, ada.ID)}
				var mu sync.Mutex
				begun := map[string]time.Time{} // by request
				s.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
					mu.Lock()
					defer mu.Unlock()
					switch start, again := begun[call.RequestID]; {
					case call.Action != "TransactWriteItems":
					case !again:
						begun[call.RequestID] = time.Now()
						return awsproxy.Delay(time.Minute)
					case time.Since(start) < d:
						return inProgress
					}
					return nil
				})
				var both sync.WaitGroup
				both.Go(func() { c.create(t, details("eve@example.org", nil)).is(t, http.StatusOK, "") })
				both.Go(func() {
					r := c.signIn(t, link)
					r.Is(t, http.StatusOK, nil)
					expect.Equal(t, c.TakesToken(t, r.Data.AccessToken, ada.ID), true)
				})
				both.Wait()
				// The link was spent once, however often its transaction was sent.
				c.signIn(t, link).is(t, http.StatusUnauthorized, "")
				s.mustBeWhole(t)
			})
		}
	})
}

// TestALoginLinkIsNeverBurnt spends a link without anybody learning it, not even by a read afterwards. The same link
// signs in when it is used again.
func TestALoginLinkIsNeverBurnt(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t, func(o *local.Options) { o.Template = localtest.EditTemplate(t, "Timeout: 15", "Timeout: 5") })
		c := s.newApp(t, "app")
		ada, eve := c.mustCreate(t, details("ada@example.org", nil)), c.mustCreate(t, details("eve@example.org", nil))
		link := object{"email": "ada@example.org", "sso_auth_token": c.mustLogin(t, ada.ID)}
		var spent atomic.Bool
		s.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
			switch {
			case call.Action == "TransactWriteItems" && !spent.Swap(true):
				return awsproxy.CutAfter
			case call.Action == "TransactWriteItems":
				return inProgress
			case call.Action == "BatchGetItem" && !bytes.Contains(call.Body, []byte("EMAIL#")):
				return awsproxy.Refuse(400, "AccessDeniedException", "") // as if it were spent after the request only
			}
			return nil
		})
		r := c.signIn(t, link)
		r.Is(t, http.StatusServiceUnavailable, nil)
		expect.Not(t, r.Header.Get("Retry-After"), "")
		s.AWSProxy().Inject(nil)
		r = c.signIn(t, link)
		r.Is(t, http.StatusOK, nil)
		expect.Equal(t, c.TakesToken(t, r.Data.AccessToken, ada.ID), true, "again")
		c.signIn(t, fixture.With(link, object{"email": eve.Email})).is(t, http.StatusUnauthorized, "")
		s.mustBeWhole(t)
	})
}
