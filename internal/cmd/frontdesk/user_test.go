package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/expect"
	"frontdesk/internal/id"
	"frontdesk/internal/user"
)

// userAnswer is what a platform app gets as an answer.
type userAnswer struct {
	Status  int
	ID      id.ID
	Name    string
	Email   string
	URL     string
	Message string
}

// ask sends a request of a platform app.
func ask(t *testing.T, url, token, method, path, body string) (a userAnswer) {
	t.Helper()
	request, err := http.NewRequest(method, url+"/platform/api/v1/users"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header["api_access_token"] = []string{token}
	response, err := contracttest.Client(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	a.Status = response.StatusCode
	return a
}

// newUser is the body that creates Ada.
const newUser = `{"name":"Ada","email":"Ada@example.org","password":"correct horse"}`

// createdApp is what platform-app create and rotate print.
type createdApp struct {
	platformAppView
	Token string
}

// TestOperatorsKeepPlatformApps: a rotation ends the old token, a revocation every token, and the list shows both.
// Users stay through both, so a new token finds the user that the old one created.
func TestOperatorsKeepPlatformApps(t *testing.T) {
	o := onStack(t)
	url := o.URL()
	created := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	expect.Equal(t, "created.Name", created.Name, "crm")
	expect.Equal(t, "created.RevokedAt", created.RevokedAt, nil)
	expect.HasPrefix(t, "created.Token", created.Token, "fdp_")
	expect.AtMost(t, "time.Since(created.CreatedAt).Abs()", time.Since(created.CreatedAt).Abs(), time.Minute)
	ada := ask(t, url, created.Token, "POST", "", newUser)
	expect.Equal(t, "ada.Status", ada.Status, http.StatusOK)
	expect.Equal(t, "ada.Name", ada.Name, "Ada")
	apps := printed[[]platformAppView](o, "platform-app", "list")
	expect.Len(t, "apps", apps, 1)
	expect.Equal(t, "apps[0]", apps[0], created.platformAppView)
	appID := created.ID.String()
	rotated := printed[createdApp](o, "platform-app", "rotate", "--yes", appID)
	expect.Equal(t, "rotated.platformAppView", rotated.platformAppView, created.platformAppView)
	expect.HasPrefix(t, "rotated.Token", rotated.Token, "fdp_")
	for token, want := range map[string]int{created.Token: http.StatusUnauthorized, rotated.Token: http.StatusOK} {
		if shown := ask(t, url, token, "GET", "/"+ada.ID.String(), ""); shown.Status != want {
			t.Errorf("after a rotation: %+v, want %d", shown, want)
		}
	}
	revoked := printed[platformAppView](o, "platform-app", "revoke", "--yes", appID)
	expect.Not(t, "revoked.RevokedAt", revoked.RevokedAt, nil)
	expect.Equal(t, "revoked.ID", revoked.ID, created.ID)
	if shown := ask(t, url, rotated.Token, "GET", "/"+ada.ID.String(), ""); shown.Status != http.StatusUnauthorized {
		t.Errorf("with a revoked token: %+v", shown)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"platform-app", "create", "--name", "shop"}, []string{"id     ", "token  fdp_", "shown only once"}},
		{[]string{"platform-app", "list"}, []string{"ID", "crm", "shop", appID, today}},
		{[]string{"platform-app", "revoke", "--yes", appID}, []string{"revoked platform app " + appID + " (crm)\n"}},
	} {
		out, err := o.frontdesk(c.args...)
		for _, want := range c.want {
			if err != nil || !strings.Contains(out, want) {
				t.Errorf("%q printed %q, %v; want %q", c.args, out, err, want)
			}
		}
		if strings.Contains(out, created.Token) {
			t.Errorf("%q printed a token", c.args)
		}
	}
}

// TestAppsMayImportHashes as long as the operator allows it. A hash in another program's form may be weak, so an app
// needs the operator's leave. A change of something else leaves it as it is.
func TestAppsMayImportHashes(t *testing.T) {
	o := onStack(t)
	const hash = "$2a$04$QAcBaOhcMyzaOGIBzyR.i.G6HBcQEtKEwW94tLGgZLRh8y.3l/lGu"
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	id, created := app.ID.String(), 0
	imports := func(token string) int {
		created++
		return ask(t, o.URL(), token, "POST", "",
			fmt.Sprintf(`{"name":"Ada","email":"ada-%d@example.org","password_hash":%q}`, created, hash)).Status
	}
	listed := func() bool { return printed[[]platformAppView](o, "platform-app", "list")[0].MayImport }
	expect.Equal(t, "by default it may", app.MayImport, false)
	expect.Equal(t, "status by default", imports(app.Token), http.StatusForbidden)
	said := o.prints("platform-app", "update", id, "--may-import-hashes")
	expect.Equal(t, "printed", said, "platform app "+id+" (crm) may import hashes of passwords\n")
	expect.Equal(t, "listed: it may", listed(), true)
	expect.Equal(t, "status when it may", imports(app.Token), http.StatusOK)
	o.prints("platform-app", "update", id, "--login-url", "https://crm.example.org")
	expect.Equal(t, "listed after another change: it may", listed(), true)
	said = o.prints("platform-app", "update", id, "--no-may-import-hashes", "--login-url", "")
	expect.Equal(t, "printed", said, "login links of platform app "+id+" (crm) lead to the stack's own page\n"+
		"platform app "+id+" (crm) may not import hashes of passwords\n")
	expect.Equal(t, "listed afterwards: it may", listed(), false)
	expect.Equal(t, "status afterwards", imports(app.Token), http.StatusForbidden)
	other := printed[createdApp](o, "platform-app", "create", "--name", "shop", "--may-import-hashes")
	expect.Equal(t, "one that was created so may", other.MayImport, true)
	expect.Equal(t, "its status", imports(other.Token), http.StatusOK)
	expect.Contains(t, "the list", o.prints("platform-app", "list"), "HASHES")
	expect.Contains(t, "the check", o.prints("check"), "       2  e-mail owner with a foreign hash of bcrypt\n")
}

// TestLoginAddresses: each case is a login address for an app, and where the app's links then lead. A refused address
// changes nothing. A login link signs a user in, so no network may see it: http leads to this machine only.
func TestLoginAddresses(t *testing.T) {
	o := onStack(t)
	const before, other = "https://before.example.org/sso", "https://other.example.org"
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm", "--login-url", before)
	expect.Equal(t, "created.LoginURL", app.LoginURL, before)
	revoked := printed[createdApp](o, "platform-app", "create", "--name", "old").ID.String()
	o.prints("platform-app", "revoke", "--yes", revoked)
	id := app.ID.String()
	ada := ask(t, o.URL(), app.Token, "POST", "", newUser)
	leads := func() string {
		link := ask(t, o.URL(), app.Token, "GET", "/"+ada.ID.String()+"/login", "").URL
		address, _, _ := strings.Cut(link, "?")
		return address
	}
	listed := func() string { return printed[[]platformAppView](o, "platform-app", "list")[0].LoginURL }
	expect.Equal(t, "the first link leads to", leads(), before)
	for _, address := range []string{
		"https://crm.example.org", "https://crm.example.org/", "https://crm.example.org:8443/a/b.php",
		"https://localhost/sso", "https://192.0.2.1/sso", "https://[2001:db8::1]/sso", "HTTPS://CRM.example.org/%C3%A9",
		"http://127.0.0.1", "http://127.0.0.1:8080/sso", "http://[::1]:8080/sso", "http://localhost:5173/sso",
	} {
		out := o.prints("platform-app", "update", id, "--login-url", address)
		expect.Equal(t, "printed", out, "login links of platform app "+id+" (crm) lead to "+address+"\n")
		expect.Equal(t, "listed", listed(), address)
		expect.Equal(t, "the link leads to", leads(), address)
	}
	cleared := o.prints("platform-app", "update", id, "--login-url", "")
	expect.Equal(t, "printed", cleared, "login links of platform app "+id+" (crm) lead to the stack's own page\n")
	expect.Equal(t, "listed without one", listed(), "")
	expect.Equal(t, "the link leads to", leads(), o.URL()+"/app/login")
	shown := printed[platformAppView](o, "platform-app", "update", id, "--login-url", other)
	expect.Equal(t, "shown.LoginURL", shown.LoginURL, other)
	expect.Equal(t, "shown.Name", shown.Name, "crm")

	const rule = "login address must be an https URL"
	refusals := map[string]refused{
		"no address": {[]string{"platform-app", "update", id}, "--login-url"},
		"of an app that is none": {
			[]string{"platform-app", "update", "1", "--login-url", other}, "there is no platform app 1",
		},
		"of a revoked app": {
			[]string{"platform-app", "update", revoked, "--login-url", other}, "or it is revoked",
		},
		"of a new app": {[]string{"platform-app", "create", "--name", "x", "--login-url", "http://x.example"}, rule},
	}
	for name, address := range map[string]string{
		"http":                      "http://crm.example.org/sso",
		"http of a private address": "http://10.0.0.1/sso",
		// 0.0.0.0 leads to this machine on some systems, and means nothing on others.
		"http of all addresses":        "http://0.0.0.0:8080",
		"http of a name like the loop": "http://127.0.0.1.example.org",
		"http of another loop address": "http://127.0.0.2",
		"http of localhost's name":     "http://localhost.example.org",
		"http, with a zone":            "http://[::1%25lo]/",
		"another scheme":               "ftp://crm.example.org",
		"a script":                     "javascript:alert(1)",
		"no scheme":                    "crm.example.org/sso",
		"a path alone":                 "/sso",
		"no host":                      "https:///sso",
		"a port alone":                 "https://:443/sso",
		"an opaque one":                "https:crm.example.org",
		"a user":                       "https://ada@crm.example.org",
		"an empty user":                "https://@crm.example.org",
		"a password":                   "https://ada:x@crm.example.org",
		"a query":                      "https://crm.example.org/?x=1",
		"an empty query":               "https://crm.example.org/?",
		"a fragment":                   "https://crm.example.org/#/sso",
		"an empty fragment":            "https://crm.example.org/#",
		"a space":                      "https://crm.example.org/a b",
		"a space around it":            " https://crm.example.org",
		"a line break":                 "https://crm.example.org/\n",
		// Two names may look alike and be different ones. The ASCII form shows which is meant.
		"a host that is not ASCII": "https://bücher.example",
		"a path that is not ASCII": "https://crm.example.org/é",
		// Browsers read it as a slash, so this leads to another host than Go believes.
		"a backslash":  `https://crm.example.org\@example.com`,
		"a bad escape": "https://crm.example.org/%zz",
	} {
		args := []string{"platform-app", "update", id, "--login-url", address}
		refusals["an address with "+name] = refused{args, rule}
	}
	mustRefuse(o, refusals)
	expect.Equal(t, "listed after the refusals", listed(), other)
	expect.Len(t, "apps", printed[[]platformAppView](o, "platform-app", "list"), 2)
}

// TestOperatorsShowUsersAndMakeTheirTokens: show finds a user by any spelling of the address. Tokens live as long as
// asked, until they are revoked. Revoking twice is no error, and counts nothing the second time.
func TestOperatorsShowUsersAndMakeTheirTokens(t *testing.T) {
	o := onStack(t)
	url := o.URL()
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	ada := ask(t, url, app.Token, "POST", "", newUser)
	for _, email := range []string{"Ada@example.org", "ada@EXAMPLE.org", " ada@example.org "} {
		u := printed[user.User](o, "user", "show", "--email", email)
		expect.Equal(t, email+": u.ID", u.ID, ada.ID)
		expect.Equal(t, email+": u.Name", u.Name, "Ada")
		expect.Equal(t, email+": u.Email", u.Email, "Ada@example.org")
	}
	type made struct {
		User      id.ID
		Token     string
		ExpiresAt time.Time `json:"expires_at"`
	}
	userID := ada.ID.String()
	var tokens []string
	for _, c := range []struct {
		args []string
		want time.Duration
	}{
		{[]string{"user", "token", userID}, 720 * time.Hour},
		{[]string{"user", "token", "--user", userID, "--ttl", "90m"}, 90 * time.Minute}, // the flag's earlier name
	} {
		token := printed[made](o, c.args...)
		what := fmt.Sprintf("%q: ", c.args)
		expect.Equal(t, what+"token.User", token.User, ada.ID)
		expect.HasPrefix(t, what+"token.Token", token.Token, "fda_")
		expect.AtMost(t, what+"(time.Until(token.ExpiresAt)-c.want).Abs()",
			(time.Until(token.ExpiresAt) - c.want).Abs(), time.Minute)
		tokens = append(tokens, token.Token)
	}
	if tokens[0] == tokens[1] {
		t.Error("two tokens are the same")
	}
	out := o.prints("user", "token", userID)
	expect.HasPrefix(t, "out", out, "token    fda_")
	expect.Contains(t, "out", out, "expires  ")
	out = o.prints("user", "show", "--email", "ada@example.org")
	expect.Contains(t, "out", out, "name     Ada\n")
	expect.Contains(t, "out", out, userID)
	type revoked struct {
		User    id.ID
		Revoked int
	}
	for _, want := range []int{3, 0} {
		got := printed[revoked](o, "user", "revoke-tokens", "--yes", userID)
		if got.User != ada.ID || got.Revoked != want {
			t.Errorf("revoked %+v, want %d", got, want)
		}
	}
	expect.Equal(t, "printed", o.prints("user", "revoke-tokens", "--yes", userID),
		"revoked 0 tokens of user "+userID+", and its login links\n")
	expect.HasPrefix(t, "platform-app list", o.prints("--json", "platform-app", "list"), "[{")
}

// TestOperatorsCreateUsers who can sign in. The app must work, and the address must be free. An address that is taken
// must be an error here, because an app's request would only link the app to that user.
func TestOperatorsCreateUsers(t *testing.T) {
	o := onStack(t)
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	create := func(app, email string, more ...string) []string {
		return append([]string{"user", "create", "--app", app, "--name", "Grace", "--email", email}, more...)
	}
	o.In = strings.NewReader("nanosecond\n")
	made := printed[struct{ User id.ID }](o, create(app.ID.String(), "grace@example.org")...)
	expect.Equal(t, "signing in", signIn(t, o.URL(), "grace@example.org", "nanosecond"), http.StatusOK)
	shown := ask(t, o.URL(), app.Token, "GET", "/"+made.User.String(), "")
	expect.Equal(t, "what the app reads", shown.Name, "Grace")
	out := o.prints(create(app.ID.String(), "alan@example.org", "--generate")...)
	expect.Contains(t, "printed", out, "was created\n\npassword  ")
	o.prints("platform-app", "revoke", "--yes", app.ID.String())
	other := printed[createdApp](o, "platform-app", "create", "--name", "other").ID.String()
	mustRefuse(o, map[string]refused{
		"an app that was revoked":   {create(app.ID.String(), "b@example.org"), "or it was revoked"},
		"no app":                    {create("1", "b@example.org"), "there is no platform app 1"},
		"an address that is taken":  {create(other, "GRACE@example.org", "--generate"), "has the e-mail address"},
		"an address that is none":   {create(other, "grace", "--generate"), "e-mail address"},
		"a password that is short":  {create(other, "b@example.org"), "Password"},
		"an id of an app that is x": {create("x", "b@example.org"), "is not an id"},
	})
	// Just before the tool writes the user, the app itself creates one of the address.
	third := printed[createdApp](o, "platform-app", "create", "--name", "third")
	overtaken := o.refusing(func(operation string) string {
		if operation == "TransactWriteItems" {
			ask(t, o.URL(), third.Token, "POST", "", newUser)
		}
		return ""
	})
	_, err := overtaken.frontdesk(create(third.ID.String(), "Ada@example.org", "--generate")...)
	if err == nil || !strings.Contains(err.Error(), "meanwhile a user got the e-mail address") {
		t.Errorf("an address that is taken meanwhile: %v", err)
	}
}

// TestOperatorsChangeUsers by list, set-email, set-password and delete, and the API answers accordingly.
func TestOperatorsChangeUsers(t *testing.T) {
	o := onStack(t)
	url := o.URL()
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	ada := ask(t, url, app.Token, "POST", "", newUser)
	bob := ask(t, url, app.Token, "POST", "", strings.ReplaceAll(newUser, "Ada", "Bob"))
	adaID := ada.ID.String()
	listed := printed[[]user.User](o, "user", "list")
	expect.Len(t, "listed", listed, 2)
	expect.Equal(t, "listed[0].ID", listed[0].ID, ada.ID)
	expect.Equal(t, "listed[1].Email", listed[1].Email, "Bob@example.org")
	out := o.prints("user", "list")
	expect.Equal(t, `strings.Count(out, "\n")`, strings.Count(out, "\n"), 3)
	expect.Contains(t, "out", out, "Ada@example.org")

	moved := printed[user.User](o, "user", "set-email", adaID, "--email", "king@example.org")
	shown := ask(t, url, app.Token, "GET", "/"+adaID, "")
	expect.Equal(t, "moved.Email", moved.Email, "king@example.org")
	expect.Equal(t, "shown.Email", shown.Email, moved.Email)
	_, err := o.frontdesk("user", "set-email", adaID, "--email", "bob@example.org")
	expect.Equal(t, "error", fmt.Sprint(err), "Email has already been taken")

	for _, c := range []struct {
		input, want string // the password that works afterwards; "" for the printed one
		fails       bool
	}{
		{"from standard input\nnot this", "from standard input", false},
		{"with a line end\r\n", "with a line end", false},
		{"without one", "without one", false},
		// The rules of the API refuse the next five, and the former password keeps working.
		{"short\n", "without one", true},
		{"\n", "without one", true},
		{"        \n", "without one", true},
		{"Password1\n", "without one", true},
		{"KING@example.org\n", "without one", true},
		{"", "", false},
	} {
		args := []string{"--json", "user", "set-password", adaID}
		if c.want == "" {
			args = append(args, "--generate")
		}
		o.In = strings.NewReader(c.input)
		out, err := o.frontdesk(args...)
		var made struct{ Password string }
		expect.Equal(t, c.input+": it fails", err != nil, c.fails)
		if !c.fails {
			if err := json.Unmarshal([]byte(out), &made); err != nil {
				t.Fatalf("%q: printed %q: %v", c.input, out, err)
			}
		}
		if (made.Password != "") != (c.want == "") {
			t.Errorf("%q: printed %q", c.input, out)
		}
		if signedIn := signIn(t, url, "king@example.org", cmp.Or(c.want, made.Password)); signedIn != http.StatusOK {
			t.Errorf("%q: signing in is answered with %d", c.input, signedIn)
		}
	}
	out = o.prints("user", "set-password", adaID, "--generate")
	expect.Contains(t, "set-password", out, "shown only once")
	expect.Contains(t, "set-password", out, "\npassword  ")

	if deleted := printed[user.User](o, "user", "delete", "--yes", adaID); deleted.ID != ada.ID {
		t.Errorf("deleted %+v", deleted)
	}
	expect.Equal(t, "user delete", o.prints("user", "delete", "--yes", bob.ID.String()),
		"deleted user "+bob.ID.String()+" (Bob@example.org)\n")
	expect.Equal(t, "user list", o.prints("--json", "user", "list"), "[]\n")
	if shown := ask(t, url, app.Token, "GET", "/"+adaID, ""); shown.Status != http.StatusUnauthorized {
		t.Errorf("shown %+v", shown)
	}
	expect.Lacks(t, "check", o.prints("check"), "user\n")
}

// signIn returns the status of a sign-in. 200 means that the password is right.
func signIn(t *testing.T, url, email, password string) int {
	t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	response, err := contracttest.Client(t).Post(url+"/auth/sign_in", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// TestCommandsOfUsersThatFail: each error names the argument, and where to find its values.
func TestCommandsOfUsersThatFail(t *testing.T) {
	o := onStack(t)
	mustRefuse(o, map[string]refused{
		"an app without a name":    {[]string{"platform-app", "create"}, "--name"},
		"an app with a blank name": {[]string{"platform-app", "create", "--name", " "}, "name must not be blank"},
		"an app without a visible name": {
			[]string{"platform-app", "create", "--name", "\u00ad"}, "name must not be blank",
		},
		"a key without a visible name": {
			[]string{"mail-key", "create", "--name", "\u200b", "--from", "example.com"}, "name must not be blank",
		},
		"revoke of no id": {
			[]string{"platform-app", "revoke", "--yes", "abc"}, `"abc" is not an id; frontdesk platform-app list`,
		},
		"revoke of an unknown app": {[]string{"platform-app", "revoke", "--yes", "1"}, "there is no platform app 1"},
		"show without e-mail":      {[]string{"user", "show"}, "--email"},
		"show of no e-mail":        {[]string{"user", "show", "--email", "ada"}, "has no @"},
		"show of an unknown e-mail": {
			[]string{"user", "show", "--email", "ada@example.org"},
			"there is no user with the e-mail address ada@example.org",
		},
		"a token of no id": {
			[]string{"user", "token", "ada@example.org"},
			`"ada@example.org" is not an id; frontdesk user list`,
		},
		"a token of an unknown user": {[]string{"user", "token", "1"}, "there is no user 1"},
		"a token for no time": {
			[]string{"user", "token", "1", "--ttl", "0s"}, "good for a second at least",
		},
		"a token for a time that is no": {[]string{"user", "token", "1", "--ttl", "30 days"}, "--ttl"},
		"tokens of an unknown user":     {[]string{"user", "revoke-tokens", "--yes", "1"}, "there is no user 1"},
		"delete of an unknown user":     {[]string{"user", "delete", "--yes", "1"}, "there is no user 1"},
		"delete of no id":               {[]string{"user", "delete", "--yes", "x"}, `"x" is not an id`},
		"another e-mail of an unknown user": {
			[]string{"user", "set-email", "1", "--email", "ada@example.org"}, "there is no user 1",
		},
		"another e-mail that is none": {
			[]string{"user", "set-email", "1", "--email", "ada"}, "e-mail address",
		},
		"another password of an unknown user": {
			[]string{"user", "set-password", "1", "--generate"}, "there is no user 1",
		},
		// It would be in the shell's history and in the list of processes, so there is no such flag.
		"a password as an argument": {
			[]string{"user", "set-password", "1", "--password", "correct horse"}, "--password",
		},
		"tokens of no id": {[]string{"user", "revoke-tokens", "--yes", "x"}, `"x" is not an id`},
	})
	expect.Equal(t, "printed", o.prints("--json", "platform-app", "list"), "[]\n")
}
