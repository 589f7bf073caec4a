package user_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestNoWriteIsUndoneByItsOwnRepetition delays the first attempt of each write of a request. It arrives when the
// request has been answered and another one has succeeded since. What that one did stays. Networks do that. DynamoDB
// applies writes as they arrive, so a condition in each write has to tell that it is late.
func TestNoWriteIsUndoneByItsOwnRepetition(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other, importing := s.newApp(t, "app"), s.newApp(t, "other"), s.importing(t)
		const changed = "another-password"
		signsIn := func(t testing.TB, email, with string, status int) {
			t.Helper()
			s.signIn(t, object{"email": email, "password": with}).is(t, status, "")
		}
		type steps struct {
			first func() reply // its first attempts are delayed
			then  func() reply
			after func() // looks at what is there in the end
		}
		// shown returns a check that the user still looks like the answer to then.
		shown := func(t testing.TB, then *reply, of func() reply) func() {
			return func() {
				if now := of(); now.Raw != then.Raw {
					t.Errorf("shown %s, want %s", now.Raw, then.Raw)
				}
			}
		}
		for name, prepare := range map[string]func(t testing.TB, email string) steps{
			"update-user: a name, and another name": func(t testing.TB, email string) steps {
				ada, then := app.mustHave(t, details(email, nil)), new(reply)
				return steps{
					first: func() reply { return app.update(t, ada.ID, object{"name": "First"}) },
					then: func() reply {
						*then = app.update(t, ada.ID, object{"name": "Then"})
						return *then
					},
					after: shown(t, then, func() reply { return app.show(t, ada.ID) }),
				}
			},
			"update-user: attributes, and none": func(t testing.TB, email string) steps {
				ada, then := app.mustHave(t, details(email, nil)), new(reply)
				return steps{
					first: func() reply {
						return app.update(t, ada.ID, object{"custom_attributes": object{"plan": "gold"}})
					},
					then: func() reply {
						*then = app.update(t, ada.ID, object{"custom_attributes": null})
						return *then
					},
					after: shown(t, then, func() reply { return app.show(t, ada.ID) }),
				}
			},
			"update-user: a password, and another password": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				return steps{
					first: func() reply { return app.update(t, ada.ID, object{"password": "first-password"}) },
					then:  func() reply { return app.update(t, ada.ID, object{"password": changed}) },
					after: func() {
						signsIn(t, email, changed, http.StatusOK)
						signsIn(t, email, "first-password", http.StatusUnauthorized)
					},
				}
			},
			// The late attempt would take the address away again.
			"update-user: an address, and the one of before": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				return steps{
					first: func() reply { return app.update(t, ada.ID, object{"email": "x" + email}) },
					then:  func() reply { return app.update(t, ada.ID, object{"email": email}) },
					after: func() {
						signsIn(t, email, password, http.StatusOK)
						signsIn(t, "x"+email, password, http.StatusUnauthorized)
					},
				}
			},
			// The late creation would bring the user back.
			"create-user, and its deletion": func(t testing.TB, email string) steps {
				var ada reply
				return steps{
					first: func() reply {
						ada = app.create(t, details(email, nil))
						return ada
					},
					then: func() reply { return app.delete(t, ada.ID) },
					after: func() {
						app.show(t, ada.ID).is(t, http.StatusUnauthorized, "")
						signsIn(t, email, password, http.StatusUnauthorized)
					},
				}
			},
			// The late link would be one to nobody.
			"create-user of one who exists, and the deletion": func(t testing.TB, email string) steps {
				ada := other.mustHave(t, details(email, nil))
				return steps{
					first: func() reply { return app.create(t, object{"email": email}) },
					then:  func() reply { return other.delete(t, ada.ID) },
					after: func() { app.show(t, ada.ID).is(t, http.StatusUnauthorized, "") },
				}
			},
			// The late deletion would take the address from its new user.
			"delete-user, and the address has another user": func(t testing.TB, email string) steps {
				ada, then := app.mustHave(t, details(email, nil)), new(reply)
				return steps{
					first: func() reply { return app.delete(t, ada.ID) },
					then: func() reply {
						*then = app.create(t, details(email, object{"password": changed}))
						return *then
					},
					after: func() {
						shown(t, then, func() reply { return app.show(t, then.ID) })()
						signsIn(t, email, changed, http.StatusOK)
					},
				}
			},
			// A link of the old generation may be stored late, but it must not sign in.
			"login-link, and another password": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				var link reply
				return steps{
					first: func() reply {
						link = app.login(t, ada.ID)
						return link
					},
					then: func() reply { return app.update(t, ada.ID, object{"password": changed}) },
					after: func() {
						s.signIn(t, object{"email": email, "sso_auth_token": fixture.TokenOfLink(link.URL)}).
							is(t, http.StatusUnauthorized, "")
					},
				}
			},
			// Nothing to look at: the check would find a token without a user.
			"create-user-token, and the deletion": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				return steps{
					first: func() reply { return app.mint(t, ada.ID) },
					then:  func() reply { return app.delete(t, ada.ID) },
					after: func() {},
				}
			},
			// The late end of all tokens would end the new one.
			"delete-user-tokens, and a new token": func(t testing.TB, email string) steps {
				ada, then := app.mustHave(t, details(email, nil)), new(reply)
				return steps{
					first: func() reply { return app.endTokens(t, ada.ID) },
					then: func() reply {
						*then = app.mint(t, ada.ID)
						return *then
					},
					after: func() {
						if !s.TakesToken(t, then.AccessToken, ada.ID) {
							t.Error("a token that was made afterwards has ended")
						}
					},
				}
			},
			"create-user-token, and the end of all": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				var minted reply
				return steps{
					first: func() reply {
						minted = app.mint(t, ada.ID)
						return minted
					},
					then: func() reply { return app.endTokens(t, ada.ID) },
					after: func() {
						if s.TakesToken(t, minted.AccessToken, ada.ID) {
							t.Error("a token of before is good")
						}
					},
				}
			},
			"sign-in by a foreign hash, and another password": func(t testing.TB, email string) steps {
				ada := importing.mustCreate(t, imported(email, foreignHash))
				return steps{
					first: func() reply { return s.signIn(t, object{"email": email, "password": "short"}) },
					then:  func() reply { return importing.update(t, ada.ID, object{"password": changed}) },
					after: func() {
						signsIn(t, email, changed, http.StatusOK)
						signsIn(t, email, "short", http.StatusUnauthorized)
					},
				}
			},
			"sign-in by a password, and another one": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				return steps{
					first: func() reply { return s.signIn(t, object{"email": email, "password": password}) },
					then:  func() reply { return app.update(t, ada.ID, object{"password": changed}) },
					after: func() { signsIn(t, email, changed, http.StatusOK) },
				}
			},
			"sign-in by a link, and another password": func(t testing.TB, email string) steps {
				ada := app.mustHave(t, details(email, nil))
				link := object{"email": email, "sso_auth_token": app.mustLogin(t, ada.ID)}
				return steps{
					first: func() reply { return s.signIn(t, link) },
					then:  func() reply { return app.update(t, ada.ID, object{"password": changed}) },
					after: func() { s.signIn(t, link).is(t, http.StatusUnauthorized, "") },
				}
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				p := prepare(t, strings.NewReplacer(" ", "-", ":", "", ",", "").Replace(name)+"@example.org")
				// The first attempts are kept back. The function's own second attempts succeed.
				arrive := s.DelayFirstAttempts(t, func() { p.first().is(t, http.StatusOK, "") })
				p.then().is(t, http.StatusOK, "")
				arrive()
				p.after()
			})
		}
		s.mustBeWhole(t)
	})
}
