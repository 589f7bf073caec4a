package user_test

import (
	"fmt"
	"net/http"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// overtaken is a request whose first transaction gets no answer and arrives late.
type overtaken struct {
	request   func() reply
	meanwhile func() // what the request meets at its second attempt
	back      func() // makes true again what the first transaction wants, as far as that is possible
	status    int    // of the answer
	applied   bool   // the late transaction is
}

// TestARefusalIsFinal lets others overtake a request, so that its second attempt is refused, and then take back what
// they have done. Then the first attempt arrives. Where it succeeds, the answer must have been 503: a refusal would
// have been wrong. Any other answer is final, and the late attempt changes nothing.
func TestARefusalIsFinal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		for name, prepare := range s.overtakings(t) {
			localtest.Case(t, name, func(t testing.TB) {
				o := prepare(t, fmt.Sprintf("ada-%d@example.org", id.New()))
				arrive := s.Overtake(t, func() { o.request().is(t, o.status, "") }, o.meanwhile)
				o.back()
				expect.Equal(t, arrive(), o.applied, "the late transaction is applied")
			})
		}
		s.MustBeWhole(t)
	})
}

// overtakings are requests, each with what overtakes it.
func (s *stack) overtakings(t testing.TB) map[string]func(t testing.TB, email string) overtaken {
	app, other := s.newApp(t, "app"), s.newApp(t, "other")
	users := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
	nothing := func() {}
	moves := func(t testing.TB, of id.ID, to string) func() {
		return func() { other.update(t, of, object{"email": to}).is(t, http.StatusOK, "") }
	}
	// gone deletes a user, and again imports the same one under its id.
	gone := func(t testing.TB, u reply) (gone, back func()) {
		return func() {
				_, err := users.Delete(t.Context(), u.ID)
				must(t, err)
			}, func() {
				_, _, err := users.Import(t.Context(), user.Imported{
					ID: u.ID, Name: u.Name, Email: u.Email, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
				})
				must(t, err)
				for _, app := range []client{app, other} {
					_, err := users.ImportLink(t.Context(), app.app.ID, u.ID, u.CreatedAt)
					must(t, err)
				}
			}
	}
	return map[string]func(t testing.TB, email string) overtaken{
		"create-user, whose address is taken and free again": func(t testing.TB, email string) overtaken {
			var bob reply
			return overtaken{
				request:   func() reply { return app.create(t, details(email, nil)) },
				meanwhile: func() { bob = other.mustHave(t, details(email, nil)) },
				back:      func() { other.delete(t, bob.ID).is(t, http.StatusOK, "") },
				status:    503, applied: true,
			}
		},
		// The app would get a link that no answer has told of.
		"create-user of one who leaves the address for a while": func(t testing.TB, email string) overtaken {
			ada := other.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return app.create(t, object{"email": email}) },
				meanwhile: moves(t, ada.ID, "x"+email),
				back:      moves(t, ada.ID, email),
				status:    422, applied: false,
			}
		},
		"create-user of one who exists, and is renamed": func(t testing.TB, email string) overtaken {
			ada := other.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return app.create(t, object{"email": email}) },
				meanwhile: func() { other.update(t, ada.ID, object{"name": "Changed"}).is(t, http.StatusOK, "") },
				back:      func() { other.update(t, ada.ID, object{"name": ada.Name}).is(t, http.StatusOK, "") },
				status:    200, applied: false,
			}
		},
		"update-user, whose new address is taken and free again": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details("x"+email, nil))
			var bob reply
			return overtaken{
				request:   func() reply { return app.update(t, ada.ID, object{"email": email}) },
				meanwhile: func() { bob = other.mustHave(t, details(email, nil)) },
				back:      func() { other.delete(t, bob.ID).is(t, http.StatusOK, "") },
				status:    503, applied: true,
			}
		},
		"update-user, whose address leaves and comes back": func(t testing.TB, email string) overtaken {
			ada := other.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return other.update(t, ada.ID, object{"name": "First"}) },
				meanwhile: moves(t, ada.ID, "x"+email),
				back:      moves(t, ada.ID, email),
				status:    200, applied: false,
			}
		},
		"update-user by an app that gets another token": func(t testing.TB, email string) overtaken {
			app := s.newApp(t, "rotated")
			ada := app.mustHave(t, details(email, nil))
			return overtaken{
				request: func() reply { return app.update(t, ada.ID, object{"password": "another password"}) },
				meanwhile: func() {
					_, _, err := s.apps.Rotate(t.Context(), app.app.ID)
					must(t, err)
				},
				back: nothing, status: 401, applied: false,
			}
		},
		"update-user by an app whose link is lost and repaired": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			link := table.PermissibleLink(app.app.ID, ada.ID)
			return overtaken{
				request:   func() reply { return app.update(t, ada.ID, object{"password": "another password"}) },
				meanwhile: func() { must(t, s.Table.DeleteItem(link).Run(t.Context())) },
				back:      func() { s.Put(t, user.PermissibleLink{Key: link, User: ada.ID}) },
				status:    503, applied: true,
			}
		},
		"delete-user, whose address leaves and comes back": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			other.create(t, object{"email": email}).is(t, http.StatusOK, "")
			_, back := gone(t, ada)
			return overtaken{
				request:   func() reply { return app.delete(t, ada.ID) },
				meanwhile: moves(t, ada.ID, "x"+email),
				back:      back,
				status:    200, applied: false,
			}
		},
		"login-link of a user who is deleted and imported again": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			end, back := gone(t, ada)
			return overtaken{
				request: func() reply { return app.login(t, ada.ID) }, meanwhile: end, back: back,
				status: 503, applied: true,
			}
		},
		"create-user-token of a user who is deleted and imported again": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			end, back := gone(t, ada)
			return overtaken{
				request: func() reply { return app.mint(t, ada.ID) }, meanwhile: end, back: back,
				status: 401, applied: false,
			}
		},
		"create-user-token, and another password": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return app.mint(t, ada.ID) },
				meanwhile: func() { app.update(t, ada.ID, object{"password": "another password"}) },
				back:      func() { app.update(t, ada.ID, object{"password": password}) },
				status:    200, applied: false,
			}
		},
		"delete-user-tokens, and another password": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return app.endTokens(t, ada.ID) },
				meanwhile: func() { app.update(t, ada.ID, object{"password": "another password"}) },
				back:      func() { app.update(t, ada.ID, object{"password": password}) },
				status:    200, applied: false,
			}
		},
		// The generation is of the user, and stays with another address. The owner of the address is another item.
		"delete-user-tokens, whose address leaves and comes back": func(t testing.TB, email string) overtaken {
			ada := other.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return other.endTokens(t, ada.ID) },
				meanwhile: moves(t, ada.ID, "x"+email),
				back:      moves(t, ada.ID, email),
				status:    503, applied: true,
			}
		},
		"sign-in by a link that somebody else spends": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			link := object{"email": email, "sso_auth_token": app.mustLogin(t, ada.ID)}
			return overtaken{
				request:   func() reply { return s.signIn(t, link) },
				meanwhile: func() { s.signIn(t, link).is(t, http.StatusOK, "") },
				back:      func() { s.signIn(t, link).is(t, http.StatusUnauthorized, "") },
				status:    401, applied: false,
			}
		},
		"sign-in by a link of an app that gets another token": func(t testing.TB, email string) overtaken {
			app := s.newApp(t, "rotated")
			ada := app.mustHave(t, details(email, nil))
			link := object{"email": email, "sso_auth_token": app.mustLogin(t, ada.ID)}
			return overtaken{
				request: func() reply { return s.signIn(t, link) },
				meanwhile: func() {
					_, _, err := s.apps.Rotate(t.Context(), app.app.ID)
					must(t, err)
				},
				back: nothing, status: 401, applied: false,
			}
		},
		"sign-in by a password that another one replaces": func(t testing.TB, email string) overtaken {
			ada := app.mustHave(t, details(email, nil))
			return overtaken{
				request:   func() reply { return s.signIn(t, object{"email": email, "password": password}) },
				meanwhile: func() { app.update(t, ada.ID, object{"password": "another password"}) },
				back:      func() { app.update(t, ada.ID, object{"password": password}) },
				status:    401, applied: false,
			}
		},
	}
}

// TestASignInThatIsOvertakenIsNoRefusal: the hash from another program moves to another address while a sign-in
// replaces it by ours. The sign-in gives its token all the same. When its first transaction arrives late, the same
// token and our hash of the same password are stored.
func TestASignInThatIsOvertakenIsNoRefusal(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.importing(t)
		ada := app.mustCreate(t, imported("ada@example.org", foreignHash))
		credentials := object{"email": "ada@example.org", "password": "short"}
		moves := func(to string) func() {
			return func() { app.update(t, ada.ID, object{"email": to}).is(t, http.StatusOK, "") }
		}
		arrive := s.Overtake(t, func() { s.signIn(t, credentials).is(t, http.StatusOK, "") }, moves("x@example.org"))
		moves("ada@example.org")()
		expect.Equal(t, s.stored(t, "ada@example.org"), "foreign:"+foreignHash)
		tokens := s.CountItems(t, table.AgentTokens, table.AgentTokens)
		expect.Equal(t, arrive(), true, "the late transaction is applied")
		expect.Equal(t, s.CountItems(t, table.AgentTokens, table.AgentTokens), tokens, "tokens")
		expect.HasPrefix(t, s.stored(t, "ada@example.org"), "$argon2id$")
		s.signIn(t, credentials).is(t, http.StatusOK, "")
		s.mustBeWhole(t)
	})
}

// TestADeletionThatIsRefusedDoesNotHappenLater: the first attempt at a deletion gets no answer, the second one finds
// another address, and all that follow meet other transactions. The app is told 409: nothing was written. The address
// comes back, and then the first attempt arrives.
func TestADeletionThatIsRefusedDoesNotHappenLater(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		ada := app.mustHave(t, details("ada@example.org", nil))
		other.create(t, object{"email": ada.Email}).is(t, http.StatusOK, "")
		moves := func(to string) { other.update(t, ada.ID, object{"email": to}).is(t, http.StatusOK, "") }
		attempts := 0
		var arrive func()
		s.AWSProxy().Inject(fixture.OfOneRequest(func(c awsproxy.Call) *awsproxy.Fault {
			if c.Action != "TransactWriteItems" {
				return nil
			}
			attempts++
			switch attempts {
			case 1:
				moves("x@example.org")
				return awsproxy.Late(func(apply func()) { arrive = apply })
			case 2:
				return nil
			}
			return awsproxy.Conflict
		}))
		app.delete(t, ada.ID).is(t, http.StatusConflict, "")
		s.AWSProxy().Inject(nil)
		moves(ada.Email)
		arrive()
		expect.Equal(t, app.show(t, ada.ID).Email, ada.Email)
		s.mustBeWhole(t)
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
