package user_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/user"
)

// TestFailures: steps of a day with one address. A step is some sign-ins, each some time after the one before.
func TestFailures(t *testing.T) {
	type step struct {
		times  int
		every  time.Duration
		with   string // "wrong", "right", a token, or "bad token"
		status int
		hashes int // of all of them
	}
	const minute = time.Minute
	for name, steps := range map[string][]step{
		"the eleventh is not tried":                      {{10, 0, "wrong", 401, 10}, {1, 0, "wrong", 401, 0}},
		"not even with the right password":               {{10, 0, "wrong", 401, 10}, {1, 0, "right", 401, 0}},
		"after the tenth a success is still possible":    {{9, 0, "wrong", 401, 9}, {1, 0, "right", 200, 1}},
		"after the window a success works":               {{10, 0, "wrong", 401, 10}, {1, user.FailureWindow, "right", 200, 1}},
		"not before":                                     {{10, 0, "wrong", 401, 10}, {1, user.FailureWindow - time.Second, "right", 401, 0}},
		"the window of each failure is its own":          {{10, minute, "wrong", 401, 10}, {1, 6*minute + 1, "wrong", 401, 1}, {1, 0, "right", 401, 0}, {1, minute, "right", 200, 1}},
		"spread out they never count together":           {{30, 2 * minute, "wrong", 401, 30}, {1, 0, "right", 200, 1}},
		"a success ends no count":                        {{9, 0, "wrong", 401, 9}, {1, 0, "right", 200, 1}, {1, 0, "wrong", 401, 1}, {1, 0, "right", 401, 0}},
		"what is not tried does not count":               {{10, 0, "wrong", 401, 10}, {20, minute / 2, "wrong", 401, 0}, {1, 5 * minute, "right", 200, 1}},
		"bad tokens count as well":                       {{10, 0, "bad token", 401, 10}, {1, 0, "right", 401, 0}},
		"a bad token is not tried either":                {{10, 0, "wrong", 401, 10}, {1, 0, "bad token", 401, 0}},
		"a good token opens a locked address":            {{10, 0, "wrong", 401, 10}, {1, 0, "good token", 200, 0}, {1, 0, "right", 401, 0}},
		"an address that nobody has is counted the same": {{10, 0, "nobody", 401, 10}, {1, 0, "nobody", 401, 0}, {1, user.FailureWindow, "nobody", 401, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			app := d.newApp(t, "app")
			in := d.inside(t)
			ada := in.ask(t, in.CreateFunction(), write(details("ada@example.org", nil)), app.token, nil)
			in.ask(t, in.CreateFunction(), write(details("bob@example.org", nil)), app.token, nil)
			for i, s := range steps {
				before := in.hashes()
				for range s.times {
					in.wait(s.every)
					proof := object{"email": "ada@example.org"}
					switch s.with {
					case "wrong":
						proof["password"] = "wrong password"
					case "right":
						proof["password"] = password
					case "nobody":
						proof = object{"email": "Eve@example.org", "password": password}
					case "bad token":
						proof["sso_auth_token"] = "x"
					case "good token":
						token := loginToken(in.ask(t, in.LoginFunction(), "", app.token, map[string]string{"user_id": ada.ID.String()}).URL)
						proof["sso_auth_token"] = token
					}
					r := in.signIn(t, proof)
					if r.HTTP != s.status || r.HTTP == 401 && r.raw != refused {
						t.Errorf("step %d: answer %d %s, want %d", i, r.HTTP, r.raw, s.status)
					}
				}
				if n := in.hashes() - before; n != s.hashes {
					t.Errorf("step %d: %d hashes, want %d", i, n, s.hashes)
				}
			}
			if r := in.signIn(t, object{"email": "bob@example.org", "password": password}); r.HTTP != http.StatusOK {
				t.Errorf("another address: answer %d %s", r.HTTP, r.raw)
			}
			for _, item := range d.everything(t) {
				if strings.HasSuffix(keyOf(t, item).SK, "ATTEMPTS") && (len(item) > 3+user.MaxFailures || item["expires_at"] == nil) {
					t.Errorf("the record of failures has %d attributes: %v", len(item), item)
				}
			}
			d.checkWhole(t)
		})
	}
}

// TestTheEleventhFailureThroughHTTP is answered at once, like the ten before.
func TestTheEleventhFailureThroughHTTP(t *testing.T) {
	d := open(t)
	d.newApp(t, "app").mustCreate(t, details("ada@example.org", nil))
	for range user.MaxFailures {
		r := d.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
		if r.HTTP != 401 || r.raw != refused || len(d.actions(r)) != 2 {
			t.Errorf("answer %d %s after %q", r.HTTP, r.raw, d.actions(r))
		}
	}
	r := d.signIn(t, object{"email": "ADA@example.org", "password": password})
	if r.HTTP != 401 || r.raw != refused || len(d.actions(r)) != 1 {
		t.Errorf("answer %d %s after %q", r.HTTP, r.raw, d.actions(r))
	}
}

// TestFailuresAtTheSameTime are all counted.
func TestFailuresAtTheSameTime(t *testing.T) {
	d := open(t)
	together(user.MaxFailures, func(int) reply {
		return d.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
	})
	r := d.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
	if calls := d.actions(r); r.HTTP != 401 || len(calls) != 1 {
		t.Errorf("answer %d after %q", r.HTTP, calls)
	}
}
