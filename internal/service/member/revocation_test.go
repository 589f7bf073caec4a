package member_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user/platformapp"
)

// revocations end an app's right to keep a user's membership, each from the moment that it returns.
var revocations = map[string]func(testing.TB, *stack, id.ID){
	"the grant is revoked": func(t testing.TB, s *stack, _ id.ID) {
		must(t, s.apps.RevokeGrant(t.Context(), s.App.ID, s.Portal.Account))
	},
	"the grant is revoked, and given again": func(t testing.TB, s *stack, _ id.ID) {
		must(t, s.apps.RevokeGrant(t.Context(), s.App.ID, s.Portal.Account))
		must(t, s.apps.Grant(t.Context(), s.App.ID, s.Portal.Account))
	},
	"the app is revoked": func(t testing.TB, s *stack, _ id.ID) {
		_, err := s.apps.Revoke(t.Context(), s.App.ID)
		must(t, err)
	},
	"the app gets another token": func(t testing.TB, s *stack, _ id.ID) {
		_, _, err := s.apps.Rotate(t.Context(), s.App.ID)
		must(t, err)
	},
	"the user is deleted": func(t testing.TB, s *stack, user id.ID) {
		_, err := s.users.Delete(t.Context(), user)
		must(t, err)
	},
	"the portal is deleted": func(t testing.TB, s *stack, _ id.ID) {
		_, err := s.portals.Delete(t.Context(), s.Portal, false)
		must(t, err)
	},
	"the portal is deleted, and made again": func(t testing.TB, s *stack, user id.ID) {
		_, err := s.portals.Delete(t.Context(), s.Portal, false)
		must(t, err)
		s.NewPortal(t, s.Portal.Account, s.Portal.Slug, "en")
	},
}

// meanwhile calls do while the nth call of an action is on its way to the table. If there is no such call until end,
// the test fails.
func (s *stack) meanwhile(t testing.TB, action string, n int64, do func()) (end func()) {
	var seen atomic.Int64
	s.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
		if call.Action == action && seen.Add(1) == n {
			do()
		}
		return nil
	})
	return func() {
		t.Helper()
		s.AWSProxy().Inject(nil)
		expect.AtLeast(t, seen.Load(), n, "calls of "+action)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestNoRequestUnderWayOutlivesARevocation ends the app, its grant, the portal or the user while a call of a request is
// on its way to the table. Whichever call it is, the request is refused and changes nothing.
func TestNoRequestUnderWayOutlivesARevocation(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		shared := start(t)
		post := func(t testing.TB, a as, user id.ID) fixture.Answer { return a.add(t, user) }
		remove := func(t testing.TB, a as, user id.ID) fixture.Answer { return a.remove(t, user) }
		get := func(t testing.TB, a as, _ id.ID) fixture.Answer { return a.list(t, "") }
		deleteUser := func(t testing.TB, a as, user id.ID) fixture.Answer {
			return a.Call(t, fixture.To("deleteUser", user), fixture.Token(a.token), nil)
		}
		for name, revoke := range revocations {
			for request, c := range map[string]struct {
				waits string // the call that is on its way
				n     int64  // which one of that action
				send  func(testing.TB, as, id.ID) fixture.Answer
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
				localtest.Case(t, name+", "+request, func(t testing.TB) {
					s := shared.withNewTenant(t)
					user := s.newUser(t, s.App.ID)
					if strings.HasPrefix(request, "DELETE") {
						s.AddMember(t, s.Portal, user)
					}
					var after bool // that the user is a member
					end := s.meanwhile(t, c.waits, c.n, func() {
						revoke(t, s, user)
						after = s.isMember(t, s.Portal, user)
					})
					a := c.send(t, s.app(), user)
					end()
					expect.Equal(t, s.isMember(t, s.Portal, user), after, "a member after the request")
					if shown, _ := a.Body["payload"].([]any); name == "the user is deleted" && request[0] == 'G' {
						expect.Len(t, shown, 1, "members that are shown") // the tenant's agent
						return
					}
					expect.Equal(t, a.Status, http.StatusUnauthorized, "status of "+a.Raw)
				})
			}
		}
		shared.MustBeWhole(t)
	})
}

// TestNoLinkIsToldAfterARevocation revokes while a list looks for the app's next link. The list is refused, whether
// there is such a link or not: otherwise its cursor would tell.
func TestNoLinkIsToldAfterARevocation(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		shared := start(t)
		for name, revoke := range revocations {
			if name == "the user is deleted" {
				continue // a deleted user's link exists until it is tidied up
			}
			for _, linkBehind := range []bool{false, true} {
				localtest.Case(t, fmt.Sprintf("%s, a link behind: %t", name, linkBehind), func(t testing.TB) {
					s := shared.withNewTenant(t)
					s.Portal = s.NewPortal(t, s.Portal.Account, "crowded-"+s.Portal.Slug, "en")
					s.AddStrangers(t, s.Portal, 50)
					if linkBehind {
						s.newUser(t, s.App.ID)
					}
					end := s.meanwhile(t, "Query", 2, func() { revoke(t, s, 0) })
					a := s.app().list(t, "")
					end()
					expect.Equal(t, a.Status, http.StatusUnauthorized, "status of "+a.Raw)
				})
			}
		}
	})
}

// TestNoWriteIsUndoneByItsOwnRepetition delays the first attempt of each write until another request has succeeded.
func TestNoWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
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
	})
}

// TestManyClientsKeepMembers lets 32 clients of one app work in one portal at once, on a database as slow and as
// contended as DynamoDB. None fails. Then an operator revokes the grant meanwhile: later answers change and show
// nothing.
func TestManyClientsKeepMembers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t, func(o *local.Options) { o.Contention = contention.AWS() })
		app := s.app()
		cfg, end := fixture.OperatorConfig(s.Stack.Stack, func(awsproxy.Call) *awsproxy.Fault { return nil })
		defer end()
		operators := table.Open(cfg, s.Table.Name()) // whose calls meet the clients' transactions
		const clients = 32
		users := make([]id.ID, clients)
		for i := range users {
			users[i] = s.newUser(t, s.App.ID)
		}
		add := func(i int) fixture.Answer { return app.add(t, users[i]) }
		remove := func(i int) fixture.Answer { return app.remove(t, users[i]) }
		list := func(int) fixture.Answer { return app.list(t, "") }
		// Every client works on a user of its own, but all in one portal and by one app.
		fixture.Together(clients, func(i int) struct{} {
			add(i).Is(t, http.StatusOK, nil)
			if i%2 == 0 {
				remove(i).Is(t, http.StatusOK, nil)
			}
			return struct{}{}
		})
		members := func() []portal.Membership {
			all, err := portal.Store{Table: operators}.Members(t.Context(), s.Portal)
			must(t, err)
			return all
		}
		expect.Len(t, members(), 1+clients/2, "members") // and the tenant's agent

		var revoked atomic.Bool
		var before []portal.Membership
		fixture.Together(clients+1, func(i int) struct{} {
			if i == clients {
				apps := platformapp.Store{Table: operators}
				must(t, apps.RevokeGrant(t.Context(), s.App.ID, s.Portal.Account))
				revoked.Store(true)
				before = members()
				return struct{}{}
			}
			for range 3 {
				began := revoked.Load()
				a := []func(int) fixture.Answer{add, remove, list}[i%3](i)
				// A request that began after the revocation must be refused. One that began before may be either.
				if a.Status != http.StatusUnauthorized && (began || a.Status != http.StatusOK) {
					t.Errorf("client %d: %d %s; revoked before: %t", i, a.Status, a.Raw, began)
				}
			}
			return struct{}{}
		})
		same := slices.EqualFunc(before, members(), func(a, b portal.Membership) bool { return a.Key == b.Key })
		expect.Equal(t, same, true, "the members are those of the revocation's answer")
		for i, user := range users {
			if i%3 == 2 { // its client has listed only, after the first part
				expect.Equal(t, s.isMember(t, s.Portal, user), i%2 > 0, "is a member")
			}
		}
		s.MustBeWhole(t)
	})
}
