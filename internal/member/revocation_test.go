package member_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/category/portal"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/contention"
	"frontdesk/internal/local/gate"
)

// revocations end an app's right to keep a user's membership, each from the moment that it returns.
var revocations = map[string]func(*testing.T, *stack, id.ID){
	"the grant is revoked": func(t *testing.T, s *stack, _ id.ID) {
		must(t, s.apps.RevokeGrant(t.Context(), s.App.ID, s.Portal.Account))
	},
	"the grant is revoked, and given again": func(t *testing.T, s *stack, _ id.ID) {
		must(t, s.apps.RevokeGrant(t.Context(), s.App.ID, s.Portal.Account))
		must(t, s.apps.Grant(t.Context(), s.App.ID, s.Portal.Account))
	},
	"the app is revoked": func(t *testing.T, s *stack, _ id.ID) {
		_, err := s.apps.Revoke(t.Context(), s.App.ID)
		must(t, err)
	},
	"the app gets another token": func(t *testing.T, s *stack, _ id.ID) {
		_, _, err := s.apps.Rotate(t.Context(), s.App.ID)
		must(t, err)
	},
	"the user is deleted": func(t *testing.T, s *stack, user id.ID) {
		_, err := s.users.Delete(t.Context(), user)
		must(t, err)
	},
	"the portal is deleted": func(t *testing.T, s *stack, _ id.ID) {
		_, err := s.portals.Delete(t.Context(), s.Portal, false)
		must(t, err)
	},
	"the portal is deleted, and made again": func(t *testing.T, s *stack, user id.ID) {
		_, err := s.portals.Delete(t.Context(), s.Portal, false)
		must(t, err)
		s.NewPortal(t, s.Portal.Account, s.Portal.Slug, "en")
	},
}

// meanwhile calls do while the nth call of an action is on its way to the table. The function that it returns waits for
// the end of do: on a slow machine, a request gives up its call and is answered by the next attempt.
func (s *stack) meanwhile(t *testing.T, action string, n int64, do func()) (wait func()) {
	var seen atomic.Int64
	done := make(chan struct{})
	s.Gate().Inject(func(call gate.Call) *gate.Fault {
		if call.Action == action && seen.Add(1) == n {
			do()
			close(done)
		}
		return nil
	})
	return func() {
		t.Helper()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%d calls of %s, want %d", seen.Load(), action, n)
		}
		s.Gate().Inject(nil)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestNoRequestUnderWayOutlivesARevocation ends the app, its grant, the portal or the user while a call of a request is
// on its way to the table. Whichever call it is, the request is refused and changes nothing.
func TestNoRequestUnderWayOutlivesARevocation(t *testing.T) {
	t.Parallel()
	post := func(t *testing.T, a as, user id.ID) fixture.Answer { return a.add(t, user) }
	remove := func(t *testing.T, a as, user id.ID) fixture.Answer { return a.remove(t, user) }
	get := func(t *testing.T, a as, _ id.ID) fixture.Answer { return a.list(t, "") }
	deleteUser := func(t *testing.T, a as, user id.ID) fixture.Answer {
		return a.Call(t, "DELETE", fmt.Sprint("/platform/api/v1/users/", user), fixture.Token(a.token), nil)
	}
	for name, revoke := range revocations {
		for request, c := range map[string]struct {
			waits string // the call that is on its way
			n     int64  // which one of that action
			send  func(*testing.T, as, id.ID) fixture.Answer
		}{
			"POST":                       {"TransactWriteItems", 1, post},
			"DELETE":                     {"TransactWriteItems", 1, remove},
			"DELETE of the user":         {"TransactWriteItems", 1, deleteUser},
			"GET, before it reads":       {"Query", 1, get},
			"GET, before it looks again": {"BatchGetItem", 2, get},
		} {
			if request == "DELETE of the user" && !strings.HasPrefix(name, "the app ") {
				continue // it needs neither a grant nor a portal
			}
			t.Run(name+", "+request, func(t *testing.T) {
				t.Parallel()
				s := start(t)
				user := s.newUser(t, s.App.ID)
				if strings.HasPrefix(request, "DELETE") {
					s.AddMember(t, s.Portal, user)
				}
				var after bool // that the user is a member
				done := s.meanwhile(t, c.waits, c.n, func() {
					revoke(t, s, user)
					after = s.isMember(t, s.Portal, user)
				})
				a := c.send(t, s.app(), user)
				done()
				expect.Equal(t, s.isMember(t, s.Portal, user), after, "a member after the request")
				s.MustBeWhole(t)
				if shown, _ := a.Body["payload"].([]any); name == "the user is deleted" && request[0] == 'G' {
					expect.Len(t, shown, 1, "members that are shown") // the tenant's agent
					return
				}
				expect.Equal(t, a.Status, http.StatusUnauthorized, "status of "+a.Raw)
			})
		}
	}
}

// TestNoLinkIsToldAfterARevocation revokes while a list looks for the app's next link. The list is refused, whether
// there is such a link or not: otherwise its cursor would tell.
func TestNoLinkIsToldAfterARevocation(t *testing.T) {
	t.Parallel()
	for name, revoke := range revocations {
		if name == "the user is deleted" {
			continue // a deleted user's link exists until it is tidied up
		}
		for _, linkBehind := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, a link behind: %t", name, linkBehind), func(t *testing.T) {
				t.Parallel()
				s := start(t)
				s.Portal = s.NewPortal(t, s.Portal.Account, "crowded", "en")
				s.AddStrangers(t, s.Portal, 50)
				if linkBehind {
					s.newUser(t, s.App.ID)
				}
				done := s.meanwhile(t, "Query", 2, func() { revoke(t, s, 0) })
				a := s.app().list(t, "")
				done()
				expect.Equal(t, a.Status, http.StatusUnauthorized, "status of "+a.Raw)
			})
		}
	}
}

// TestNoWriteIsUndoneByItsOwnRepetition delays the first attempt of each write until another request has succeeded.
func TestNoWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.app()
	for name, c := range map[string]struct {
		first, then func(id.ID) fixture.Answer
		member      bool
	}{
		"POST, then DELETE": {
			func(u id.ID) fixture.Answer { return app.add(t, u) },
			func(u id.ID) fixture.Answer { return app.remove(t, u) }, false,
		},
		"DELETE, then POST": {
			func(u id.ID) fixture.Answer { return app.remove(t, u) },
			func(u id.ID) fixture.Answer { return app.add(t, u) }, true,
		},
	} {
		user := s.newUser(t, s.App.ID)
		if c.member {
			s.AddMember(t, s.Portal, user)
		}
		arrive := s.DelayFirstAttempts(t, func() { c.first(user).Is(t, http.StatusOK, nil) })
		c.then(user).Is(t, http.StatusOK, nil)
		arrive()
		expect.Equal(t, s.isMember(t, s.Portal, user), c.member, name+": a member in the end")
	}
	s.MustBeWhole(t)
}

// TestManyClientsKeepMembers lets 64 clients of one app work in one portal at once, on a database as slow and
// as contended as DynamoDB. None fails. Then an operator revokes the grant meanwhile: later answers change and
// show nothing.
func TestManyClientsKeepMembers(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *local.Options) { o.Contention = contention.AWS() })
	const clients = 64
	app := s.app()
	users := fixture.Together(clients, func(int) id.ID { return s.newUser(t, s.App.ID) })
	// Every client works on a user of its own, but all in one portal and by one app.
	fixture.Together(clients, func(i int) struct{} {
		app.add(t, users[i]).Is(t, http.StatusOK, nil)
		if i%2 == 0 {
			app.remove(t, users[i]).Is(t, http.StatusOK, nil)
		}
		return struct{}{}
	})
	for i, user := range users {
		expect.Equal(t, s.isMember(t, s.Portal, user), i%2 > 0, "is a member")
	}

	var mu sync.Mutex
	var revoked bool
	var before []portal.Membership
	fixture.Together(clients+1, func(i int) struct{} {
		if i == clients {
			must(t, s.apps.RevokeGrant(t.Context(), s.App.ID, s.Portal.Account))
			mu.Lock()
			defer mu.Unlock()
			revoked = true
			before = s.members(t)
			return struct{}{}
		}
		for range 3 {
			mu.Lock()
			began := revoked
			mu.Unlock()
			a := []func() fixture.Answer{
				func() fixture.Answer { return app.add(t, users[i]) },
				func() fixture.Answer { return app.remove(t, users[i]) },
				func() fixture.Answer { return app.list(t, "") },
			}[i%3]()
			// A request that began after the revocation must be refused. One that began before may be either.
			if a.Status != http.StatusUnauthorized && (began || a.Status != http.StatusOK) {
				t.Errorf("%s: %d %s; revoked before: %t", a.Request, a.Status, a.Raw, began)
			}
		}
		return struct{}{}
	})
	same := slices.EqualFunc(before, s.members(t), func(a, b portal.Membership) bool { return a.Key == b.Key })
	expect.Equal(t, same, true, "the members are those of the revocation's answer")
	s.MustBeWhole(t)
}

// members reads the members of the tenant's portal, without the endpoint.
func (s *stack) members(t testing.TB) []portal.Membership {
	t.Helper()
	members, err := s.portals.Members(t.Context(), s.Portal)
	if err != nil {
		t.Error(err)
	}
	return members
}
