package user_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/execution"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-lambda-go/events"
)

// TestLoginLinksLeadToTheFrontend shows that links lead to the configured address, or to the API's public one, or to
// its own.
func TestLoginLinksLeadToTheFrontend(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		const public = "https://api.example.net"
		for name, c := range map[string]struct{ configured, public, want string }{
			"the API's own":  {"", "", ""},
			"the public one": {"", public, public + "/app/login"},
			"a host":         {"https://desk.example.com", public, "https://desk.example.com/app/login"},
			"with a slash":   {"https://desk.example.com/", "", "https://desk.example.com/app/login"},
			"with a path":    {"https://example.com/desk/", "", "https://example.com/desk/app/login"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t, func(o *local.Options) {
					o.Parameters = map[string]string{"FrontendUrl": c.configured, "PublicUrl": c.public}
				})
				app := s.newApp(t, "app")
				const email = "Ada+Tag&x=1%#@Bücher.example"
				ada := app.mustHave(t, details(email, nil))
				r := app.login(t, ada.ID)
				link, err := url.Parse(r.URL)
				if err != nil {
					t.Fatal(err)
				}
				want := c.want
				if want == "" {
					want = s.URL() + "/app/login"
				}
				if got, _, _ := strings.Cut(r.URL, "?"); got != want {
					t.Errorf("leads to %s, want %s", got, want)
				}
				token := link.Query().Get("sso_auth_token")
				q := link.Query()
				expect.Equal(t, len(q), 2)
				expect.Equal(t, q.Get("email"), email)
				expect.Equal(t, strings.ContainsAny(link.RawQuery, " #"), false, `link.RawQuery has any of " #"`)
				c, ok := credential.Parse(credential.Login, token)
				if !ok {
					t.Fatalf("token %q", token)
				}
				expect.Equal(t, c.ID, ada.ID)
				if another := fixture.TokenOfLink(app.login(t, ada.ID).URL); another == token {
					t.Error("two links have the same token")
				}
				s.signIn(t, object{"email": link.Query().Get("email"), "sso_auth_token": token}).
					is(t, http.StatusOK, "")
			})
		}
	})
}

// TestLoginLinksOfTheAPIsOwnAddress shows how the API's own address is read from an event of API Gateway. An event
// has the domain and the stage, but not the scheme. AWS serves https alone, whatever the headers of a proxy say; http
// is for local stacks.
func TestLoginLinksOfTheAPIsOwnAddress(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		in := s.inProcess(t)
		const onAWS = "x1.execute-api.eu-west-1.amazonaws.com"
		for name, c := range map[string]struct{ domain, stage, proto, port, want string }{
			"on AWS":                {onAWS, "$default", "https", "443", "https://" + onAWS},
			"in a stage of its own": {onAWS, "prod", "https", "443", "https://" + onAWS + "/prod"},
			"without the headers":   {"api.example.com", "$default", "", "", "https://api.example.com"},
			"with a header of some proxy": {"api.example.com", "$default", "http,https", "1",
				"https://api.example.com"},
			"on one machine":              {"127.0.0.1:3000", "$default", "http", "3000", "http://127.0.0.1:3000"},
			"on one machine, by its name": {"localhost:3000", "$default", "http", "3000", "http://localhost:3000"},
			// Its events have the domain without the port, which a header has.
			"under sam local": {"localhost", "$default", "http", "3000", "http://localhost:3000"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				r := in.invoke(t, in.LoginFunction(), events.APIGatewayV2HTTPRequest{
					Headers: map[string]string{
						"authorization": "Bearer " + app.token, "x-forwarded-proto": c.proto,
						"x-forwarded-port": c.port,
					},
					PathParameters: userID(ada.ID),
					RequestContext: events.APIGatewayV2HTTPRequestContext{DomainName: c.domain, Stage: c.stage},
				})
				want := c.want + "/app/login?email=ada%40example.org&sso_auth_token=fdl_"
				if r.Status != http.StatusOK || !strings.HasPrefix(r.URL, want) {
					t.Errorf("link %s, want %s", r.URL, want)
				}
			})
		}
	})
}

// TestFrontendURLEndsInNoSlash shows that slashes at the end are removed, and that a function does not start with an
// address that no path can follow.
func TestFrontendURLEndsInNoSlash(t *testing.T) {
	t.Setenv("TABLE_NAME", "x")
	for value, want := range map[string]string{
		"":                       "",
		"https://a.example":      "https://a.example",
		"http://localhost:8080/": "http://localhost:8080",
		"https://a.example/b//":  "https://a.example/b",
	} {
		t.Setenv("FRONTEND_URL", value)
		s, err := user.FromEnvironment(execution.Lambda)
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		expect.Equal(t, s.FrontendURL, want, value)
	}
	for _, value := range []string{
		"a.example", "ftp://a.example", "https://", "/app", "https://a.example?x=1", "https://a.example/#x",
		"https://a b", "javascript:alert(1)",
	} {
		t.Setenv("FRONTEND_URL", value)
		_, err := user.FromEnvironment(execution.Lambda)
		expect.HasPrefix(t, fmt.Sprint(err), "FRONTEND_URL must be", value+": error")
	}
	t.Setenv("TABLE_NAME", "")
	if _, err := user.FromEnvironment(execution.Lambda); err == nil {
		t.Error("no error without TABLE_NAME")
	}
}

// TestLoginTokens has a sequence of sign-ins with one token in each case. Each comes some time after the previous
// one. A wrong use does not spend the token: its user can still sign in.
func TestLoginTokens(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		type step struct {
			after  time.Duration
			email  string
			token  string // "" for the one that was issued
			status int
		}
		const ada, bob = "ada@example.org", "bob@example.org"
		for name, steps := range map[string][]step{
			"works once": {{0, ada, "", 200}, {0, ada, "", 401},
				{time.Minute, ada, "", 401}},
			"works shortly before 5 minutes":        {{user.LoginLife - 2*time.Second, ada, "", 200}},
			"not after 5 minutes":                   {{user.LoginLife, ada, "", 401}},
			"not after a day":                       {{24 * time.Hour, ada, "", 401}},
			"not for another user, and stays good":  {{0, bob, "", 401}, {0, ada, "", 200}},
			"not for an unknown e-mail, stays good": {{0, "eve@example.org", "", 401}, {0, ada, "", 200}},
			"not for no e-mail, stays good":         {{0, "ada", "", 401}, {0, ada, "", 200}},
			"not with another id in it, stays good": {{0, ada, "id", 401}, {0, ada, "", 200}},
			"not with a wrong secret":               {{0, ada, "secret", 401}, {0, ada, "", 200}},
			"not as an agent's token":               {{0, ada, "kind", 401}, {0, ada, "", 200}},
			"not malformed":                         {{0, ada, "x", 401}, {0, ada, "", 200}},
			"in another form of the address":        {{0, " ADA@EXAMPLE.ORG ", "", 200}},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t)
				app := s.newApp(t, "app")
				user := app.mustHave(t, details(ada, nil))
				other := app.mustHave(t, details(bob, object{"name": "Bob"}))
				in := s.inProcess(t)
				token := in.newLoginToken(t, app, user.ID)
				// The last part of a credential. Everything before it is public.
				secret := token[strings.LastIndexByte(token, '_')+1:]
				wrong, _ := credential.Mint(credential.Login, user.ID)
				another, _ := credential.Mint(credential.Login, other.ID)
				for i, step := range steps {
					time.Sleep(step.after)
					// The issued token, bent in the way that the step says.
					given := token
					switch step.token {
					// The id says whose record to read. Only the secret proves anything.
					case "id":
						given = another[:strings.LastIndexByte(another, '_')+1] + secret
					case "secret":
						given = wrong
					case "kind":
						given = "fda" + token[3:]
					case "x":
						given = "x"
					}
					r := in.signIn(t, object{"email": step.email, "sso_auth_token": given})
					if r.Status != step.status || r.Status == 401 && r.Raw != refused {
						t.Errorf("step %d: answer %d %s, want %d", i, r.Status, r.Raw, step.status)
					}
					if r.Status == 200 &&
						(r.Data.ID != user.ID || r.Data.Email != ada || r.Data.Name != "Ada Lovelace" ||
							!s.TakesToken(t, r.Data.AccessToken, user.ID)) {
						t.Errorf("step %d: signed in as %s", i, r.Raw)
					}
				}
				s.mustBeWhole(t)
			})
		}
	})
}

// TestALoginTokenRedeemedByManyAtOnce shows that a token signs in exactly one of eight clients.
func TestALoginTokenRedeemedByManyAtOnce(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		for range 3 {
			token := app.mustLogin(t, ada.ID)
			before := s.CountItems(t, "TOKEN#", "TOKEN#")
			answers := fixture.Together(8, func(int) reply {
				return s.signIn(t, object{"email": "ada@example.org", "sso_auth_token": token})
			})
			won := 0
			for _, r := range answers {
				switch {
				case r.Status == http.StatusOK:
					won++
				case r.Raw != refused:
					t.Errorf("answer %d %s", r.Status, r.Raw)
				}
			}
			tokens := s.CountItems(t, "TOKEN#", "TOKEN#") - before
			expect.Equal(t, won, 1)
			expect.Equal(t, tokens, 1, `s.CountItems(t, "TOKEN#", "TOKEN#") - before`)
		}
		if n := s.CountItems(t, "LOGIN#", ""); n != 0 {
			t.Errorf("%d login tokens are left", n)
		}
	})
}
