package user_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

func TestAppsAreCreatedListedAndRevoked(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	first, second := s.newApp(t, "first"), s.newApp(t, "second")
	got, err := s.apps.Authenticate(ctx, first.token)
	if err != nil || got != first.app || got.Name != "first" || got.CreatedAt.IsZero() {
		t.Errorf("authenticated %+v, %v; want %+v", got, err, first.app)
	}
	first.mustHave(t, details("ada@example.org", nil)) // the link to this user is no app
	apps, err := s.apps.List(ctx)
	if err != nil || len(apps) != 2 || apps[0] != first.app || apps[1] != second.app {
		t.Errorf("listed %+v, %v", apps, err)
	}
	for range 2 {
		revoked, err := s.apps.Revoke(ctx, first.app.ID)
		if err != nil || revoked.RevokedAt.IsZero() || revoked.Name != "first" {
			t.Errorf("revoked %+v, %v", revoked, err)
		}
	}
	for _, token := range []string{first.token, "", "x", second.token + "0"} {
		if _, err := s.apps.Authenticate(ctx, token); err == nil {
			t.Error("a token that is none is good")
		}
	}
	_, err = s.apps.Revoke(ctx, id.New())
	if err == nil || !strings.Contains(err.Error(), "there is no platform app") {
		t.Errorf("revoking an unknown app: %v", err)
	}
	if _, _, err := s.apps.Create(ctx, " "); err == nil || err.Error() != "name must not be blank" {
		t.Errorf("an app without a name: %v", err)
	}
	if apps, _ := s.apps.List(ctx); len(apps) != 2 || apps[0].RevokedAt.IsZero() || !apps[1].RevokedAt.IsZero() {
		t.Errorf("listed %+v", apps)
	}
}

func TestAnAppsTokenIsRotated(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil))
	before := app.token
	for range 2 {
		old := app.token
		rotated, text, err := s.apps.Rotate(t.Context(), app.app.ID)
		if err != nil || rotated != app.app {
			t.Fatalf("rotated %+v, %v; want %+v", rotated, err, app.app)
		}
		s.addSecret(text)
		app.show(t, ada.ID).is(t, 401, "")
		app.token = text
		app.show(t, ada.ID).is(t, 200, "") // the link to the user stays
		if old == text {
			t.Error("the token is the old one")
		}
	}
	app.token = before
	app.show(t, ada.ID).is(t, 401, "")
	for name, app := range map[string]id.ID{"a revoked app": app.app.ID, "no app": id.New()} {
		if _, err := s.apps.Revoke(t.Context(), app); err != nil && name == "a revoked app" {
			t.Fatal(err)
		}
		_, text, err := s.apps.Rotate(t.Context(), app)
		if err == nil || !strings.HasPrefix(err.Error(), "there is no platform app") || text != "" {
			t.Errorf("rotating %s: %q, %v", name, text, err)
		}
	}
	if apps, err := s.apps.List(t.Context()); err != nil || len(apps) != 1 || apps[0].RevokedAt.IsZero() {
		t.Errorf("listed %+v, %v", apps, err)
	}
}

func TestAgentTokensOfOperators(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	tokens := user.Tokens{Table: s.Table}
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil)).ID
	bob := app.mustHave(t, details("bob@example.org", nil)).ID
	var mine []string
	for range 30 { // more than one write of 25 deletes
		text, expires, err := tokens.Create(ctx, ada, 2*time.Hour)
		if err != nil || time.Until(expires) < 119*time.Minute || time.Until(expires) > 2*time.Hour {
			t.Fatalf("expires %s, %v", expires, err)
		}
		s.addSecret(text)
		mine = append(mine, text)
	}
	his, _, err := tokens.Create(ctx, bob, time.Hour)
	if err != nil || !s.good(t, his, bob) || s.good(t, his, ada) {
		t.Errorf("%v", err)
	}
	s.addSecret(his)
	s.leaveUnanswered(t, ada)
	s.leaveUnanswered(t, bob)
	if n, err := tokens.Revoke(ctx, ada); n != 30 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if of := s.CountItems(t, table.AgentTokens+ada.Key(), ""); of != 0 {
		t.Errorf("%d records are left", of)
	}
	if n := s.CountItems(t, table.AgentTokens, table.LoginTokens); n != 1 {
		t.Errorf("%d unanswered logins of the other user, want 1", n)
	}
	for _, text := range append(mine, "", "x", app.token) {
		if s.good(t, text, ada) {
			t.Error("a token that is none is good")
		}
	}
	if !s.good(t, his, bob) {
		t.Error("another user's token is revoked, too")
	}
	short, expires, err := tokens.Create(ctx, bob, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	s.addSecret(short)
	time.Sleep(time.Until(expires) + 10*time.Millisecond)
	if s.good(t, short, bob) {
		t.Error("a token is good after its time")
	}
	if n, err := tokens.Revoke(ctx, ada); n != 0 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if _, err := tokens.Revoke(ctx, 1); err == nil || err.Error() != "there is no user 1" {
		t.Errorf("revoking an unknown user's: %v", err)
	}
	if _, _, err := tokens.Create(ctx, 1, time.Hour); err == nil || err.Error() != "there is no user 1" {
		t.Errorf("a token of an unknown user: %v", err)
	}
	if _, _, err := tokens.Create(ctx, ada, time.Millisecond); err == nil {
		t.Error("a token without life")
	}
	app.show(t, ada).is(t, 200, "")
	s.checkInvariants(t)
}

func TestUsersOfOperators(t *testing.T) {
	s := start(t)
	ctx := t.Context()
	service := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
	app, other := s.newApp(t, "app"), s.newApp(t, "other")
	for _, c := range []client{app, other, app} {
		u, err := service.Create(ctx, c.app.ID, user.Details{
			Name: "Ada", Email: " Ada@example.org", Password: password,
		})
		if err != nil || u.Email != "Ada@example.org" || u.Name != "Ada" {
			t.Errorf("created %+v, %v", u, err)
		}
		if found, err := service.Find(ctx, "ada@EXAMPLE.org"); err != nil || found != u {
			t.Errorf("found %+v, %v", found, err)
		}
		c.show(t, u.ID).is(t, 200, "")
	}
	for email, want := range map[string]string{
		"eve@example.org": "there is no user with the e-mail address eve@example.org",
		"eve":             "has no @",
		"":                "can't be blank",
	} {
		if _, err := service.Find(ctx, email); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", email, err)
		}
	}
	_, err := service.Create(ctx, app.app.ID, user.Details{Email: "x"})
	if err == nil || !strings.HasPrefix(err.Error(), "Name can't be blank, Email") {
		t.Errorf("%v", err)
	}
	if n := s.CountItems(t, "USER#", "USER"); n != 1 {
		t.Errorf("%d users", n)
	}
	s.checkInvariants(t)
}
