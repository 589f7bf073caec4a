package user_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestRevocationIsWhole shows what each revocation ends, also what is being redeemed at that moment: the write of
// such a sign-in has a condition on what was revoked, and fails.
func TestRevocationIsWhole(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		type tenant struct {
			app, other client
			ada        reply
		}
		tokens := user.Tokens{Table: s.Table}
		revokeTokens := func(t testing.TB, of tenant) {
			if _, err := tokens.Revoke(t.Context(), of.ada.ID); err != nil {
				t.Error(err)
			}
		}
		endTokens := func(t testing.TB, of tenant) {
			of.app.endTokens(t, of.ada.ID).is(t, http.StatusOK, "")
		}
		revokeApp := func(t testing.TB, of tenant) {
			if _, err := s.apps.Revoke(t.Context(), of.app.app.ID); err != nil {
				t.Error(err)
			}
		}
		rotateApp := func(t testing.TB, of tenant) {
			_, text, err := s.apps.Rotate(t.Context(), of.app.app.ID)
			if err != nil {
				t.Error(err)
			}
			s.addSecret(text)
		}
		nothing := func(testing.TB, tenant) {}
		users := 0
		for name, c := range map[string]struct {
			revoke    func(testing.TB, tenant)
			agent     bool // agent tokens stay good
			link      int  // the status for a link of the app afterwards
			other     int  // the status for a link of another app
			redeeming int  // the status for a link of the app that is being redeemed during the revocation
			signingIn int  // the status for a sign-in by password during the revocation
		}{
			"without one":        {nothing, true, 200, 200, 200, 200},
			"user revoke-tokens": {revokeTokens, false, 401, 401, 401, 401},
			"DELETE …/token":     {endTokens, false, 401, 401, 401, 401},
			"platform-app revoke: what the app has signed in stays": {revokeApp, true, 401, 200, 401, 200},
			"platform-app rotate: no link of the old token is left": {rotateApp, true, 401, 200, 401, 200},
		} {
			users++ // each case has a user of its own, who is not locked out by the failures of another's
			email := fmt.Sprintf("ada-%d@example.org", users)
			byLink := func(token string) object { return object{"email": email, "sso_auth_token": token} }
			byPassword := object{"email": email, "password": password}
			localtest.Case(t, name, func(t testing.TB) {
				of := tenant{app: s.newApp(t, "app"), other: s.newApp(t, "other")}
				of.ada = of.app.mustHave(t, details(email, nil))
				of.other.mustHave(t, details(email, nil))
				// waitsFor signs in, and lets the revocation happen just before the sign-in's transaction reaches
				// the table.
				waitsFor := func(credentials object) reply {
					s.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
						if call.Function == "SignInFunction" && call.Action == "TransactWriteItems" {
							s.AWSProxy().Inject(nil)
							c.revoke(t, of)
						}
						return nil
					})
					return s.signIn(t, credentials)
				}
				minted, _, err := tokens.Create(t.Context(), of.ada.ID, time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				s.addSecret(minted)
				agents := []string{minted, s.signIn(t, byPassword).Data.AccessToken}
				link, redeeming := of.app.mustLogin(t, of.ada.ID), of.app.mustLogin(t, of.ada.ID)
				other := of.other.mustLogin(t, of.ada.ID)

				waitsFor(byLink(redeeming)).is(t, c.redeeming, "")
				for _, token := range agents {
					if s.TakesToken(t, token, of.ada.ID) != c.agent {
						t.Errorf("an agent token is good: %t", !c.agent)
					}
				}
				s.signIn(t, byLink(link)).is(t, c.link, "")
				s.signIn(t, byLink(other)).is(t, c.other, "")
				waitsFor(byPassword).is(t, c.signingIn, "")

				// Nobody is locked out, and nothing that is given out later has ended.
				again := s.signIn(t, byPassword)
				again.is(t, http.StatusOK, "")
				late := of.other.mustLogin(t, of.ada.ID)
				s.signIn(t, byLink(late)).is(t, http.StatusOK, "")
				if !s.TakesToken(t, again.Data.AccessToken, of.ada.ID) {
					t.Error("a token that was made afterwards is not good")
				}
				s.mustBeWhole(t)
			})
		}
		s.mustBeWhole(t)
	})
}

// TestNoAccessIsChangedAfterARevocation ends an app while the transaction of its request is on the way to the table. A
// request that changes a password or an e-mail address is refused and changes nothing. The page of security names the
// others, which go on.
func TestNoAccessIsChangedAfterARevocation(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		revocations := map[string]func(t testing.TB, app client, ada id.ID){
			"platform-app revoke": func(t testing.TB, app client, _ id.ID) {
				if _, err := s.apps.Revoke(t.Context(), app.app.ID); err != nil {
					t.Error(err)
				}
			},
			"platform-app rotate": func(t testing.TB, app client, _ id.ID) {
				_, text, err := s.apps.Rotate(t.Context(), app.app.ID)
				if err != nil {
					t.Error(err)
				}
				s.addSecret(text)
			},
			"its link goes": func(t testing.TB, app client, ada id.ID) {
				if err := s.Table.DeleteItem(table.PermissibleLink(app.app.ID, ada)).Run(t.Context()); err != nil {
					t.Error(err)
				}
			},
		}
		const another = "another-password"
		n := 0
		for revocation, revoke := range revocations {
			for request, c := range map[string]struct {
				operation string
				change    object
				status    int
			}{
				"PATCH, a password":            {"updateUser", object{"password": another}, 401},
				"PUT, a password":              {"updateUserByPut", object{"password": another}, 401},
				"PATCH, an address":            {"updateUser", object{"email": "new-%d@example.org"}, 401},
				"PATCH, an address's spelling": {"updateUser", object{"email": "ADA-%d@example.org"}, 401},
				"PATCH, both": {"updateUser", object{"email": "new-%d@example.org", "password": another},
					401},
				"PATCH, a password and a name": {"updateUser", object{"password": another, "name": "Other"}, 401},
				"PATCH, a name goes on":        {"updateUser", object{"name": "Other"}, 200},
			} {
				n++
				email := fmt.Sprintf("ada-%d@example.org", n)
				if address, changes := c.change["email"].(string); changes {
					c.change = maps.Clone(c.change)
					c.change["email"] = fmt.Sprintf(address, n)
				}
				localtest.Case(t, revocation+": "+request, func(t testing.TB) {
					app := s.newApp(t, "app")
					ada := app.mustHave(t, details(email, nil))
					s.AWSProxy().Inject(func(call awsproxy.Call) *awsproxy.Fault {
						if call.Function == "UpdateUserFunction" && call.Action == "TransactWriteItems" {
							s.AWSProxy().Inject(nil)
							revoke(t, app, ada.ID)
						}
						return nil
					})
					app.send(t, fixture.To(c.operation, ada.ID), c.change).is(t, c.status, "")
					signed := s.signIn(t, object{"email": email, "password": password})
					signed.is(t, http.StatusOK, "")
					if c.status != http.StatusOK {
						expect.Equal(t, signed.Data.Email, email, "the address")
						expect.Equal(t, signed.Data.Name, ada.Name, "the name")
					}
				})
			}
		}
		s.AWSProxy().Inject(nil)
	})
}
