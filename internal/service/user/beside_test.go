package user_test

import (
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestASignInThatIsRefusedWaitsForNoRead: the user gets another password while a sign-in writes, and the read beside
// the write is throttled. The refusal comes at once, and not when the read gives up.
func TestASignInThatIsRefusedWaitsForNoRead(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		reads := 0
		s.AWSProxy().Inject(fixture.OfOneRequest(func(c awsproxy.Call) *awsproxy.Fault {
			switch c.Action {
			case "TransactWriteItems":
				app.update(t, ada.ID, object{"password": "another password"}).is(t, http.StatusOK, "")
			case "BatchGetItem":
				reads++
				if reads > 1 {
					return awsproxy.Throttled
				}
			}
			return nil
		}))
		began := time.Now()
		s.signIn(t, object{"email": ada.Email, "password": password}).is(t, http.StatusUnauthorized, "")
		expect.AtMost(t, time.Since(began), 5*time.Second)
		expect.AtLeast(t, reads, 2, "reads: this proves nothing")
	})
}
