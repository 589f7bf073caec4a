package user_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/user"
)

// TestRoundTrips has what no row of fixture.Requests has. It delays every call by the same time. Calls that come within
// this time of another did not wait for it, so they are one round trip. Time grows with round trips, and not with calls
// side by side.
func TestRoundTrips(t *testing.T) {
	const trip = 250 * time.Millisecond
	s := start(t)
	app, other := s.newApp(t, "app"), s.newApp(t, "other")
	ada := app.mustCreate(t, details("ada@example.org", nil))
	home := s.newApp(t, "home")
	home.leadTo(t, "https://home.example.org/sso")
	home.mustCreate(t, details("ada@example.org", nil))
	have := func(name string) reply { return app.mustHave(t, details(name+"@example.org", nil)) }
	bob, cid, eve, gil := have("bob"), have("cid"), have("fay"), have("gil")
	const times = 2 // how often each case runs
	// Cases that use something up take it from a channel, so that each run has its own.
	emails := make(chan string, times)
	for i := range times {
		emails <- fmt.Sprintf("new-%d@example.org", i)
	}
	const get, set, tx = "BatchGetItem", "UpdateItem", "TransactWriteItems"
	wrong := fixture.Token("fdp_1_" + strings.Repeat("0", 64))
	spent := app.mustLogin(t, bob.ID)
	// byToken signs in with a login token.
	byToken := func(email, token string) func() reply {
		return func() reply { return s.signIn(t, object{"email": email, "sso_auth_token": token}) }
	}
	byToken(bob.Email, spent)().is(t, http.StatusOK, "")
	// unknown returns a well-formed login token that was never issued.
	unknown := func(of id.ID) string {
		token, _ := credential.Mint(credential.Login, of)
		return token
	}
	// Ten failures lock this address.
	for range user.MaxFailures {
		byToken("locked@example.org", "x")().is(t, http.StatusUnauthorized, "")
	}
	s.leaveFailures(t, cid.Email, user.MaxFailures, time.Now())
	// Records that are full of marks too old to count.
	outdated := make(chan string, times)
	for i := range times {
		email := fmt.Sprintf("outdated-%d@example.org", i)
		s.leaveFailures(t, email, user.MaxFailuresOfAll, time.Now().Add(-user.FailureWindow))
		outdated <- email
	}
	cases := []struct {
		name  string
		call  func() reply
		trips int
		calls []string // of the request in all, sorted
	}{
		{"show-user without link", func() reply { return other.show(t, ada.ID) }, 1, []string{get}},
		{"show-user with an id that is none", func() reply { return app.show(t, "x") }, 0, nil},
		{"show-user with a wrong token", func() reply {
			return s.call(t, "GET", path(ada.ID), wrong, nil)
		}, 1, []string{get}},
		{"show-user with a malformed token", func() reply {
			return s.call(t, "GET", path(ada.ID), fixture.Token("x"), nil)
		}, 0, nil},
		{"login-link to an app's own address", func() reply { return home.login(t, ada.ID) }, 2, []string{get, tx}},
		{"create-user-token, for a time", func() reply {
			return s.call(t, "POST", path(ada.ID, "/token"), fixture.Token(app.token), object{"expires_in": 60})
		}, 2, []string{get, tx}},
		{"delete-user-tokens without link", func() reply { return other.endTokens(t, gil.ID) }, 1, []string{get}},
		{"list-users with an e-mail that is nobody's", func() reply {
			return app.list(t, "?email=eve@example.org")
		}, 1, []string{get}},
		// Whoever asks is authenticated first, so a bad cursor costs a read.
		{"list-users with a malformed cursor", func() reply { return app.list(t, "?cursor=x") }, 1, []string{get}},
		{"list-users with a wrong token", func() reply {
			return s.call(t, "GET", usersPath, wrong, nil)
		}, 1, []string{get}},
		{"delete-user without link", func() reply { return other.delete(t, ada.ID) }, 1, []string{get}},
		// Without a password the hash has to be read from the old address, so that it can move along.
		{"update-user with an e-mail and a password", func() reply {
			return app.update(t, eve.ID, object{"email": <-emails, "password": password})
		}, 2, []string{get, tx}},
		{"update-user with another spelling", func() reply {
			return app.update(t, cid.ID, object{"email": "CID@example.org"})
		}, 2, []string{get, tx}},
		{"update-user with another's e-mail", func() reply {
			return app.update(t, ada.ID, object{"email": "bob@example.org"})
		}, 2, []string{get, get}},
		{"update-user without name", func() reply { return app.update(t, ada.ID, object{}) }, 1, []string{get}},
		{"update-user with a blank name", func() reply {
			return app.update(t, ada.ID, object{"name": ""})
		}, 1, []string{get}},
		{"create-user that exists", func() reply {
			return app.create(t, details("ada@example.org", nil))
		}, 2, []string{get, get}},
		{"create-user with bad fields", func() reply { return app.create(t, details("", nil)) }, 1, []string{get}},
		// The body is no JSON, and is not looked at.
		{"create-user with a wrong token", func() reply {
			return s.call(t, "POST", usersPath, wrong, "{")
		}, 1, []string{get}},
		{"sign-in with an unknown e-mail", func() reply {
			return s.signIn(t, object{"email": "eve@example.org", "password": password})
		}, 1, []string{get, set}},
		{"sign-in with a spent login token", byToken(bob.Email, spent), 1, []string{get, set}},
		{"sign-in with a wrong login token, by its user", byToken(bob.Email, unknown(bob.ID)), 1, []string{get, set}},
		{"sign-in with a wrong login token, by another", byToken(bob.Email, unknown(ada.ID)), 1, []string{get, set}},
		{"sign-in with a wrong login token of nobody", byToken("eve@example.org", unknown(7)), 1, []string{get, set}},
		{"sign-in with a malformed login token", byToken(bob.Email, "x"), 1, []string{get, set}},
		{"sign-in that is locked", byToken("locked@example.org", "x"), 1, []string{get, set}},
		{"sign-in while another network is locked", func() reply {
			return s.signIn(t, object{"email": cid.Email, "password": password})
		}, 2, []string{get, get, tx, set}},
		// The first write is refused, because the record is full. The second one also removes the old marks.
		{"sign-in after failures that count no longer", func() reply {
			return byToken(<-outdated, "x")()
		}, 2, []string{get, set, set}},
		{"sign-in that is not filled in", func() reply {
			return s.signIn(t, object{"email": "ada@example.org"})
		}, 0, nil},
	}
	// The first call of each function also pays for its start.
	for _, c := range cases {
		c.call()
	}
	stale := watchReads(s)
	slow := awsproxy.Delay(trip)
	var mu sync.Mutex
	began := map[string]time.Time{} // the last round trip of a request
	trips := map[string]int{}
	s.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
		stale(c)
		mu.Lock()
		defer mu.Unlock()
		// A call that comes a whole delay after the first of its round trip has waited for an answer.
		if time.Since(began[c.RequestID]) >= trip {
			began[c.RequestID] = time.Now()
			trips[c.RequestID]++
		}
		return slow
	})
	var wg sync.WaitGroup
	for _, c := range cases {
		wg.Go(func() {
			r := c.call()
			mu.Lock()
			n := trips[r.RequestID]
			mu.Unlock()
			if n != c.trips {
				t.Errorf("%s: %d round trips, want %d; answer %d %s", c.name, n, c.trips, r.Status, r.Raw)
			}
			calls := s.Actions(r.Answer)
			slices.Sort(calls)
			if !slices.Equal(calls, c.calls) {
				t.Errorf("%s: calls %q, want %q", c.name, calls, c.calls)
			}
		})
	}
	wg.Wait()
}

// watchReads returns a function to call with every call. It counts reads that are not strongly consistent, and these
// fail the test when it ends. An eventually consistent read of DynamoDB may miss a write of a second ago.
func watchReads(s *stack) func(awsproxy.Call) {
	return func(c awsproxy.Call) {
		read := slices.Contains([]string{"BatchGetItem", "GetItem", "Query", "Scan"}, c.Action)
		if read && !bytes.Contains(c.Body, []byte(`"ConsistentRead":true`)) {
			s.stale.Add(1)
		}
	}
}

// TestReadYourOwnWrites shows that a client sees what it has just written: create, show, update, show, 30 times. The
// first of five apps creates each of six users, and the others link to it. From the third app on, the endpoints run in
// the test's own process, which is faster and reads the table in the same way.
func TestReadYourOwnWrites(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
		watchReads(s)(c)
		return nil
	})
	in := s.inProcess(t)
	createHere, showHere, updateHere := in.CreateFunction(), in.ShowFunction(), in.UpdateFunction()
	var apps []client
	for i := range 5 {
		apps = append(apps, s.newApp(t, fmt.Sprint("app ", i)))
	}
	var rounds atomic.Int64
	var wg sync.WaitGroup
	const workers = 2
	for worker := range workers {
		wg.Go(func() {
			for n := worker; n < 6; n += workers {
				email := fmt.Sprintf("user%d@example.org", n)
				var known id.ID
				name := "Ada Lovelace"
				for i, app := range apps {
					create, show, update := app.create, app.show, app.update
					// In this process, without the functions.
					if i >= 2 {
						create = func(t testing.TB, details object) reply {
							return in.ask(t, createHere, write(details), app.token, nil)
						}
						show = func(t testing.TB, user any) reply {
							return in.ask(t, showHere, "", app.token, userID(user.(id.ID)))
						}
						update = func(t testing.TB, user any, change object) reply {
							return in.ask(t, updateHere, write(change), app.token, userID(user.(id.ID)))
						}
					}
					created := create(t, details(email, nil))
					shown := show(t, created.ID)
					what := fmt.Sprintf("user %d, app %d: ", n, i)
					created.Is(t, http.StatusOK, nil)
					expect.Equal(t, created.Name, name, what)
					expect.Equal(t, shown.Raw, created.Raw, what)
					if known != 0 {
						expect.Equal(t, created.ID, known, what)
					}
					known = created.ID
					name = fmt.Sprintf("Name %d of user %d", i, n)
					updated := update(t, created.ID, object{"name": name})
					if shown := show(t, created.ID); updated.Name != name || shown.Raw != updated.Raw {
						t.Errorf("user %d, app %d: updated %s, shown %s, want %q", n, i, updated.Raw, shown.Raw, name)
					}
					rounds.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := rounds.Load(); n != 30 {
		t.Errorf("%d rounds", n)
	}
	s.AWSProxy().Inject(nil)
	s.mustBeWhole(t)
}
