package user_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/id"
	"frontdesk/internal/user"
)

func TestAppsAreCreatedListedAndRevoked(t *testing.T) {
	t.Parallel()
	d := open(t)
	ctx := t.Context()
	first, second := d.newApp(t, "first"), d.newApp(t, "second")
	got, err := d.apps.Authenticate(ctx, first.token)
	if err != nil || got != first.app || got.Name != "first" || got.CreatedAt.IsZero() {
		t.Errorf("authenticated %+v, %v; want %+v", got, err, first.app)
	}
	first.mustCreate(t, details("ada@example.org", nil)) // whose link is no app
	apps, err := d.apps.List(ctx)
	if err != nil || len(apps) != 2 || apps[0] != first.app || apps[1] != second.app {
		t.Errorf("listed %+v, %v", apps, err)
	}
	for range 2 {
		revoked, err := d.apps.Revoke(ctx, first.app.ID)
		if err != nil || revoked.RevokedAt.IsZero() || revoked.Name != "first" {
			t.Errorf("revoked %+v, %v", revoked, err)
		}
	}
	for _, token := range []string{first.token, "", "x", second.token + "0"} {
		if _, err := d.apps.Authenticate(ctx, token); err == nil {
			t.Error("a token that is none is good")
		}
	}
	if _, err := d.apps.Revoke(ctx, id.New()); err == nil || !strings.Contains(err.Error(), "there is no platform app") {
		t.Errorf("revoking an unknown app: %v", err)
	}
	if _, _, err := d.apps.Create(ctx, " "); err == nil || err.Error() != "name must not be blank" {
		t.Errorf("an app without a name: %v", err)
	}
	if apps, _ := d.apps.List(ctx); len(apps) != 2 || apps[0].RevokedAt.IsZero() || !apps[1].RevokedAt.IsZero() {
		t.Errorf("listed %+v", apps)
	}
}

func TestAgentTokensOfOperators(t *testing.T) {
	t.Parallel()
	d := open(t)
	ctx := t.Context()
	tokens := user.Tokens{Table: d.table}
	app := d.newApp(t, "app")
	ada := app.mustCreate(t, details("ada@example.org", nil)).ID
	bob := app.mustCreate(t, details("bob@example.org", nil)).ID
	var mine []string
	for range 30 { // more than one write of 25 deletes
		text, expires, err := tokens.Create(ctx, ada, 2*time.Hour)
		if err != nil || time.Until(expires) < 119*time.Minute || time.Until(expires) > 2*time.Hour {
			t.Fatalf("expires %s, %v", expires, err)
		}
		d.keep(text)
		mine = append(mine, text)
	}
	his, _, err := tokens.Create(ctx, bob, time.Hour)
	if err != nil || !d.good(t, his, bob) || d.good(t, his, ada) {
		t.Errorf("%v", err)
	}
	d.keep(his)
	if n, err := tokens.Revoke(ctx, ada); n != 30 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	for _, text := range append(mine, "", "x", app.token) {
		if d.good(t, text, ada) {
			t.Error("a token that is none is good")
		}
	}
	if !d.good(t, his, bob) {
		t.Error("another user's token is revoked, too")
	}
	short, expires, err := tokens.Create(ctx, bob, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	d.keep(short)
	time.Sleep(time.Until(expires) + 10*time.Millisecond)
	if d.good(t, short, bob) {
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
	d.checkWhole(t)
}

func TestUsersOfOperators(t *testing.T) {
	d := open(t)
	ctx := t.Context()
	s := &user.Service{Table: d.table}
	app, other := d.newApp(t, "app"), d.newApp(t, "other")
	for _, c := range []client{app, other, app} {
		u, err := s.Create(ctx, c.app.ID, user.Details{Name: "Ada", Email: " Ada@example.org", Password: password})
		if err != nil || u.Email != "Ada@example.org" || u.Name != "Ada" {
			t.Errorf("created %+v, %v", u, err)
		}
		if found, err := s.Find(ctx, "ada@EXAMPLE.org"); err != nil || found != u {
			t.Errorf("found %+v, %v", found, err)
		}
		c.show(t, u.ID).is(t, 200, "")
	}
	for email, want := range map[string]string{"eve@example.org": "there is no user with the e-mail address eve@example.org", "eve": "has no @", "": "can't be blank"} {
		if _, err := s.Find(ctx, email); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", email, err)
		}
	}
	if _, err := s.Create(ctx, app.app.ID, user.Details{Email: "x"}); err == nil || !strings.HasPrefix(err.Error(), "Name can't be blank, Email") {
		t.Errorf("%v", err)
	}
	if n := d.count(t, "USER#", "USER"); n != 1 {
		t.Errorf("%d users", n)
	}
	d.checkWhole(t)
}
