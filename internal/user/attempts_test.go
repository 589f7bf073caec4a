package user_test

import (
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/fixture"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/table"
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
				var record attempts
				if decode(t, item, &record); record.SK == "ATTEMPTS" &&
					(len(item) > 4 || len(record.Marks) > user.MaxFailures || record.ExpiresAt == 0) {
					t.Errorf("the record of failures is %v", item)
				}
			}
			s.checkInvariants(t)
		})
	}
}

// attempts is the record of the sign-ins for an address that have failed.
type attempts struct {
	table.Key
	Marks     []string `dynamo:"marks,set"`
	ExpiresAt int64    `dynamo:"expires_at"`
}

// attempts counts the sign-ins that have failed, for all addresses.
func (s *stack) attempts(t testing.TB) (n int) {
	t.Helper()
	for _, item := range s.Items(t) {
		var record attempts
		if fixture.KeyOf(t, item).SK == "ATTEMPTS" {
			decode(t, item, &record)
			n += len(record.Marks)
		}
	}
	return n
}

// TestTheEleventhFailureThroughHTTP is answered at once, like the ten before, and counts no more.
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
	if r.Status != 401 || r.Raw != refused || len(s.Actions(r.Answer)) != 2 || s.attempts(t) != user.MaxFailures {
		t.Errorf("answer %d %s after %q, %d attempts", r.Status, r.Raw, s.Actions(r.Answer), s.attempts(t))
	}
}

// TestGuessesAtTheSameTime: however many come at once, to however many processes, at most ten are hashed for an
// address, and there are no more than ten marks, whether the record is new or full of marks that count no longer.
func TestGuessesAtTheSameTime(t *testing.T) {
	t.Parallel()
	const guesses, processes = 64, 8
	s := start(t)
	app := s.newApp(t, "app")
	var in []*inProcess // each a function of its own
	hashes := func() (n int) {
		for _, process := range in {
			n += process.hashes()
		}
		return n
	}
	for range processes {
		in = append(in, s.inProcess(t))
	}
	ada := in[0].create(t, app, details("ada@example.org", nil))
	for _, c := range []struct {
		name        string
		after       time.Duration
		credentials object
	}{
		{"of an address that nobody has", 0, object{"email": "eve@example.org", "password": password}},
		{"of a token", 0, object{"email": "bob@example.org", "sso_auth_token": "x"}},
		{"of a password", 0, object{"email": "ada@example.org", "password": "wrong password"}},
		{"after the window", user.FailureWindow, object{"email": "ada@example.org", "password": "wrong password"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, process := range in {
				process.advance(c.after)
			}
			before, marks := hashes(), s.attempts(t)
			guess := func(i int) reply { return in[i%processes].signIn(t, c.credentials) }
			for _, r := range fixture.Together(guesses, guess) {
				if r.Raw != refused {
					t.Errorf("answer %d %s", r.Status, r.Raw)
				}
			}
			if n := hashes() - before; n != user.MaxFailures {
				t.Errorf("%d hashes", n)
			}
			if c.after == 0 {
				marks += user.MaxFailures
			}
			if n := s.attempts(t); n != marks {
				t.Errorf("%d marks, want %d", n, marks)
			}
		})
	}
	// The right password does not work, a login link does, and takes nothing back that others have done.
	if r := in[0].signIn(t, object{"email": "ada@example.org", "password": password}); r.Raw != refused {
		t.Errorf("answer %d %s", r.Status, r.Raw)
	}
	link := object{"email": "ada@example.org", "sso_auth_token": in[0].newLoginToken(t, app, ada.ID)}
	if r := in[0].signIn(t, link); r.Status != http.StatusOK || s.attempts(t) != 3*user.MaxFailures {
		t.Errorf("answer %d %s, %d marks", r.Status, r.Raw, s.attempts(t))
	}
}

// TestGoodSignInsAtTheSameTime are no attempts afterwards.
func TestGoodSignInsAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil))
	links := make([]string, user.MaxFailures)
	for i := range links {
		links[i] = app.mustLogin(t, ada.ID)
	}
	for range 2 {
		for _, r := range fixture.Together(user.MaxFailures, func(int) reply {
			return s.signIn(t, object{"email": "ada@example.org", "password": password})
		}) {
			r.is(t, http.StatusOK, "")
		}
	}
	for _, r := range fixture.Together(len(links), func(i int) reply {
		return s.signIn(t, object{"email": "ada@example.org", "sso_auth_token": links[i]})
	}) {
		r.is(t, http.StatusOK, "")
	}
	if n := s.attempts(t); n != 0 {
		t.Errorf("%d attempts are counted", n)
	}
}

// TestWhatFailsForItsOwnReasonsIsNoAttempt: the client's credentials were not looked at, or good.
func TestWhatFailsForItsOwnReasonsIsNoAttempt(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.newApp(t, "app").mustHave(t, details("ada@example.org", nil))
	for _, action := range []string{"BatchGetItem", "TransactWriteItems"} {
		s.Gate().Inject(func(c gate.Call) *gate.Fault {
			if c.Action == action {
				return gate.Refuse(400, "AccessDeniedException", "")
			}
			return nil
		})
		r := s.signIn(t, object{"email": "ada@example.org", "password": password})
		if n := s.attempts(t); r.Status != http.StatusInternalServerError || n != 0 {
			t.Errorf("answer %d without %s, %d attempts", r.Status, action, n)
		}
	}
}
