package user_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// TestAUserCannotBeBlocked: a field by which another API ends or delays a sign-in is an error, on every endpoint that
// writes a user. A value that asks for what holds anyway is a warning, and the user signs in.
func TestAUserCannotBeBlocked(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		const (
			ends = "DELETE /platform/api/v1/users/{user_id}/token ends the user's tokens and login links, " +
				"a new password ends the old one, too, and DELETE /platform/api/v1/users/{user_id} ends the user"
			blocked   = " is not possible: a user cannot be blocked; " + ends
			confirmed = " is not possible: a user can sign in at once; create the user when the address is confirmed"
			patchOp   = ` is not possible: a SCIM PatchOp is not read; give the fields themselves, as in ` +
				`{"name": "Ada King"}; to block a user is not possible either; ` + ends
		)
		operations := array{object{"op": "replace", "path": "active", "value": false}}
		for name, c := range map[string]struct {
			body object
			want string // the message; "" for none
		}{
			"SCIM":              {object{"active": false}, "active" + blocked},
			"GitLab":            {object{"active": "false"}, "active" + blocked},
			"Django":            {object{"is_active": 0}, "is_active" + blocked},
			"Keycloak":          {object{"enabled": false}, "enabled" + blocked},
			"Microsoft":         {object{"accountEnabled": false}, "accountEnabled" + blocked},
			"Auth0":             {object{"blocked": true}, "blocked" + blocked},
			"Firebase":          {object{"disabled": true}, "disabled" + blocked},
			"Google":            {object{"suspended": true}, "suspended" + blocked},
			"Clerk":             {object{"banned": true}, "banned" + blocked},
			"Clerk, for a time": {object{"locked": true}, "locked" + blocked},
			"Supabase":          {object{"ban_duration": "24h"}, "ban_duration" + blocked},
			"Kratos":            {object{"state": "inactive"}, "state" + blocked},
			"a status":          {object{"status": "Suspended"}, "status" + blocked},
			"a confirmation":    {object{"require_confirmation": true}, "require_confirmation" + confirmed},
			"GitLab's":          {object{"skip_confirmation": false}, "skip_confirmation" + confirmed},
			"a PatchOp": {
				object{
					"schemas":    array{"urn:ietf:params:scim:api:messages:2.0:PatchOp"},
					"Operations": operations,
				},
				"Operations" + patchOp,
			},
			"a PatchOp in lower case": {object{"operations": operations}, "operations" + patchOp},
			"two": {
				object{"active": false, "blocked": true}, "active" + blocked + ", blocked" + blocked,
			},

			"active":                {object{"active": true}, ""},
			"active or not":         {object{"active": null}, ""},
			"not disabled":          {object{"disabled": false}, ""},
			"not banned":            {object{"ban_duration": "none", "banned_until": null}, ""},
			"enabled":               {object{"enabled": "true"}, ""},
			"another state":         {object{"state": "active", "status": 7}, ""},
			"no operations":         {object{"schemas": array{"x"}, "Operations": array{}}, ""},
			"other operations":      {object{"operations": array{"read"}}, ""},
			"no confirmation":       {object{"require_confirmation": false, "skip_confirmation": true}, ""},
			"what is the app's own": {object{"custom_attributes": object{"active": false, "blocked": true}}, ""},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				before := app.show(t, ada.ID)
				for _, operation := range []string{"updateUser", "updateUserByPut"} {
					r := app.send(t, fixture.To(operation, ada.ID), c.body)
					mayBlock(t, r, c.want, c.body)
				}
				// There is one.
				mayBlock(t, app.create(t, fixture.With(object{"email": ada.Email}, c.body)), c.want, c.body)
				email := regexp.MustCompile(`\W+`).ReplaceAllString(name, "-") + "@example.org"
				mayBlock(t, app.create(t, details(email, c.body)), c.want, c.body)
				if c.want != "" {
					expect.Equal(t, app.show(t, ada.ID).Raw, before.Raw, "the user")
				}
			})
		}
		s.signIn(t, object{"email": ada.Email, "password": password}).is(t, http.StatusOK, "")
		localtest.Case(t, "with another fault, in a change", func(t testing.TB) {
			r := app.send(t, fixture.To("updateUser", ada.ID), object{"name": " ", "blocked": true})
			r.is(t, http.StatusUnprocessableEntity, "Name can't be blank, blocked"+blocked)
			expect.Equal(t, r.Attributes, []string{"name", "blocked"}, "attributes")
		})
		localtest.Case(t, "a stranger learns nothing", func(t testing.TB) {
			r := app.call(t, fixture.To("updateUser", ada.ID), fixture.Token("bad"), object{"blocked": true})
			r.is(t, http.StatusUnauthorized, "")
		})
	})
}

// mayBlock checks the answer to a body: a message, or success with a warning for each field that does not exist.
func mayBlock(t testing.TB, r reply, want string, body object) {
	t.Helper()
	if want != "" {
		r.is(t, http.StatusUnprocessableEntity, want)
		return
	}
	r.is(t, http.StatusOK, "")
	for _, field := range slices.Sorted(maps.Keys(body)) {
		if field != "custom_attributes" {
			want += "unknown field " + field + " is ignored\n"
		}
	}
	expect.Equal(t, strings.Join(append(r.Warnings, ""), "\n"), want, "warnings")
}
