package user_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestAPasswordOrALinkSignsIn shows all ways to sign in. A login token counts more than a password beside it.
func TestAPasswordOrALinkSignsIn(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustCreate(t, details("Ada@Example.org", nil))
		token := func() string { return app.mustLogin(t, ada.ID) }
		for name, credentials := range map[string]object{
			"with a password":               {"password": password},
			"with a login token":            {"sso_auth_token": token()},
			"the token counts, if both are": {"sso_auth_token": token(), "password": "wrong password"},
			"an empty token is none":        {"sso_auth_token": "", "password": password},
			"a token that is null is none":  {"sso_auth_token": nil, "password": password},
			"a password that is null":       {"sso_auth_token": token(), "password": nil},
			"with other fields":             {"password": password, "remember_me": true, "id": 7},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				// All cases sign the same user in.
				credentials["email"] = "Ada@Example.org"
				r := s.signIn(t, credentials)
				data, _ := r.Body["data"].(object)
				r.Is(t, http.StatusOK, nil)
				expect.Equal(t, len(r.Body), 1)
				expect.Equal(t, len(data), 5)
				expect.Equal(t, r.Data.ID, ada.ID)
				expect.Equal(t, r.Data.Name, "Ada Lovelace")
				expect.Equal(t, r.Data.Email, "Ada@Example.org")
				if !s.TakesToken(t, r.Data.AccessToken, ada.ID) {
					t.Errorf("token %q is not good", r.Data.AccessToken)
				}
			})
		}
		// A new session ends no other one.
		if n := s.CountItems(t, "TOKEN#", "TOKEN#"); n != 7 {
			t.Errorf("%d tokens, beside each other", n)
		}
		if n := s.attempts(t); n != 0 {
			t.Errorf("%d failures are counted", n)
		}
		app.update(t, ada.ID, object{"name": "Countess"})
		if r := s.signIn(t, object{"email": "ada@example.org", "password": password}); r.Data.Name != "Countess" {
			t.Errorf("answer %s", r.Raw)
		}
		s.mustBeWhole(t)
	})
}

// TestSignInsThatFail shows one body of 401 for all credentials that a user could have. Requests that no user could
// send get 400 or 422, whatever user they name.
func TestSignInsThatFail(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustCreate(t, details("ada@example.org", nil))
		unknown, _ := credential.Mint(credential.Login, ada.ID)
		byPassword := func(email, password string) string { return write(object{"email": email, "password": password}) }
		for name, c := range map[string]struct {
			body       string
			status     int
			message    string
			attributes string
		}{
			"a wrong password":             {byPassword("ada@example.org", "wrong password"), 401, "", ""},
			"the password in another case": {byPassword("ada@example.org", strings.ToUpper(password)), 401, "", ""},
			"the password with a space":    {byPassword("ada@example.org", password+" "), 401, "", ""},
			"an unknown e-mail":            {byPassword("eve@example.org", password), 401, "", ""},
			"no e-mail at all":             {byPassword("ada", password), 401, "", ""},
			// An address that nobody can have is a wrong one like any other, so it is 401.
			"an e-mail too long":          {byPassword(strings.Repeat("a", 3000)+"@example.org", "x"), 401, "", ""},
			"a password shorter than any": {byPassword("eve2@example.org", "x"), 401, "", ""},
			"a password longer than any":  {byPassword("eve2@example.org", strings.Repeat("x", 10_000)), 401, "", ""},
			"an unknown token": {
				`{"email":"eve3@example.org","sso_auth_token":"` + unknown + `"}`, 401, "", "",
			},
			"an unknown token, a good password": {
				`{"email":"ada@example.org","sso_auth_token":"` + unknown + `","password":"` + password + `"}`, 401, "",
				"",
			},
			"no token at all":            {`{"email":"ada@example.org","sso_auth_token":"x"}`, 401, "", ""},
			"without e-mail":             {`{"password":"` + password + `"}`, 422, "Email can't be blank", "email"},
			"a blank e-mail":             {byPassword(" ", "x"), 422, "Email can't be blank", "email"},
			"an e-mail that is null":     {`{"email":null,"sso_auth_token":"x"}`, 422, "Email can't be blank", "email"},
			"without password and token": {`{"email":"ada@example.org"}`, 422, "Password can't be blank", "password"},
			"an empty password": {
				`{"email":"ada@example.org","password":"","sso_auth_token":null}`,
				422, "Password can't be blank", "password",
			},
			"nothing": {`{}`, 422, "Email can't be blank, Password can't be blank", "email password"},
			"names in another case": {
				`{"Email":"ada@example.org","Password":"` + password + `"}`,
				422, "Email can't be blank, Password can't be blank", "email password",
			},
			"an e-mail that is a number": {`{"email":1,"password":"x"}`, 400, "email must be a string", ""},
			"a password that is a number": {
				`{"email":"ada@example.org","password":12345678}`, 400, "password must be a string", "",
			},
			"a token that is an object": {
				`{"email":"ada@example.org","sso_auth_token":{}}`, 400, "sso_auth_token must be a string", "",
			},
			// The token counts more, and the type is checked all the same.
			"a password that is one, with token": {
				`{"email":"ada@example.org","sso_auth_token":"x","password":1}`, 400, "password must be a string", "",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.call(t, fixture.To("signIn"), nil, c.body)
				r.is(t, c.status, c.message)
				if c.status == 401 && r.Raw != refused {
					t.Errorf("answer %s", r.Raw)
				}
				if got := strings.Join(r.Attributes, " "); got != c.attributes {
					t.Errorf("attributes %q, want %q", got, c.attributes)
				}
				// An incomplete request costs no call and is no attempt.
				if calls := s.Actions(r.Answer); c.status != 401 && len(calls) != 0 {
					t.Errorf("calls %q", calls)
				}
			})
		}
		for name, c := range badBodies {
			localtest.Case(t, name, func(t testing.TB) {
				s.call(t, fixture.To("signIn"), nil, c.body).is(t, http.StatusBadRequest, c.message)
			})
		}
		if n := s.CountItems(t, "TOKEN#", "TOKEN#"); n != 0 {
			t.Errorf("%d tokens", n)
		}
	})
}

// TestALargeBodyIsRefusedUnread shows that it is refused before any call to the table, whoever sends it.
func TestALargeBodyIsRefusedUnread(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		for _, c := range []struct {
			to    fixture.Target
			token string
			max   int
		}{
			{fixture.To("createUser"), app.token, 32 << 10},
			// Also with a bad token: the size is checked first.
			{fixture.To("createUser"), "x", 32 << 10},
			{fixture.To("updateUser", ada.ID), app.token, 32 << 10},
			{fixture.To("updateUser", ada.ID), "x", 32 << 10},
			{fixture.To("signIn"), "", 16 << 10},
		} {
			// A valid body of exactly this size.
			body := func(size int) string {
				const begin, end = `{"email":"ada@example.org","password":"` + password + `","other":"`, `"}`
				return begin + strings.Repeat("x", size-len(begin)-len(end)) + end
			}
			r := s.call(t, c.to, fixture.Token(c.token), body(c.max))
			if want := 200; r.Status != want && c.token != "x" {
				t.Errorf("%s of %d bytes: %d %s", r.Request, c.max, r.Status, r.Raw)
			}
			r = s.call(t, c.to, fixture.Token(c.token), body(c.max+1))
			r.is(t, http.StatusRequestEntityTooLarge, fmt.Sprintf("body is too large (maximum is %d bytes)", c.max))
			if calls := s.Actions(r.Answer); len(calls) != 0 {
				t.Errorf("%s: calls %q", r.Request, calls)
			}
		}
	})
}

// TestEveryRefusalCostsTheSame shows that each refusal costs one hash, whatever is wrong, so that its time tells
// nothing. A password that is not in NFC costs two. The test counts hashes instead of measuring time.
func TestEveryRefusalCostsTheSame(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		in := s.inProcess(t)
		ada := in.create(t, app, details("ada@example.org", nil))
		bob := in.create(t, app, details("bob@example.org", nil))
		wrong, _ := credential.Mint(credential.Login, ada.ID)
		// Tokens that are unknown, spent, good, and another user's.
		spent := in.newLoginToken(t, app, ada.ID)
		in.signIn(t, object{"email": "ada@example.org", "sso_auth_token": spent})
		good, another := in.newLoginToken(t, app, ada.ID), in.newLoginToken(t, app, bob.ID)
		for name, c := range map[string]struct {
			credentials object
			status      int
			hashes      int
			dummies     int // of these, with the dummy hash
		}{
			"a wrong password":     {object{"email": "ada@example.org", "password": "wrong password"}, 401, 1, 0},
			"an unknown e-mail":    {object{"email": "eve@example.org", "password": password}, 401, 1, 1},
			"no e-mail at all":     {object{"email": "eve", "password": password}, 401, 1, 1},
			"an unknown token":     {object{"email": "ada@example.org", "sso_auth_token": wrong}, 401, 1, 1},
			"a token of nobody":    {object{"email": "eve@example.org", "sso_auth_token": wrong}, 401, 1, 1},
			"no token at all":      {object{"email": "ada@example.org", "sso_auth_token": "x"}, 401, 1, 1},
			"another user's token": {object{"email": "ada@example.org", "sso_auth_token": another}, 401, 1, 1},
			"a spent token":        {object{"email": "ada@example.org", "sso_auth_token": spent}, 401, 1, 1},
			// Users from before normalization have hashes of what was typed, so both forms are tried.
			"a wrong password that is not in NFC": {
				object{"email": "ada@example.org", "password": decomposed}, 401, 2, 0,
			},
			"the same of an unknown e-mail": {object{"email": "eve@example.org", "password": decomposed}, 401, 2, 2},
			"the same of no e-mail at all":  {object{"email": "eve", "password": decomposed}, 401, 2, 2},
			"a token that is not in NFC": {
				object{"email": "ada@example.org", "sso_auth_token": decomposed}, 401, 1, 1,
			},
			"a good password":        {object{"email": "ada@example.org", "password": password}, 200, 1, 0},
			"a good token":           {object{"email": "ada@example.org", "sso_auth_token": good}, 200, 0, 0},
			"not filled in: no work": {object{"email": "ada@example.org"}, 422, 0, 0},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				hashes, dummies := in.hashes(), in.dummies
				r := in.signIn(t, c.credentials)
				hashes, dummies = in.hashes()-hashes, in.dummies-dummies
				r.Is(t, c.status, nil)
				expect.Equal(t, hashes, c.hashes)
				expect.Equal(t, dummies, c.dummies)
			})
		}
	})
}

// Two spellings of one password: its accents as one machine types them, and as another does.
const (
	composed   = "Crème brûlée"
	decomposed = "Cre\u0300me bru\u0302le\u0301e"
)

// TestPasswordsInAnotherForm shows that a password signs in however its accents are typed, now and when it was set.
func TestPasswordsInAnotherForm(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		in := s.inProcess(t)
		create := func(password string) func(email string) {
			return func(email string) { in.create(t, app, details(email, object{"password": password})) }
		}
		for name, c := range map[string]struct {
			set    func(email string)
			with   string
			status int
			hashes int
		}{
			"set in NFC":               {create(composed), composed, 200, 1},
			"set in NFC, tried in NFD": {create(composed), decomposed, 200, 2},
			"set in NFD":               {create(decomposed), decomposed, 200, 2},
			"set in NFD, tried in NFC": {create(decomposed), composed, 200, 1},
			"not without its accents":  {create(composed), "Creme brulee", 401, 1},
			// NFC keeps full-width letters apart from others, and NFKC would not.
			"not in its compatible form": {create("Ｃｒème brûlée"), composed, 401, 1},
			"set with 128 characters in NFC": {
				create(strings.Repeat("a\u0308", 128)), strings.Repeat("ä", 128), 200, 1,
			},
			"changed in NFD": {func(email string) {
				create(password)(email)
				change := write(object{"password": decomposed})
				in.ask(t, in.UpdateFunction(), change, app.token, userID(in.find(t, email).ID)).is(t, http.StatusOK, "")
			}, composed, 200, 1},
			"changed in NFD by an operator": {func(email string) {
				create(password)(email)
				if _, err := in.SetPassword(t.Context(), in.find(t, email).ID, decomposed); err != nil {
					t.Fatal(err)
				}
			}, composed, 200, 1},
			"set in NFD before passwords were normalized": {func(email string) {
				create(password)(email)
				owner := s.Table.UpdateItem(user.OwnerKey(email)).Set("password", fakeHash(decomposed))
				if err := owner.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, decomposed, 200, 1},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				email := strings.NewReplacer(" ", "-", ",", "").Replace(name) + "@example.org"
				c.set(email)
				before := in.hashes()
				r := in.signIn(t, object{"email": email, "password": c.with})
				if n := in.hashes() - before; r.Status != c.status || n != c.hashes {
					t.Errorf("answer %d %s after %d hashes, want %d after %d", r.Status, r.Raw, n, c.status, c.hashes)
				}
			})
		}
		// The two cases whose password is wrong.
		if n := s.attempts(t); n != 2 {
			t.Errorf("%d failures are counted", n)
		}
	})
}

// TestAgentTokensExpire shows that a token ends after 30 days, even if DynamoDB has not deleted it yet.
func TestAgentTokensExpire(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		for name, c := range map[string]struct {
			since time.Duration // the sign-in
			good  bool
		}{
			"at once":       {0, true},
			"just before":   {user.TokenLife - time.Minute, true},
			"after 30 days": {user.TokenLife + time.Second, false},
			"long after":    {10 * user.TokenLife, false},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := s.signIn(t, object{"email": "ada@example.org", "password": password})
				r.Is(t, http.StatusOK, nil)
				time.Sleep(c.since)
				expect.Equal(t, s.TakesToken(t, r.Data.AccessToken, ada.ID), c.good)
			})
		}
		for _, item := range s.Items(t) {
			var token struct {
				table.Key
				CreatedAt time.Time `dynamo:"created_at"`
				ExpiresAt int64     `dynamo:"expires_at"`
			}
			decode(t, item, &token)
			want := token.CreatedAt.Add(user.TokenLife).Unix()
			if strings.HasPrefix(token.SK, table.AgentTokens) && token.ExpiresAt != want {
				t.Errorf("made at %s, expires at %d", token.CreatedAt, token.ExpiresAt)
			}
		}
	})
}
