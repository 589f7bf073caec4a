package user_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestChatwootsRequestSpec has the cases of Chatwoot's platform users_controller_spec.rb under their names. Where the
// answer here differs, the name of the case says so, and departures.md says why. A client that was written for
// Chatwoot should find what it knows.
func TestChatwootsRequestSpec(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		owner, other := s.newApp(t, "owner"), s.newApp(t, "other")
		newUser := func(t testing.TB, email string) reply {
			t.Helper()
			u := owner.mustHave(t, object{"name": "dev", "email": email, "password": password})
			owner.update(t, u.ID, object{"custom_attributes": object{"test": "test"}}).is(t, http.StatusOK, "")
			return u
		}
		user := newUser(t, "dev+testing@chatwoot.com")
		for _, e := range []struct {
			spec string
			to   fixture.Target
			body any
		}{
			{"GET {user_id}", fixture.To("getUser", user.ID), nil},
			{"GET {user_id}/login", fixture.To("createLoginLink", user.ID), nil},
			{"POST {user_id}/token", fixture.To("createUserToken", user.ID), nil},
			{"POST", fixture.To("createUser"), object{}},
			{"PATCH {user_id}", fixture.To("updateUser", user.ID), object{"name": "test"}},
			{"DELETE {user_id}", fixture.To("deleteUser", user.ID), nil},
		} {
			localtest.Case(t, e.spec+": unauthenticated: returns unauthorized", func(t testing.TB) {
				s.call(t, e.to, nil, e.body).is(t, 401, "")
			})
			localtest.Case(t, e.spec+": invalid platform app token: returns unauthorized", func(t testing.TB) {
				s.call(t, e.to, fixture.Token("invalid"), e.body).is(t, 401, "")
			})
			if e.spec == "POST" {
				continue
			}
			localtest.Case(t, e.spec+": returns unauthorized when its not a permissible object", func(t testing.TB) {
				s.call(t, e.to, fixture.Token(other.token), e.body).is(t, 401, "")
			})
		}
		localtest.Case(t, "GET {user_id}: shows a user when its permissible object", func(t testing.TB) {
			r := owner.show(t, user.ID)
			r.is(t, http.StatusOK, "")
			expect.Equal(t, r.Email, "dev+testing@chatwoot.com")
			expect.Equal(t, string(r.CustomAttributes), `{"test":"test"}`, "custom attributes")
		})
		localtest.Case(t, "GET {user_id}/login: return login link for user", func(t testing.TB) {
			r := owner.login(t, user.ID)
			r.is(t, http.StatusOK, "")
			expect.Contains(t, r.URL, "email=dev%2Btesting%40chatwoot.com&sso_auth_token=")
		})
		localtest.Case(t,
			"POST {user_id}/token: returns access token for the user with expiry and user info: here no user info",
			func(t testing.TB) {
				r := owner.mint(t, user.ID)
				r.is(t, http.StatusOK, "")
				expect.Not(t, r.AccessToken, "", "access token")
				expect.Equal(t, r.ExpiresAt.IsZero(), false, "it has an expiry")
				expect.Equal(t, r.UserID, user.ID, "user id")
			})
		created := object{
			"name": "test", "display_name": "displaytest", "email": "test@test.com", "password": "Password1!",
			"custom_attributes": object{"test": "test_create"},
		}
		localtest.Case(t,
			"POST: creates a new user and permissible for the user without sending an email: here no display_name",
			func(t testing.TB) {
				r := owner.create(t, created)
				r.is(t, http.StatusOK, "")
				expect.Equal(t, r.Name, "test")
				expect.Equal(t, r.Email, "test@test.com")
				expect.Equal(t, string(r.CustomAttributes), `{"test":"test_create"}`, "custom attributes")
				expect.Equal(t, r.Warnings, []string{"unknown field display_name is ignored"})
				owner.show(t, r.ID).is(t, http.StatusOK, "")
				expect.Equal(t, len(s.Outbox().Mails()), 0, "mails sent")
			})
		localtest.Case(t, "POST: fetch existing user and creates permissible for the user", func(t testing.TB) {
			old := newUser(t, "old@test.com")
			r := other.create(t, object{"name": "test", "email": "old@test.com", "password": "Password1!"})
			r.is(t, http.StatusOK, "")
			expect.Equal(t, r.Name, "dev")
			expect.Equal(t, r.ID, old.ID)
			other.show(t, old.ID).is(t, http.StatusOK, "")
		})
		localtest.Case(t, "POST: the spec's path ends with a slash: here 404", func(t testing.TB) {
			r := owner.send(t, fixture.At("POST", "/platform/api/v1/users/"), created)
			r.is(t, http.StatusNotFound, "Not Found")
		})
		localtest.Case(t, "POST and GET accounts/{id}/account_users: here 404", func(t testing.TB) {
			for _, method := range []string{"POST", "GET"} {
				r := owner.send(t, fixture.At(method, "/platform/api/v1/accounts/1/account_users"), object{})
				r.is(t, http.StatusNotFound, "Not Found")
			}
		})
		localtest.Case(t, "PATCH {user_id}: updates the user attributes", func(t testing.TB) {
			r := owner.update(t, user.ID, object{
				"name": "test123", "email": "newtestemail@test.com", "custom_attributes": object{"test": "test_update"},
			})
			r.is(t, http.StatusOK, "")
			expect.Equal(t, r.Name, "test123")
			expect.Equal(t, r.Email, "newtestemail@test.com")
			expect.Equal(t, string(r.CustomAttributes), `{"test":"test_update"}`, "custom attributes")
		})
		localtest.Case(t, "DELETE {user_id}: deletes the user", func(t testing.TB) {
			owner.delete(t, user.ID).is(t, http.StatusOK, "")
			owner.show(t, user.ID).is(t, http.StatusUnauthorized, "")
		})
	})
}

// TestPublishedClients sends the requests of published clients of Chatwoot's platform API. The name of each case has
// the repository and the commit that was read. Each case has its own user, with the attribute plan. departures.md lists
// the cases whose request is refused here.
func TestPublishedClients(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		const plan = `{"plan":"gold"}`
		for i, c := range []struct {
			name       string
			operation  string
			body       string // EMAIL stands for an address that is nobody's
			status     int
			attributes string // of the answer, "" for none
			message    string
			warnings   []string
		}{
			{name: "figurolatam/chatwoot-sdk@c0ae1db: create", operation: "createUser",
				body:   `{"name":"N","email":"EMAIL","password":"Password1!","custom_attributes":{}}`,
				status: 200, attributes: "{}"},
			{name: "figurolatam/chatwoot-sdk@c0ae1db: update with no attributes", operation: "updateUser",
				body: `{"name":"N","email":"EMAIL","custom_attributes":{}}`, status: 200, attributes: plan},
			{name: "figurolatam/chatwoot-sdk@c0ae1db: update one attribute", operation: "updateUser",
				body: `{"custom_attributes":{"seats":3}}`, status: 200, attributes: `{"plan":"gold","seats":3}`},
			{name: "figurolatam/chatwoot-sdk@c0ae1db: getSSOUrl", operation: "createLoginLink", status: 200},
			{name: "balance3840/chatwoot-php-sdk@2bea6e7: create with an empty array", operation: "createUser",
				body:   `{"name":"N","email":"EMAIL","password":"Password1!","custom_attributes":[]}`,
				status: 200, attributes: "{}"},
			{name: "balance3840/chatwoot-php-sdk@2bea6e7: update with an empty array", operation: "updateUser",
				body: `{"name":"N","custom_attributes":[]}`, status: 200, attributes: plan},
			{name: "balance3840/chatwoot-php-sdk@2bea6e7: update with no field at all", operation: "updateUser",
				body: `[]`, status: 400, message: "body must be one JSON object"},
			{name: "balance3840/chatwoot-php-sdk@2bea6e7: delete, with a body", operation: "deleteUser", body: `[]`,
				status: 200},
			{name: "salmonumbrella/chatwoot-cli@039c5ab: create", operation: "createUser",
				body:   `{"name":"N","display_name":"D","email":"EMAIL","password":"Password1!"}`,
				status: 200, attributes: "{}", warnings: []string{"unknown field display_name is ignored"}},
			{name: "salmonumbrella/chatwoot-cli@039c5ab: update", operation: "updateUser",
				body:   `{"display_name":"D","custom_attributes":{"plan":"silver"}}`,
				status: 200, attributes: `{"plan":"silver"}`,
				warnings: []string{"unknown field display_name is ignored"}},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				user := app.mustHave(t, details(fmt.Sprintf("user-%d@example.org", i), nil))
				app.update(t, user.ID, object{"custom_attributes": object{"plan": "gold"}}).is(t, http.StatusOK, "")
				to, header := fixture.To(c.operation, user.ID), fixture.Token(app.token)
				if c.operation == "createUser" {
					to = fixture.To(c.operation)
				}
				if strings.Contains(c.body, "[]") { // which the contract does not tell clients to send
					header = contracttest.Careless(header)
				}
				var body any
				if c.body != "" {
					body = strings.ReplaceAll(c.body, "EMAIL", fmt.Sprintf("new-%d@example.org", i))
				}
				r := app.call(t, to, header, body)
				r.is(t, c.status, c.message)
				expect.Equal(t, string(r.CustomAttributes), c.attributes, "custom attributes")
				expect.Equal(t, r.Warnings, c.warnings)
			})
		}
		localtest.Case(t, "any that counts pages: the first", func(t testing.TB) {
			app.list(t, "?page=1").is(t, http.StatusOK, "")
		})
		localtest.Case(t, "any that counts pages: the second", func(t testing.TB) {
			r := app.list(t, "?page=2")
			r.is(t, http.StatusBadRequest, "page must be 1: pages have no numbers; limit says how many a page has, "+
				"and cursor, the next_cursor of the page before, where it begins")
		})
	})
}
