package user_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// TestAnAppSaysHowLongATokenIsGood: a body, and for how long the token of the answer is good, or what is wrong.
func TestAnAppSaysHowLongATokenIsGood(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil))
	const outOfRange, noInteger = "Expires in must be from 1 to 31536000 seconds", "expires_in must be an integer"
	for name, c := range map[string]struct {
		body    any
		life    time.Duration // zero where no token is made
		status  int
		message string // "" for any
	}{
		"no body":                   {nil, user.TokenLife, 200, ""},
		"an object without it":      {object{}, user.TokenLife, 200, ""},
		"null":                      {object{"expires_in": null}, user.TokenLife, 200, ""},
		"another name":              {object{"Expires_In": 1}, user.TokenLife, 200, ""},
		"a minute":                  {object{"expires_in": 60}, time.Minute, 200, ""},
		"365 days":                  {object{"expires_in": 31_536_000}, user.MaxTokenLife, 200, ""},
		"the last of a name counts": {`{"expires_in": 1, "expires_in": 120}`, 2 * time.Minute, 200, ""},
		"a second more":             {object{"expires_in": 31_536_001}, 0, 422, outOfRange},
		"no time at all":            {object{"expires_in": 0}, 0, 422, outOfRange},
		"the past":                  {object{"expires_in": -1}, 0, 422, outOfRange},
		"more than a duration has":  {object{"expires_in": 1 << 62}, 0, 422, outOfRange},
		"more than an integer has":  {`{"expires_in": 99999999999999999999}`, 0, 400, noInteger},
		"a string":                  {object{"expires_in": "3600"}, 0, 400, noInteger},
		"a fraction":                {`{"expires_in": 3600.0}`, 0, 400, noInteger},
		"an exponent":               {`{"expires_in": 1e3}`, 0, 400, noInteger},
		"true":                      {object{"expires_in": true}, 0, 400, noInteger},
		"a list":                    {object{"expires_in": array{60}}, 0, 400, noInteger},
		"a body that is a list":     {"[]", 0, 400, "body must be one JSON object"},
		"a body that is null":       {"null", 0, 400, "body must be one JSON object"},
		"a body that is no JSON":    {"x", 0, 400, ""},
		"a body that is too large":  {strings.Repeat(" ", 32<<10) + "{}", 0, 413, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.CountItems(t, table.AgentTokens, table.AgentTokens)
			began := time.Now().Truncate(time.Second)
			r := s.call(t, "POST", path(ada.ID, "/token"), fixture.Token(app.token), c.body)
			ended := time.Now()
			r.is(t, c.status, c.message)
			made := s.CountItems(t, table.AgentTokens, table.AgentTokens) - before
			if c.life == 0 {
				expect.Equal(t, "made", made, 0)
				expect.Equal(t, "r.AccessToken", r.AccessToken, "")
				if c.status == http.StatusUnprocessableEntity {
					expect.Equal(t, "r.Attributes", strings.Join(r.Attributes, " "), "expires_in")
				}
				return
			}
			expect.Equal(t, "made", made, 1)
			if r.ExpiresAt.Before(began.Add(c.life)) || r.ExpiresAt.After(ended.Add(c.life)) {
				t.Errorf("made from %s to %s for %s, expires at %s", began, ended, c.life, r.ExpiresAt)
			}
			expect.Equal(t, "it is good", s.good(t, r.AccessToken, ada.ID), true)
			expires := fmt.Sprint(r.ExpiresAt.Unix())
			expect.Contains(t, "the items", write(s.Items(t)), `"expires_at":{"Value":"`+expires+`"}`)
		})
	}
	s.checkInvariants(t)
}

// TestATokenOfAnAppExpires when the app said, whether DynamoDB has deleted it or not.
func TestATokenOfAnAppExpires(t *testing.T) {
	s := start(t)
	app := s.newApp(t, "app")
	in := s.inProcess(t)
	ada := in.create(t, app, details("ada@example.org", nil))
	for name, c := range map[string]struct {
		asked int
		since time.Duration // it was made
		good  bool
	}{
		"shortly before":           {3600, 59 * time.Minute, true},
		"after it":                 {3600, time.Hour + time.Second, false},
		"after 31 days of 365":     {31_536_000, 31 * 24 * time.Hour, true},
		"shortly before 365 days":  {31_536_000, user.MaxTokenLife - time.Minute, true},
		"after 365 days":           {31_536_000, user.MaxTokenLife + time.Second, false},
		"after 30 days of its own": {2_592_000, user.TokenLife + time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			in.SetClock(func() time.Time { return time.Now().Add(-c.since) })
			r := in.ask(t, in.TokenFunction(), write(object{"expires_in": c.asked}), app.token, userID(ada.ID))
			r.is(t, http.StatusOK, "")
			expect.Equal(t, "it is good", s.good(t, r.AccessToken, ada.ID), c.good)
			portal := fixture.CategoriesPath(table.Portal{Account: 1, Slug: "none"})
			status := s.Call(t, "GET", portal, fixture.Token(r.AccessToken), nil).Status
			want := http.StatusUnauthorized
			if c.good {
				want = http.StatusForbidden // the portal is another matter
			}
			expect.Equal(t, "the answer of categories", status, want)
		})
	}
}
