package user_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/credential"
	"frontdesk/internal/id"
	"frontdesk/internal/table"
	"frontdesk/internal/user"
)

// good reports whether a text is a good agent token of a user.
func (d *desk) good(t testing.TB, token string, owner id.ID) bool {
	t.Helper()
	got, err := user.Tokens{Table: d.table}.Authenticate(context.Background(), token)
	return err == nil && got == owner
}

func TestSignIn(t *testing.T) {
	d := open(t)
	app := d.newApp(t, "app")
	ada := app.mustCreate(t, details("Ada@Example.org", nil))
	for name, proof := range map[string]object{
		"with a password":               {"email": "Ada@Example.org", "password": password},
		"with a login token":            {"email": "Ada@Example.org", "sso_auth_token": app.mustLogin(t, ada.ID)},
		"the token counts, if both are": {"email": "Ada@Example.org", "sso_auth_token": app.mustLogin(t, ada.ID), "password": "wrong password"},
		"an empty token is none":        {"email": "Ada@Example.org", "sso_auth_token": "", "password": password},
		"a token that is null is none":  {"email": "Ada@Example.org", "sso_auth_token": nil, "password": password},
		"a password that is null":       {"email": "Ada@Example.org", "sso_auth_token": app.mustLogin(t, ada.ID), "password": nil},
		"with other fields":             {"email": "Ada@Example.org", "password": password, "remember_me": true, "id": 7},
	} {
		t.Run(name, func(t *testing.T) {
			r := d.signIn(t, proof)
			data, _ := r.fields["data"].(object)
			if r.HTTP != http.StatusOK || len(r.fields) != 1 || len(data) != 4 || r.Data.ID != ada.ID || r.Data.Name != "Ada Lovelace" || r.Data.Email != "Ada@Example.org" {
				t.Errorf("answer %d %s", r.HTTP, r.raw)
			}
			if !d.good(t, r.Data.AccessToken, ada.ID) {
				t.Errorf("token %q is not good", r.Data.AccessToken)
			}
		})
	}
	if n := d.count(t, "USER#", "TOKEN#"); n != 7 {
		t.Errorf("%d tokens, beside each other", n)
	}
	if n := d.count(t, "EMAIL#", "ATTEMPTS"); n != 0 {
		t.Errorf("%d counts of failures", n)
	}
	app.update(t, ada.ID, object{"name": "Countess"})
	if r := d.signIn(t, object{"email": "ada@example.org", "password": password}); r.Data.Name != "Countess" {
		t.Errorf("answer %s", r.raw)
	}
	d.checkWhole(t)
}

// TestSignInsThatFail: 401 for everything that could be somebody's, with one body; 400 and 422 for what could
// be nobody's, whoever it is about.
func TestSignInsThatFail(t *testing.T) {
	d := open(t)
	app := d.newApp(t, "app")
	ada := app.mustCreate(t, details("ada@example.org", nil))
	unknown, _ := credential.Mint(credential.Login, ada.ID)
	for name, c := range map[string]struct {
		body       string
		status     int
		message    string
		attributes string
	}{
		"a wrong password":                   {`{"email":"ada@example.org","password":"wrong password"}`, 401, "", ""},
		"the password in another case":       {`{"email":"ada@example.org","password":"` + strings.ToUpper(password) + `"}`, 401, "", ""},
		"the password with a space":          {`{"email":"ada@example.org","password":"` + password + ` "}`, 401, "", ""},
		"an unknown e-mail":                  {`{"email":"eve@example.org","password":"` + password + `"}`, 401, "", ""},
		"no e-mail at all":                   {`{"email":"ada","password":"` + password + `"}`, 401, "", ""},
		"an e-mail too long":                 {`{"email":"` + strings.Repeat("a", 3000) + `@example.org","password":"x"}`, 401, "", ""},
		"a password shorter than any":        {`{"email":"eve2@example.org","password":"x"}`, 401, "", ""},
		"a password longer than any":         {`{"email":"eve2@example.org","password":"` + strings.Repeat("x", 100_000) + `"}`, 401, "", ""},
		"an unknown token":                   {`{"email":"eve3@example.org","sso_auth_token":"` + unknown + `"}`, 401, "", ""},
		"an unknown token, a good password":  {`{"email":"ada@example.org","sso_auth_token":"` + unknown + `","password":"` + password + `"}`, 401, "", ""},
		"no token at all":                    {`{"email":"ada@example.org","sso_auth_token":"x"}`, 401, "", ""},
		"without e-mail":                     {`{"password":"` + password + `"}`, 422, "Email can't be blank", "email"},
		"a blank e-mail":                     {`{"email":" ","password":"x"}`, 422, "Email can't be blank", "email"},
		"an e-mail that is null":             {`{"email":null,"sso_auth_token":"x"}`, 422, "Email can't be blank", "email"},
		"without password and token":         {`{"email":"ada@example.org"}`, 422, "Password can't be blank", "password"},
		"an empty password":                  {`{"email":"ada@example.org","password":"","sso_auth_token":null}`, 422, "Password can't be blank", "password"},
		"nothing":                            {`{}`, 422, "Email can't be blank, Password can't be blank", "email password"},
		"names in another case":              {`{"Email":"ada@example.org","Password":"` + password + `"}`, 422, "Email can't be blank, Password can't be blank", "email password"},
		"an e-mail that is a number":         {`{"email":1,"password":"x"}`, 400, "email must be a string", ""},
		"a password that is a number":        {`{"email":"ada@example.org","password":12345678}`, 400, "password must be a string", ""},
		"a token that is an object":          {`{"email":"ada@example.org","sso_auth_token":{}}`, 400, "sso_auth_token must be a string", ""},
		"a password that is one, with token": {`{"email":"ada@example.org","sso_auth_token":"x","password":1}`, 400, "password must be a string", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := d.call(t, "POST", "/auth/sign_in", c.body, nil)
			r.is(t, c.status, c.message)
			if c.status == 401 && r.raw != refused {
				t.Errorf("answer %s", r.raw)
			}
			if got := strings.Join(r.Attributes, " "); got != c.attributes {
				t.Errorf("attributes %q, want %q", got, c.attributes)
			}
			if calls := d.actions(r); c.status != 401 && len(calls) != 0 {
				t.Errorf("calls %q", calls)
			}
		})
	}
	for name, c := range badBodies {
		t.Run(name, func(t *testing.T) {
			d.call(t, "POST", "/auth/sign_in", c.body, nil).is(t, http.StatusBadRequest, c.message)
		})
	}
	if n := d.count(t, "USER#", "TOKEN#"); n != 0 {
		t.Errorf("%d tokens", n)
	}
}

// TestEveryRefusalCostsTheSame: one hash, whatever is wrong, as long as the address is not locked. Counted, not
// timed.
func TestEveryRefusalCostsTheSame(t *testing.T) {
	d := open(t)
	app := d.newApp(t, "app")
	in := d.inside(t)
	ada := in.ask(t, in.CreateFunction(), write(details("ada@example.org", nil)), app.token, nil)
	bob := in.ask(t, in.CreateFunction(), write(details("bob@example.org", nil)), app.token, nil)
	issue := func(user id.ID) string {
		token := loginToken(in.ask(t, in.LoginFunction(), "", app.token, map[string]string{"user_id": user.String()}).URL)
		return token
	}
	wrong, _ := credential.Mint(credential.Login, ada.ID)
	spent := issue(ada.ID)
	in.signIn(t, object{"email": "ada@example.org", "sso_auth_token": spent})
	for name, c := range map[string]struct {
		proof  object
		status int
		hashes int
		nobody int // of them with nobody's hash
	}{
		"a wrong password":       {object{"email": "ada@example.org", "password": "wrong password"}, 401, 1, 0},
		"an unknown e-mail":      {object{"email": "eve@example.org", "password": password}, 401, 1, 1},
		"no e-mail at all":       {object{"email": "eve", "password": password}, 401, 1, 1},
		"an unknown token":       {object{"email": "ada@example.org", "sso_auth_token": wrong}, 401, 1, 1},
		"a token of nobody":      {object{"email": "eve@example.org", "sso_auth_token": wrong}, 401, 1, 1},
		"no token at all":        {object{"email": "ada@example.org", "sso_auth_token": "x"}, 401, 1, 1},
		"another user's token":   {object{"email": "ada@example.org", "sso_auth_token": issue(bob.ID)}, 401, 1, 1},
		"a spent token":          {object{"email": "ada@example.org", "sso_auth_token": spent}, 401, 1, 1},
		"a good password":        {object{"email": "ada@example.org", "password": password}, 200, 1, 0},
		"a good token":           {object{"email": "ada@example.org", "sso_auth_token": issue(ada.ID)}, 200, 0, 0},
		"not filled in: no work": {object{"email": "ada@example.org"}, 422, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			hashes, nobody := in.hashes(), in.nobody
			r := in.signIn(t, c.proof)
			if r.HTTP != c.status || in.hashes()-hashes != c.hashes || in.nobody-nobody != c.nobody {
				t.Errorf("answer %d after %d hashes, %d of them of nobody; want %d, %d, %d", r.HTTP, in.hashes()-hashes, in.nobody-nobody, c.status, c.hashes, c.nobody)
			}
		})
	}
}

// TestAgentTokensExpire after 30 days, whether DynamoDB has deleted them or not.
func TestAgentTokensExpire(t *testing.T) {
	d := open(t)
	app := d.newApp(t, "app")
	in := d.inside(t)
	ada := in.ask(t, in.CreateFunction(), write(details("ada@example.org", nil)), app.token, nil)
	for name, c := range map[string]struct {
		since time.Duration // the sign-in
		good  bool
	}{
		"at once":       {0, true},
		"just before":   {user.TokenLife - time.Minute, true},
		"after 30 days": {user.TokenLife + time.Second, false},
		"long after":    {10 * user.TokenLife, false},
	} {
		t.Run(name, func(t *testing.T) {
			in.SetClock(func() time.Time { return time.Now().Add(-c.since) })
			r := in.signIn(t, object{"email": "ada@example.org", "password": password})
			if r.HTTP != http.StatusOK || d.good(t, r.Data.AccessToken, ada.ID) != c.good {
				t.Errorf("answer %d; good: %t", r.HTTP, !c.good)
			}
		})
	}
	for _, item := range d.everything(t) {
		var token struct {
			table.Key
			CreatedAt time.Time `dynamo:"created_at"`
			ExpiresAt int64     `dynamo:"expires_at"`
		}
		d.decode(t, item, &token)
		if strings.HasPrefix(token.SK, table.AgentTokens) && token.ExpiresAt != token.CreatedAt.Add(user.TokenLife).Unix() {
			t.Errorf("made at %s, expires at %d", token.CreatedAt, token.ExpiresAt)
		}
	}
}
