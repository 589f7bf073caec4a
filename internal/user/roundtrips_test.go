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

	"frontdesk/internal/id"
	"frontdesk/internal/local"
)

// TestRoundTrips: every call takes a while. Those that come within that time of another do not wait for it:
// they are one round trip. Calls are those that a request makes in all.
func TestRoundTrips(t *testing.T) {
	const trip = 250 * time.Millisecond
	d := open(t)
	app, other := d.newApp(t, "app"), d.newApp(t, "other")
	ada := app.mustCreate(t, details("ada@example.org", nil))
	tokens := make(chan string, 2)
	for range cap(tokens) {
		tokens <- app.mustLogin(t, ada.ID)
	}
	const (
		get, put, set, tx = "BatchGetItem", "PutItem", "UpdateItem", "TransactWriteItems"
	)
	wrong := header("fdp_1_" + strings.Repeat("0", 64))
	cases := []struct {
		name  string
		call  func() reply
		trips int
		calls []string // in order; those beside each other sorted
	}{
		{"show-user", func() reply { return app.show(t, ada.ID) }, 1, []string{get}},
		{"show-user without link", func() reply { return other.show(t, ada.ID) }, 1, []string{get}},
		{"show-user with an id that is none", func() reply { return app.show(t, "x") }, 0, nil},
		{"show-user with a wrong token", func() reply { return d.call(t, "GET", path(ada.ID), "", wrong) }, 1, []string{get}},
		{"show-user with a malformed token", func() reply { return d.call(t, "GET", path(ada.ID), "", header("x")) }, 0, nil},
		{"login-link", func() reply { return app.login(t, ada.ID) }, 2, []string{get, put}},
		{"update-user", func() reply { return app.update(t, ada.ID, object{"name": "Ada"}) }, 2, []string{get, set}},
		{"update-user without name", func() reply { return app.update(t, ada.ID, object{}) }, 1, []string{get}},
		{"update-user with a blank name", func() reply { return app.update(t, ada.ID, object{"name": ""}) }, 1, []string{get}},
		{"create-user", func() reply { return app.create(t, details("new@example.org", nil)) }, 2, []string{get, tx}},
		{"create-user that exists", func() reply { return app.create(t, details("ada@example.org", nil)) }, 2, []string{get, get, put}},
		{"create-user with bad fields", func() reply { return app.create(t, details("", nil)) }, 1, []string{get}},
		{"create-user with a wrong token", func() reply { return d.call(t, "POST", usersPath, "{", wrong) }, 1, []string{get}},
		{"sign-in with a password", func() reply { return d.signIn(t, object{"email": "ada@example.org", "password": password}) }, 2, []string{get, get, put}},
		{"sign-in with a login token", func() reply { return d.signIn(t, object{"email": "ada@example.org", "sso_auth_token": <-tokens}) }, 2, []string{get, tx}},
		{"sign-in with a wrong password", func() reply {
			return d.signIn(t, object{"email": "ada@example.org", "password": "wrong password"})
		}, 2, []string{get, set}},
		{"sign-in with an unknown e-mail", func() reply {
			return d.signIn(t, object{"email": "eve@example.org", "password": password})
		}, 2, []string{get, set}},
		{"sign-in that is not filled in", func() reply { return d.signIn(t, object{"email": "ada@example.org"}) }, 0, nil},
	}
	for _, c := range cases { // the functions are warm afterwards
		if c.name != "create-user" {
			c.call()
		}
	}
	stale := watchReads(d)
	slow := local.Delay(trip)
	var mu sync.Mutex
	began := map[string]time.Time{} // the last round trip of a request
	trips := map[string]int{}
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		stale(c)
		mu.Lock()
		defer mu.Unlock()
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
				t.Errorf("%s: %d round trips, want %d; answer %d %s", c.name, n, c.trips, r.HTTP, r.raw)
			}
			calls := d.actions(r)
			if len(calls) > 1 {
				slices.Sort(calls[1:])
			}
			if !slices.Equal(calls, c.calls) {
				t.Errorf("%s: calls %q, want %q", c.name, calls, c.calls)
			}
		})
	}
	wg.Wait()
}

// watchReads gives what to call with every call: reads that are not strongly consistent fail the test when it
// ends.
func watchReads(d *desk) func(local.Call) {
	return func(c local.Call) {
		if (c.Action == "BatchGetItem" || c.Action == "GetItem" || c.Action == "Query" || c.Action == "Scan") && !bytes.Contains(c.Body, []byte(`"ConsistentRead":true`)) {
			d.stale.Add(1)
		}
	}
}

// TestReadYourOwnWrites: what one has just written is what one reads, 1,000 times: create, show, update, show.
// Ten apps link themselves to each of a hundred users, whom the first of them creates.
func TestReadYourOwnWrites(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.stack.Gate().Inject(func(c local.Call) *local.Fault {
		watchReads(d)(c)
		return nil
	})
	var apps []client
	for i := range 10 {
		apps = append(apps, d.newApp(t, fmt.Sprint("app ", i)))
	}
	var rounds atomic.Int64
	var wg sync.WaitGroup
	const workers = 2
	for worker := range workers {
		wg.Go(func() {
			for n := worker; n < 100; n += workers {
				email := fmt.Sprintf("user%d@example.org", n)
				var known id.ID
				name := "Ada Lovelace"
				for i, app := range apps {
					created := app.create(t, details(email, nil))
					shown := app.show(t, created.ID)
					want := created
					want.Name = name
					if created.HTTP != http.StatusOK || created.Name != name || shown.raw != created.raw || known != 0 && created.ID != known {
						t.Errorf("user %d, app %d: created %s, shown %s, want %q", n, i, created.raw, shown.raw, name)
					}
					known = created.ID
					name = fmt.Sprintf("Name %d of user %d", i, n)
					updated := app.update(t, created.ID, object{"name": name})
					if shown := app.show(t, created.ID); updated.Name != name || shown.raw != updated.raw {
						t.Errorf("user %d, app %d: updated %s, shown %s, want %q", n, i, updated.raw, shown.raw, name)
					}
					rounds.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := rounds.Load(); n != 1000 {
		t.Errorf("%d rounds", n)
	}
	d.stack.Gate().Inject(nil)
	d.checkWhole(t)
}
