package user_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// isUnauthorized checks that an answer equals every other 401 in status, body and headers, except for the ids and
// the time.
func isUnauthorized(t testing.TB, r reply) {
	t.Helper()
	if r.Status != http.StatusUnauthorized || r.Raw != unauthorized {
		t.Errorf("answer %d %s, want 401 %s", r.Status, r.Raw, unauthorized)
	}
	want := []string{
		"Apigw-Requestid", "Cache-Control", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options",
	}
	if names := slices.Sorted(maps.Keys(r.Header)); !slices.Equal(names, want) {
		t.Errorf("headers %q, want %q", names, want)
	}
}

// TestALinkStaysAsItIs shows that creating a user again does not change the time of its link.
func TestALinkStaysAsItIs(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		app.mustHave(t, details("ada@example.org", nil))
		link := func() (at time.Time) {
			for _, item := range s.Items(t) {
				var link struct {
					SK        string
					CreatedAt time.Time `dynamo:"created_at"`
				}
				if decode(t, item, &link); strings.HasPrefix(link.SK, "USER#") {
					at = link.CreatedAt
				}
			}
			return at
		}
		before := link()
		app.mustHave(t, details("ada@example.org", nil))
		after := link()
		expect.Equal(t, before.IsZero(), false)
		expect.Equal(t, after, before, "link()")
	})
}
