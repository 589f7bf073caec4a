package user_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/credential"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
)

// endpoint is an endpoint that acts on a user.
type endpoint struct {
	method, suffix string
	body           any
}

// userEndpoints are the endpoints with the id of a user in their path: each of them needs a link to that user.
var userEndpoints = map[string]endpoint{
	"show":       {"GET", "", nil},
	"update":     {"PATCH", "", object{"name": "New Name"}},
	"login":      {"GET", "/login", nil},
	"token":      {"POST", "/token", nil},
	"end tokens": {"DELETE", "/token", nil},
	"delete":     {"DELETE", "", nil},
}

// call sends the request of an app. user may be any text that a path can have.
func (e endpoint) call(t testing.TB, c client, user any) reply {
	t.Helper()
	return c.call(t, e.method, path(user, e.suffix), fixture.Token(c.token), e.body)
}

// isUnauthorized checks that an answer equals every other 401 in status, body and headers, except for the ids and
// the time.
func isUnauthorized(t testing.TB, r reply) {
	t.Helper()
	if r.Status != http.StatusUnauthorized || r.Raw != unauthorized {
		t.Errorf("answer %d %s, want 401 %s", r.Status, r.Raw, unauthorized)
	}
	want := []string{
		"Apigw-Requestid", "Cache-Control", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options",
	}
	if names := slices.Sorted(maps.Keys(r.Header)); !slices.Equal(names, want) {
		t.Errorf("headers %q, want %q", names, want)
	}
}

// TestPermissibleLinks calls every endpoint with and without a link. A user without a link, one that does not exist and
// one that was deleted get the same answer, so no app can find out which users there are.
func TestPermissibleLinks(t *testing.T) {
	s := start(t)
	a, b := s.newApp(t, "a"), s.newApp(t, "b")
	of := func(app client, name string) id.ID { return app.mustHave(t, details(name+"@example.org", nil)).ID }
	onlyA, both, onlyB, deleted := of(a, "only-a"), of(a, "both"), of(b, "only-b"), of(a, "deleted")
	b.mustCreate(t, object{"email": "both@example.org"})
	b.mustCreate(t, object{"email": "deleted@example.org"})
	b.delete(t, deleted).is(t, http.StatusOK, "")
	// An id that nobody has got yet.
	unknown := onlyB + 1000
	// Who is linked to whom. Deletions below remove users from it.
	linked := map[string][]id.ID{"a": {onlyA, both}, "b": {both, onlyB}}
	// In this order, because a deletion leaves nothing to the others.
	for _, name := range []string{"show", "update", "login", "token", "end tokens", "delete"} {
		e := userEndpoints[name]
		for _, c := range []client{a, b} {
			for _, user := range []id.ID{onlyA, both, onlyB, unknown, deleted} {
				t.Run(fmt.Sprintf("app %s %s user %d", c.app.Name, name, user), func(t *testing.T) {
					r := e.call(t, c, user)
					if got := s.Actions(r.Answer); got[0] != "BatchGetItem" {
						t.Errorf("calls %q", got)
					}
					if slices.Contains(linked[c.app.Name], user) {
						r.is(t, http.StatusOK, "")
						return
					}
					isUnauthorized(t, r)
					// A refusal takes one call, whatever its reason, so that its time tells nothing.
					if got := s.Actions(r.Answer); len(got) != 1 {
						t.Errorf("calls %q", got)
					}
				})
				if name == "delete" && slices.Contains(linked[c.app.Name], user) {
					for app, users := range linked { // nobody's from now on
						linked[app] = slices.DeleteFunc(slices.Clone(users), func(u id.ID) bool { return u == user })
					}
				}
			}
		}
	}
	for name, e := range userEndpoints {
		for _, user := range []id.ID{onlyA, both, onlyB} {
			t.Run(fmt.Sprintf("%s user %d once more", name, user), func(t *testing.T) {
				isUnauthorized(t, e.call(t, a, user))
				isUnauthorized(t, e.call(t, b, user))
			})
		}
	}
	// An app has a record, and an entry in the directory.
	if left := s.CountItems(t, "", "") - 2*s.CountItems(t, "APP#", ""); left != 0 {
		t.Errorf("%d items are left of users", left)
	}
}

// TestIDsThatAreNone shows that a malformed id is answered like a user without a link.
func TestIDsThatAreNone(t *testing.T) {
	s := start(t)
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil))
	for name, user := range map[string]string{
		"unknown":              (ada.ID + 1).String(),
		"another app's record": app.app.ID.String(),
		"zero":                 "0",
		"negative":             "-" + ada.ID.String(),
		"with a plus":          "+" + ada.ID.String(),
		"with a leading zero":  "0" + ada.ID.String(),
		"with a space":         "%20" + ada.ID.String(),
		"a fraction":           ada.ID.String() + ".0",
		"with an exponent":     "1e3",
		"hexadecimal":          fmt.Sprintf("0x%x", int64(ada.ID)),
		"in base 36":           "zz",
		"not a number":         "ada@example.org",
		"null":                 "null",
		// Ids end at 2^53-1, up to which JavaScript reads integers exactly.
		"over 53 bits":      "9007199254740992",
		"over 64 bits":      "18446744073709551616",
		"huge":              strings.Repeat("9", 5000),
		"with %2F inside":   ada.ID.String() + "%252Fx", // an escaped slash itself makes another path
		"with a # inside":   ada.ID.String() + "%23USER",
		"full-width digits": url.PathEscape("１２３"),
		"a NUL byte":        "%00",
		"a space":           "%20",
		"a bad UTF-8 byte":  "%ff",
	} {
		for endpoint, e := range userEndpoints {
			t.Run(name+", "+endpoint, func(t *testing.T) { isUnauthorized(t, e.call(t, app, user)) })
		}
	}
	if r := app.show(t, ada.ID); r.Raw != ada.Raw {
		t.Errorf("shown %s, want %s", r.Raw, ada.Raw)
	}
}

// TestTokens tries each form of the header, and everything that is not a good token, on every operation.
func TestTokens(t *testing.T) {
	s := start(t)
	app, revoked := s.newApp(t, "app"), s.newApp(t, "revoked")
	ada := app.mustHave(t, details("ada@example.org", nil))
	revoked.mustHave(t, details("ada@example.org", nil))
	if _, err := s.apps.Revoke(t.Context(), revoked.app.ID); err != nil {
		t.Fatal(err)
	}
	wrong, _ := credential.Mint(credential.PlatformApp, app.app.ID)
	unknown, _ := credential.Mint(credential.PlatformApp, app.app.ID+1)
	agent := s.signIn(t, object{"email": "ada@example.org", "password": password}).Data.AccessToken
	if agent == "" {
		t.Fatal("no agent token")
	}
	// Two more endpoints need a token and no link.
	operations := map[string]endpoint{"create": {"POST", "", details("ada@example.org", nil)}, "list": {"GET", "", nil}}
	maps.Copy(operations, userEndpoints)
	delete(operations, "delete") // TestPermissibleLinks has it: it works once
	tokens := map[string]struct {
		token string
		good  bool
	}{
		"a good token":           {app.token, true},
		"an empty token":         {"", false},
		"a malformed token":      {"fdp_" + app.token, false},
		"another word":           {"secret", false},
		"a token in capitals":    {strings.ToUpper(app.token), false},
		"a token cut short":      {app.token[:len(app.token)-1], false},
		"a wrong secret":         {wrong, false},
		"an unknown app":         {unknown, false},
		"a revoked token":        {revoked.token, false},
		"an agent's token":       {agent, false},
		"the same as an agent's": {"fda" + app.token[3:], false},
		"the same as a mail key": {"fdm" + app.token[3:], false},
		// HTTP joins two header fields of one name so (RFC 9110 section 5.3).
		"a token twice, with comma":  {app.token + "," + app.token, false},
		"a bearer token in a bearer": {"Bearer " + app.token, false},
	}
	headers := map[string]func(token string) http.Header{
		"api_access_token": fixture.Token,
		"api-access-token": func(token string) http.Header { return http.Header{"Api-Access-Token": {token}} },
		"Authorization": func(token string) http.Header {
			return http.Header{"Authorization": {"Bearer " + token}}
		},
		// Queries stand in logs and in the histories of browsers.
		"in the query, in vain": nil,
	}
	for operation, e := range operations {
		path := usersPath
		if operation != "create" && operation != "list" {
			path += "/" + ada.ID.String() + e.suffix
		}
		t.Run(operation+" without a token", func(t *testing.T) {
			isUnauthorized(t, s.call(t, e.method, path, nil, e.body))
		})
		for form, header := range headers {
			for name, token := range tokens {
				t.Run(operation+" with "+name+", "+form, func(t *testing.T) {
					if header == nil {
						query := "?api_access_token=" + url.QueryEscape(token.token)
						isUnauthorized(t, s.call(t, e.method, path+query, nil, e.body))
						return
					}
					r := s.call(t, e.method, path, header(token.token), e.body)
					if token.good {
						r.is(t, http.StatusOK, "")
						return
					}
					isUnauthorized(t, r)
					if calls := s.Actions(r.Answer); len(calls) > 1 {
						t.Errorf("calls %q", calls)
					}
				})
			}
		}
	}
}

// TestAuthenticationPrecedesAllElse shows that a bad token with a bad body is 401, never 400 or 422.
func TestAuthenticationPrecedesAllElse(t *testing.T) {
	s := start(t)
	app, other := s.newApp(t, "app"), s.newApp(t, "other")
	ada := app.mustHave(t, details("ada@example.org", nil))
	wrong, _ := credential.Mint(credential.PlatformApp, app.app.ID)
	for name, body := range map[string]string{
		"no JSON":      "{",
		"no object":    "[]",
		"a wrong type": `{"name":1,"email":1,"password":1}`,
		"wrong values": `{"name":"","email":"x","password":""}`,
		"a good one":   write(details("new@example.org", nil)),
	} {
		for form, token := range map[string]string{"no token": "", "a wrong token": wrong} {
			t.Run("create with "+form+" and "+name, func(t *testing.T) {
				isUnauthorized(t, s.call(t, "POST", usersPath, fixture.Token(token), body))
			})
		}
		for form, token := range map[string]string{"no token": "", "a wrong token": wrong, "no link": other.token} {
			t.Run("update with "+form+" and "+name, func(t *testing.T) {
				isUnauthorized(t, s.call(t, "PATCH", path(ada.ID), fixture.Token(token), body))
			})
		}
	}
	if r := app.show(t, ada.ID); r.Raw != ada.Raw {
		t.Errorf("shown %s, want %s", r.Raw, ada.Raw)
	}
	if n := s.CountItems(t, "USER#", "USER"); n != 1 {
		t.Errorf("%d users", n)
	}
}

// TestALinkStaysAsItIs shows that creating a user again does not change the time of its link.
func TestALinkStaysAsItIs(t *testing.T) {
	s := start(t)
	app := s.newApp(t, "app")
	app.mustHave(t, details("ada@example.org", nil))
	link := func() (at time.Time) {
		for _, item := range s.Items(t) {
			var link struct {
				SK        string
				CreatedAt time.Time `dynamo:"created_at"`
			}
			if decode(t, item, &link); strings.HasPrefix(link.SK, "USER#") {
				at = link.CreatedAt
			}
		}
		return at
	}
	before := link()
	app.mustHave(t, details("ada@example.org", nil))
	after := link()
	expect.Equal(t, "before.IsZero()", before.IsZero(), false)
	expect.Equal(t, "link()", after, before)
}
