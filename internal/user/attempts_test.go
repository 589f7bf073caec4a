package user_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/fixture"
	"frontdesk/internal/user"
)

// TestFailures: each case is a sequence of steps with one address. A step is some sign-ins, each some time after the
// one before.
func TestFailures(t *testing.T) {
	type step struct {
		times  int
		every  time.Duration
		with   string // "wrong", "right", a token, or "bad token"
		status int
		hashes int // of all of them
	}
	const (
		minute = time.Minute
		window = user.FailureWindow
	)
	ten := step{10, 0, "wrong", 401, 10} // failures, after which the address is locked
	for name, steps := range map[string][]step{
		"the eleventh is not tried":                   {ten, {1, 0, "wrong", 401, 0}},
		"not even with the right password":            {ten, {1, 0, "right", 401, 0}},
		"after the tenth a success is still possible": {{9, 0, "wrong", 401, 9}, {1, 0, "right", 200, 1}},
		"after the window a success works":            {ten, {1, window, "right", 200, 1}},
		"not before":                                  {ten, {1, window - time.Second, "right", 401, 0}},
		"the window of each failure is its own": {
			{10, minute, "wrong", 401, 10}, {1, 6*minute + 1, "wrong", 401, 1},
			{1, 0, "right", 401, 0}, {1, minute, "right", 200, 1},
		},
		"spread out they never count together": {{30, 2 * minute, "wrong", 401, 30}, {1, 0, "right", 200, 1}},
		"a success ends no count": {
			{9, 0, "wrong", 401, 9}, {1, 0, "right", 200, 1}, {1, 0, "wrong", 401, 1}, {1, 0, "right", 401, 0},
		},
		"what is not tried does not count": {
			ten, {20, minute / 2, "wrong", 401, 0}, {1, 5 * minute, "right", 200, 1},
		},
		"bad tokens count as well":            {{10, 0, "bad token", 401, 10}, {1, 0, "right", 401, 0}},
		"a bad token is not tried either":     {ten, {1, 0, "bad token", 401, 0}},
		"a good token opens a locked address": {ten, {1, 0, "good token", 200, 0}, {1, 0, "right", 401, 0}},
		"an address that nobody has is counted the same": {
			{10, 0, "unknown", 401, 10}, {1, 0, "unknown", 401, 0}, {1, window, "unknown", 401, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			app := s.newApp(t, "app")
			in := s.inProcess(t)
			ada := in.create(t, app, details("ada@example.org", nil))
			in.create(t, app, details("bob@example.org", nil))
			for i, step := range steps {
				before := in.hashes()
				for range step.times {
					in.advance(step.every)
					credentials := object{"email": "ada@example.org"}
					switch step.with {
					case "wrong":
						credentials["password"] = "wrong password"
					case "right":
						credentials["password"] = password
					case "unknown":
						credentials = object{"email": "Eve@example.org", "password": password}
					case "bad token":
						credentials["sso_auth_token"] = "x"
					case "good token":
						credentials["sso_auth_token"] = in.newLoginToken(t, app, ada.ID)
					}
					r := in.signIn(t, credentials)
					if r.Status != step.status || r.Status == 401 && r.Raw != refused {
						t.Errorf("step %d: answer %d %s, want %d", i, r.Status, r.Raw, step.status)
					}
				}
				if n := in.hashes() - before; n != step.hashes {
					t.Errorf("step %d: %d hashes, want %d", i, n, step.hashes)
				}
			}
			if r := in.signIn(t, object{"email": "bob@example.org", "password": password}); r.Status != http.StatusOK {
				t.Errorf("another address: answer %d %s", r.Status, r.Raw)
			}
			for _, item := range s.Items(t) {
				if strings.HasSuffix(fixture.KeyOf(t, item).SK, "ATTEMPTS") &&
					(len(item) > 3+user.MaxFailures || item["expires_at"] == nil) {
					t.Errorf("the record of failures has %d attributes: %v", len(item), item)
				}
			}
			s.checkInvariants(t)
		})
	}
}

// TestTheEleventhFailureThroughHTTP is answered at once, like the ten before.
func TestTheEleventhFailureThroughHTTP(t *testing.T) {
	s := start(t)
	s.newApp(t, "app").mustHave(t, details("ada@example.org", nil))
	for range user.MaxFailures {
		r := s.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
		if r.Status != 401 || r.Raw != refused || len(s.Actions(r.Answer)) != 2 {
			t.Errorf("answer %d %s after %q", r.Status, r.Raw, s.Actions(r.Answer))
		}
	}
	r := s.signIn(t, object{"email": "ADA@example.org", "password": password})
	if r.Status != 401 || r.Raw != refused || len(s.Actions(r.Answer)) != 1 {
		t.Errorf("answer %d %s after %q", r.Status, r.Raw, s.Actions(r.Answer))
	}
}

// TestFailuresAtTheSameTime are all counted.
func TestFailuresAtTheSameTime(t *testing.T) {
	s := start(t)
	fixture.Together(user.MaxFailures, func(int) reply {
		return s.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
	})
	r := s.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
	if calls := s.Actions(r.Answer); r.Status != 401 || len(calls) != 1 {
		t.Errorf("answer %d after %q", r.Status, calls)
	}
}
