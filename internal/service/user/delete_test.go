package user_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/category/portal"
	"frontdesk/internal/service/user"
)

// leftOf returns the keys of all items that name a user.
func (s *stack) leftOf(t testing.TB, user id.ID) (keys []table.Key) {
	t.Helper()
	for _, item := range s.Items(t) {
		if k := fixture.KeyOf(t, item); strings.Contains(k.PK+" "+k.SK, user.Key()) {
			keys = append(keys, k)
		}
	}
	return keys
}

// TestDelete shows that nothing of a deleted user works once the deletion is answered, that nothing is left, and that
// others stay as they are. A new user with the address has a new id and no link of the old one.
func TestDelete(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		portal := s.NewPortal(t, 1, "handbook", "en")
		ada, bob := app.mustHave(t, details("Ada@example.org", nil)), app.mustHave(t, details("bob@example.org", nil))
		other.mustCreate(t, object{"email": "ada@example.org"})
		tokens := map[id.ID]string{}
		links := map[id.ID]string{}
		for _, u := range []id.ID{ada.ID, bob.ID} {
			s.AddMember(t, portal, u)
			s.leaveUnanswered(t, u)
			tokens[u], links[u] = app.mint(t, u).AccessToken, app.mustLogin(t, u)
		}
		categories := func(u id.ID) int {
			return s.Call(t, fixture.To("listCategories", portal), fixture.Token(tokens[u]), nil).Status
		}
		if got := categories(ada.ID); got != http.StatusOK {
			t.Fatalf("categories: %d", got)
		}

		r := app.delete(t, ada.ID)
		r.Is(t, http.StatusOK, nil)
		expect.Equal(t, r.Raw, "{}")
		if left := s.leftOf(t, ada.ID); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
		for _, c := range []client{app, other} {
			isUnauthorized(t, c.show(t, ada.ID))
			if r := c.list(t, "?email=ada@example.org"); len(r.Payload) != 0 {
				t.Errorf("listed %s", r.Raw)
			}
		}
		for field, secret := range map[string]string{"password": password, "sso_auth_token": links[ada.ID]} {
			s.signIn(t, object{"email": "ada@example.org", field: secret}).is(t, http.StatusUnauthorized, "")
		}
		got := categories(ada.ID)
		expect.Equal(t, got, http.StatusUnauthorized, "categories with the agent token: categories(ada.ID)")
		expect.Equal(t, s.TakesToken(t, tokens[ada.ID], ada.ID), false, "categories with the agent token")

		// The same person may come back, as another user.
		next := other.mustCreate(t, details("ADA@example.org", object{"password": "another password"}))
		expect.Not(t, next.ID, ada.ID)
		expect.Equal(t, next.Email, "ADA@example.org")
		isUnauthorized(t, app.show(t, next.ID)) // the link of before was to another user
		for given, want := range map[string]int{password: 401, "another password": 200} {
			s.signIn(t, object{"email": "ada@example.org", "password": given}).is(t, want, "")
		}
		s.signIn(t, object{"email": "ada@example.org", "sso_auth_token": links[ada.ID]}).
			is(t, http.StatusUnauthorized, "")
		got = categories(bob.ID)
		expect.Equal(t, got, http.StatusOK, "the other user's categories: categories(bob.ID)")
		expect.Equal(t, app.show(t, bob.ID).Raw, bob.Raw, "the other user's categories")
		s.signIn(t, object{"email": "bob@example.org", "sso_auth_token": links[bob.ID]}).is(t, http.StatusOK, "")
		s.mustBeWhole(t)
	})
}

// TestDeleteOfAUserWithMuchThatIsItsOwn deletes a user with more records than one transaction takes.
func TestDeleteOfAUserWithMuchThatIsItsOwn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		const many = 130
		// No such apps exist. The deletion goes by the records of the user's side.
		var keys []any
		for i := range many {
			keys = append(keys, table.PermissibleLink(id.ID(i+1), ada.ID), table.LinkedApp(ada.ID, id.ID(i+1)),
				table.AgentToken(ada.ID, [32]byte{byte(i)}))
		}
		s.Put(t, keys...)
		r := app.delete(t, ada.ID)
		r.is(t, http.StatusOK, "")
		if left := s.leftOf(t, ada.ID); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
		writes := 0
		for _, action := range s.Actions(r.Answer) {
			if action == "TransactWriteItems" {
				writes++
			}
		}
		if writes != 1+6 { // the user, and 131 links and 130 tokens, 50 at a time
			t.Errorf("%d transactions", writes)
		}
	})
}

// TestDeleteMeetsEverything deletes a user while others use and change it, all at once, many times. Afterwards nothing
// of the user is left, and only one of two deletions has succeeded.
func TestDeleteMeetsEverything(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		portal := s.NewPortal(t, 1, "handbook", "en")
		operator := &user.Service{Table: s.Table}
		for round := range 4 {
			email := fmt.Sprintf("ada-%d@example.org", round)
			ada := app.mustHave(t, details(email, nil))
			s.AddMember(t, portal, ada.ID)
			agent, link := fixture.Token(app.mint(t, ada.ID).AccessToken), app.mustLogin(t, ada.ID)
			next := fmt.Sprintf("moved-%d@example.org", round)
			var deleted [2]reply
			// Everything that can be done with a user, by its apps, by itself and by operators.
			does := []func() reply{
				func() reply { return s.signIn(t, object{"email": email, "password": password}) },
				func() reply { return s.signIn(t, object{"email": email, "sso_auth_token": link}) },
				func() reply { return app.update(t, ada.ID, object{"name": "New"}) },
				func() reply { return app.update(t, ada.ID, object{"email": next}) },
				func() reply { return app.update(t, ada.ID, object{"password": "another password"}) },
				func() reply { return app.login(t, ada.ID) },
				func() reply { return app.mint(t, ada.ID) },
				func() reply { return app.endTokens(t, ada.ID) },
				func() reply { return other.create(t, details(email, object{"name": "Next"})) },
				func() reply {
					category := object{"category": object{"name": "x", "slug": fmt.Sprint("c", round)}}
					answer := s.Call(t, fixture.To("createCategory", portal), agent, category)
					// A batch of reads is no moment: it may find the user before the deletion, and no membership after
					// it.
					if answer.Status == http.StatusForbidden {
						answer.Status = http.StatusUnauthorized
					}
					return reply{Answer: answer}
				},
				func() reply {
					err := addMember(s, portal, ada.ID)
					if err != nil && !strings.Contains(err.Error(), "there is no user") {
						t.Error(err)
					}
					return reply{Answer: fixture.Answer{Status: http.StatusUnauthorized}}
				},
				func() reply {
					if _, err := operator.SetEmail(t.Context(), ada.ID, "operator-"+next); err != nil &&
						!strings.Contains(err.Error(), "there is no user") &&
						!strings.Contains(err.Error(), "try again") {
						t.Error(err)
					}
					return reply{Answer: fixture.Answer{Status: http.StatusUnauthorized}}
				},
				func() reply { deleted[0] = app.delete(t, ada.ID); return deleted[0] },
				func() reply { deleted[1] = app.delete(t, ada.ID); return deleted[1] },
			}
			// The round shifts who begins: the goroutine that starts first is often the first at the table.
			answers := fixture.Together(len(does), func(i int) reply { return does[(i+4*round)%len(does)]() })
			for _, r := range answers {
				if r.Status != 200 && r.Status != 401 && r.Status != 409 {
					t.Errorf("answer %d %s", r.Status, r.Raw)
				}
			}
			// At most one deletion succeeds. When both met conflicts until the end, the client repeats it.
			if ok := [2]bool{deleted[0].Status == 200, deleted[1].Status == 200}; ok == [2]bool{true, true} {
				t.Error("both deletions have succeeded")
			} else if ok == [2]bool{} {
				app.delete(t, ada.ID).is(t, http.StatusOK, "")
			}
			if left := s.leftOf(t, ada.ID); len(left) > 0 {
				t.Errorf("left: %s", left)
			}
		}
		s.mustBeWhole(t)
	})
}

// TestNothingIsWrittenForADeletedUser deletes the user between the reads and the write of each request. The write
// is refused.
func TestNothingIsWrittenForADeletedUser(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		for i, c := range []struct {
			name   string
			do     func(ada reply, link string) reply
			status int
		}{
			{"sign in", func(ada reply, _ string) reply {
				return s.signIn(t, object{"email": ada.Email, "password": password})
			}, 401},
			{"redeem a link", func(ada reply, link string) reply {
				return s.signIn(t, object{"email": ada.Email, "sso_auth_token": link})
			}, 401},
			{"rename", func(ada reply, _ string) reply {
				return app.update(t, ada.ID, object{"name": "New"})
			}, 401},
			{"change the password", func(ada reply, _ string) reply {
				return app.update(t, ada.ID, object{"password": "another password"})
			}, 401},
			{"change the e-mail", func(ada reply, _ string) reply {
				return app.update(t, ada.ID, object{"email": "moved-" + ada.Email})
			}, 401},
			{"make a link", func(ada reply, _ string) reply { return app.login(t, ada.ID) }, 401},
			{"make a token", func(ada reply, _ string) reply { return app.mint(t, ada.ID) }, 401},
			{"end the tokens", func(ada reply, _ string) reply { return app.endTokens(t, ada.ID) }, 401},
			// The address is free when the write comes, so the request is repeated and makes a new user.
			{"link another app, which creates the next user", func(ada reply, _ string) reply {
				return other.create(t, details(ada.Email, nil))
			}, 200},
			{"delete", func(ada reply, _ string) reply { return app.delete(t, ada.ID) }, 401},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				ada := app.mustHave(t, details(fmt.Sprintf("ada-%d@example.org", i), nil))
				link := app.mustLogin(t, ada.ID)
				// The deletion happens once, before the first write of the request.
				done := false
				s.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
					if call.Action == "TransactWriteItems" && !done {
						done = true
						if _, err := (&user.Service{Table: s.Table}).Delete(t.Context(), ada.ID); err != nil {
							t.Error(err)
						}
					}
					return nil
				})
				r := c.do(ada, link)
				s.AWSProxy().Inject(nil)
				r.is(t, c.status, "")
				left := s.leftOf(t, ada.ID)
				expect.Equal(t, done, true, "left")
				expect.Equal(t, left, nil, "left: s.leftOf(t, ada.ID)")
				expect.Not(t, r.ID, ada.ID, "left")
			})
		}
		s.mustBeWhole(t)
	})
}

// addMember adds a member without failing the test: the caller judges the error.
func addMember(s *stack, p table.Portal, user id.ID) error {
	return portal.Store{Table: s.Table}.AddMember(context.Background(), p, user)
}
