package user_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestAnAppSaysHowLongATokenIsGood has a body in each case, and how long the token is good, or what is wrong.
func TestAnAppSaysHowLongATokenIsGood(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		const outOfRange, noInteger = "Expires in must be from 1 to 31536000 seconds", "expires_in must be an integer"
		made := 0
		for name, c := range map[string]struct {
			body    any
			life    time.Duration // zero when no token is made
			status  int
			message string // "" for any
		}{
			"no body":              {nil, user.TokenLife, 200, ""},
			"an object without it": {object{}, user.TokenLife, 200, ""},
			"null":                 {object{"expires_in": null}, user.TokenLife, 200, ""},
			"another name":         {object{"Expires_In": 1}, user.TokenLife, 200, ""},
			"a minute":             {object{"expires_in": 60}, time.Minute, 200, ""},
			"365 days":             {object{"expires_in": 31_536_000}, user.MaxTokenLife, 200, ""},
			// RFC 8259 section 4 leaves open which one counts. This API says the last one, everywhere.
			"the last of a name counts":        {`{"expires_in": 1, "expires_in": 120}`, 2 * time.Minute, 200, ""},
			"a second more":                    {object{"expires_in": 31_536_001}, 0, 422, outOfRange},
			"no time at all":                   {object{"expires_in": 0}, 0, 422, outOfRange},
			"the past":                         {object{"expires_in": -1}, 0, 422, outOfRange},
			"a minute with a fraction of zero": {`{"expires_in": 60.0}`, time.Minute, 200, ""},
			"a minute with an exponent":        {`{"expires_in": 6e1}`, time.Minute, 200, ""},
			// As nanoseconds it does not fit into 64 bits.
			"more than a duration has": {object{"expires_in": 1 << 52}, 0, 422, outOfRange},
			"more than an integer has": {
				object{"expires_in": 1 << 53}, 0, 400, noInteger + " of at most 9007199254740991",
			},
			"a string":                 {object{"expires_in": "3600"}, 0, 400, noInteger},
			"a fraction":               {`{"expires_in": 3600.5}`, 0, 400, noInteger},
			"true":                     {object{"expires_in": true}, 0, 400, noInteger},
			"a list":                   {object{"expires_in": array{60}}, 0, 400, noInteger},
			"a body that is a list":    {"[]", 0, 400, "body must be one JSON object"},
			"a body that is null":      {"null", 0, 400, "body must be one JSON object"},
			"a body that is no JSON":   {"x", 0, 400, ""},
			"a body that is too large": {strings.Repeat(" ", 32<<10) + "{}", 0, 413, ""},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				// Tokens expire at whole seconds.
				began := time.Now().Truncate(time.Second)
				r := app.send(t, fixture.To("createUserToken", ada.ID), c.body)
				ended := time.Now()
				r.is(t, c.status, c.message)
				if c.life == 0 {
					s.wroteNothing(t, r)
					expect.Equal(t, r.AccessToken, "")
					if c.status == http.StatusUnprocessableEntity {
						expect.Equal(t, strings.Join(r.Attributes, " "), "expires_in")
					}
					return
				}
				made++
				if r.ExpiresAt.Before(began.Add(c.life)) || r.ExpiresAt.After(ended.Add(c.life)) {
					t.Errorf("made from %s to %s for %s, expires at %s", began, ended, c.life, r.ExpiresAt)
				}
				expect.Equal(t, s.TakesToken(t, r.AccessToken, ada.ID), true, "it is good")
				token, _ := credential.Parse(credential.Agent, r.AccessToken)
				key := table.AgentToken(ada.ID, token.Digest)
				items, err := s.Table.Read(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				expires := fmt.Sprint(r.ExpiresAt.Unix())
				expect.Contains(t, write(items[key]), `"expires_at":{"Value":"`+expires+`"}`, "the stored token")
			})
		}
		expect.Equal(t, s.CountItems(t, table.AgentTokens, table.AgentTokens), made, "tokens")
		s.mustBeWhole(t)
	})
}

// TestATokenOfAnAppExpires shows that a token ends when the app said, even if DynamoDB has not deleted it yet.
func TestATokenOfAnAppExpires(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		for name, c := range map[string]struct {
			asked int
			since time.Duration // since it was made
			good  bool
		}{
			"shortly before":          {3600, 59 * time.Minute, true},
			"after it":                {3600, time.Hour + time.Second, false},
			"after 31 days of 365":    {31_536_000, 31 * 24 * time.Hour, true},
			"shortly before 365 days": {31_536_000, user.MaxTokenLife - time.Minute, true},
			"after 365 days":          {31_536_000, user.MaxTokenLife + time.Second, false},
			// 30 days are also the default. They count in the same way if the app asks for them.
			"after 30 days of its own": {2_592_000, user.TokenLife + time.Second, false},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.mintFor(t, app, ada.ID, c.asked)
				r.is(t, http.StatusOK, "")
				time.Sleep(c.since)
				expect.Equal(t, s.TakesToken(t, r.AccessToken, ada.ID), c.good, "it is good")
				portal := table.Portal{Account: 1, Slug: "none"}
				status := s.Call(t, fixture.To("listCategories", portal), fixture.Token(r.AccessToken), nil).Status
				want := http.StatusUnauthorized
				if c.good {
					want = http.StatusForbidden // the portal is another matter
				}
				expect.Equal(t, status, want, "the answer of categories")
			})
		}
	})
}

// TestTheEndOfAllTokens shows that none of a user's agent tokens and login links works once the request is answered,
// whoever made them. The user, the password and all that is made later stay.
func TestTheEndOfAllTokens(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		portal := s.NewPortal(t, 1, "handbook", "en")
		const email = "ada@example.org"
		ada, bob := app.mustHave(t, details(email, nil)), app.mustHave(t, details("bob@example.org", nil))
		other.mustHave(t, details(email, nil))
		s.AddMember(t, portal, ada.ID)
		s.AddMember(t, portal, bob.ID)
		categories := func(token string) int {
			return s.Call(t, fixture.To("listCategories", portal), fixture.Token(token), nil).Status
		}
		signIn := func(field, secret string) reply { return s.signIn(t, object{"email": email, field: secret}) }
		operators, _, err := (user.Tokens{Table: s.Table}).Create(t.Context(), ada.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		s.addSecret(operators)
		s.leaveUnanswered(t, ada.ID)
		his := app.mint(t, bob.ID).AccessToken
		tokens := map[string]string{
			"the app's":           app.mint(t, ada.ID).AccessToken,
			"another app's":       other.mint(t, ada.ID).AccessToken,
			"of a sign-in":        signIn("password", password).Data.AccessToken,
			"of a link":           signIn("sso_auth_token", app.mustLogin(t, ada.ID)).Data.AccessToken,
			"an operator's":       operators,
			"good for 365 days":   s.mintFor(t, app, ada.ID, 31_536_000).AccessToken,
			"of the other's link": signIn("sso_auth_token", other.mustLogin(t, ada.ID)).Data.AccessToken,
		}
		links := map[string]string{"the app's": app.mustLogin(t, ada.ID), "another app's": other.mustLogin(t, ada.ID)}
		for name, token := range tokens {
			expect.Equal(t, categories(token), http.StatusOK, "before, "+name)
		}
		// The second round also ends what was made after the first.
		for _, round := range []string{"the first time", "once more"} {
			r := app.endTokens(t, ada.ID)
			r.is(t, http.StatusOK, "")
			expect.Equal(t, r.Raw, "{}", round)
			for name, token := range tokens {
				expect.Equal(t, categories(token), http.StatusUnauthorized, round+", token "+name)
			}
			for name, link := range links {
				expect.Equal(t, signIn("sso_auth_token", link).Status, http.StatusUnauthorized, round+", link "+name)
			}
			expect.Equal(t, categories(his), http.StatusOK, round+", another user's token")
			shown := app.show(t, ada.ID)
			expect.Equal(t, shown.Raw, ada.Raw, round+", the user")
			expect.Equal(t, signIn("sso_auth_token", app.mustLogin(t, ada.ID)).Status, http.StatusOK,
				round+", a new link")
			expect.Equal(t, signIn("password", password).Status, http.StatusOK, round+", the password")
			tokens["made "+round] = app.mint(t, ada.ID).AccessToken
			expect.Equal(t, categories(tokens["made "+round]), http.StatusOK, round+", a new token")
		}
		s.mustBeWhole(t)
	})
}

// TestATokenThatIsMadeWhileAllEnd shows that such a token counts as made afterwards: its first attempt is refused, and
// the second one is good.
func TestATokenThatIsMadeWhileAllEnd(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		s.AWSProxy().Inject(func(c awsproxy.Call) *awsproxy.Fault {
			if c.Function == "CreateUserTokenFunction" && c.Action == "TransactWriteItems" {
				// The second attempt must not meet another revocation.
				s.AWSProxy().Inject(nil)
				app.endTokens(t, ada.ID).is(t, http.StatusOK, "")
			}
			return nil
		})
		r := s.mintFor(t, app, ada.ID, 60)
		r.is(t, http.StatusOK, "")
		expect.Equal(t, s.TakesToken(t, r.AccessToken, ada.ID), true, "it is good")
		expect.AtMost(t, time.Until(r.ExpiresAt), time.Minute, "its life")
	})
}

// TestManyEndTheTokensAtOnce shows that each of 16 clients gets 200, and that no old token is good.
func TestManyEndTheTokensAtOnce(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		token := app.mint(t, ada.ID).AccessToken
		for _, r := range fixture.Together(16, func(int) reply { return app.endTokens(t, ada.ID) }) {
			r.is(t, http.StatusOK, "")
		}
		expect.Equal(t, s.TakesToken(t, token, ada.ID), false, "a token of before is good")
		s.mustBeWhole(t)
	})
}

// mintFor makes an agent token that is good for this many seconds.
func (s *stack) mintFor(t testing.TB, app client, user id.ID, seconds int) reply {
	t.Helper()
	return app.send(t, fixture.To("createUserToken", user), object{"expires_in": seconds})
}
