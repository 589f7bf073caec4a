package user_test

import (
	"bytes"
	"net/http"
	"sync/atomic"
	"testing"

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
