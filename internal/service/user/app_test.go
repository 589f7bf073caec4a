package user_test

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// TestAppsAreCreatedListedAndRevoked follows two apps of an operator. Revoking one twice is no error.
func TestAppsAreCreatedListedAndRevoked(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		ctx := t.Context()
		first, second := s.newApp(t, "first"), s.newApp(t, "second")
		expect.Equal(t, first.app.Name, "first")
		expect.Equal(t, first.app.CreatedAt.IsZero(), false)
		first.mustHave(t, details("ada@example.org", nil)) // the link to this user is no app
		apps, err := s.apps.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		expect.Len(t, apps, 2)
		expect.Equal(t, apps[0], first.app)
		expect.Equal(t, apps[1], second.app)
		// An operator who got no answer asks again: the second time must not fail.
		for range 2 {
			revoked, err := s.apps.Revoke(ctx, first.app.ID)
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, revoked.RevokedAt.IsZero(), false)
			expect.Equal(t, revoked.Name, "first")
		}
		for _, token := range []string{first.token, "", "x", second.token + "0"} {
			s.Call(t, fixture.To("listUsers"), fixture.Token(token), nil).Is(t, 401, nil)
		}
		_, err = s.apps.Revoke(ctx, id.New())
		expect.Contains(t, fmt.Sprint(err), "there is no platform app", "revoking an unknown app: error")
		_, _, err = s.apps.Create(ctx, platformapp.App{Name: " "})
		expect.Equal(t, fmt.Sprint(err), "name must not be blank", "an app without a name: error")
		apps, err = s.apps.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		expect.Len(t, apps, 2)
		expect.Equal(t, apps[0].RevokedAt.IsZero(), false)
		expect.Equal(t, apps[1].RevokedAt.IsZero(), true)
	})
}

// TestAnAppsTokenIsRotated shows that a new token ends the old one at once, and that links to users stay.
func TestAnAppsTokenIsRotated(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		before := app.token
		for range 2 {
			old := app.token
			rotated, text, err := s.apps.Rotate(t.Context(), app.app.ID)
			if err != nil {
				t.Fatal(err)
			}
			expect.Not(t, string(rotated.Digest), string(app.app.Digest))
			app.app.Digest = rotated.Digest
			expect.Equal(t, rotated, app.app)
			s.addSecret(text)
			app.show(t, ada.ID).is(t, 401, "")
			app.token = text
			app.show(t, ada.ID).is(t, 200, "") // the link to the user stays
			if old == text {
				t.Error("the token is the old one")
			}
		}
		// The first token of all must not become good again.
		app.token = before
		app.show(t, ada.ID).is(t, 401, "")
		// Neither may get a token again.
		for name, app := range map[string]id.ID{"a revoked app": app.app.ID, "no app": id.New()} {
			if _, err := s.apps.Revoke(t.Context(), app); err != nil && name == "a revoked app" {
				t.Fatal(err)
			}
			_, text, err := s.apps.Rotate(t.Context(), app)
			what := fmt.Sprintf("rotating %s: ", name)
			expect.HasPrefix(t, fmt.Sprint(err), "there is no platform app", what+"error")
			expect.Equal(t, text, "", what)
		}
		apps, err := s.apps.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		expect.Len(t, apps, 1)
		expect.Equal(t, apps[0].RevokedAt.IsZero(), false)
	})
}

// TestAgentTokensOfOperators makes agent tokens without a sign-in, and revokes those of one user. Tokens of
// others stay.
func TestAgentTokensOfOperators(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		ctx := t.Context()
		tokens := user.Tokens{Table: s.Table}
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil)).ID
		bob := app.mustHave(t, details("bob@example.org", nil)).ID
		var mine []string
		for range 30 { // more than one write of 25 deletes
			text, expires, err := tokens.Create(ctx, ada, 2*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			expect.AtLeast(t, time.Until(expires), 119*time.Minute, "life")
			expect.AtMost(t, time.Until(expires), 2*time.Hour, "life")
			s.addSecret(text)
			mine = append(mine, text)
		}
		his, _, err := tokens.Create(ctx, bob, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, s.TakesToken(t, his, bob), true)
		expect.Equal(t, s.TakesToken(t, his, ada), false)
		s.addSecret(his)
		// A revocation also deletes records of unanswered logins: those of this user alone.
		s.leaveUnanswered(t, ada)
		s.leaveUnanswered(t, bob)
		n, err := tokens.Revoke(ctx, ada)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, n, 30)
		if of := s.CountItems(t, table.AgentTokens+ada.Key(), ""); of != 0 {
			t.Errorf("%d records are left", of)
		}
		if n := s.CountItems(t, table.AgentTokens, table.LoginTokens); n != 1 {
			t.Errorf("%d unanswered logins of the other user, want 1", n)
		}
		for _, text := range append(mine, "", "x", app.token) {
			if s.TakesToken(t, text, ada) {
				t.Error("a token that is none is good")
			}
		}
		if !s.TakesToken(t, his, bob) {
			t.Error("another user's token is revoked, too")
		}
		// The shortest token. It ends although its record may still exist.
		short, expires, err := tokens.Create(ctx, bob, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		s.addSecret(short)
		time.Sleep(time.Until(expires) + 10*time.Millisecond)
		if s.TakesToken(t, short, bob) {
			t.Error("a token is good after its time")
		}
		n, err = tokens.Revoke(ctx, ada)
		if err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, n, 0)
		_, err = tokens.Revoke(ctx, 1)
		expect.Equal(t, fmt.Sprint(err), "there is no user 1", "revoking an unknown user's: error")
		_, _, err = tokens.Create(ctx, 1, time.Hour)
		expect.Equal(t, fmt.Sprint(err), "there is no user 1", "a token of an unknown user: error")
		if _, _, err := tokens.Create(ctx, ada, time.Millisecond); err == nil {
			t.Error("a token without life")
		}
		app.show(t, ada).is(t, 200, "")
		s.mustBeWhole(t)
	})
}

// TestUsersOfOperators shows that creating the same user again links it, and finds a user by any spelling of
// the address.
func TestUsersOfOperators(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		ctx := t.Context()
		service := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		// The third creation is the first one again: an operator's script may run twice.
		for _, c := range []client{app, other, app} {
			u, err := service.Create(ctx, c.app.ID, user.Details{
				Name: "Ada", Email: " Ada@example.org", Password: password,
			})
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, u.Email, "Ada@example.org")
			expect.Equal(t, u.Name, "Ada")
			found, err := service.Find(ctx, "ada@EXAMPLE.org")
			if err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, found, u)
			c.show(t, u.ID).is(t, 200, "")
		}
		for email, want := range map[string]string{
			"eve@example.org": "there is no user with the e-mail address eve@example.org",
			"eve":             "has no @",
			"":                "can't be blank",
		} {
			_, err := service.Find(ctx, email)
			expect.Contains(t, fmt.Sprint(err), want, email+": error")
		}
		_, err := service.Create(ctx, app.app.ID, user.Details{Email: "x"})
		expect.HasPrefix(t, fmt.Sprint(err), "Name can't be blank, Email")
		if n := s.CountItems(t, "USER#", "USER"); n != 1 {
			t.Errorf("%d users", n)
		}
		s.mustBeWhole(t)
	})
}
