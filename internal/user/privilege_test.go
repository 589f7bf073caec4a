package user_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/user"
)

// TestEveryPermissionIsNeeded takes each permission from each function. Without it, something that the function does
// must fail. A permission that nothing needs would only help whoever takes over the function.
func TestEveryPermissionIsNeeded(t *testing.T) {
	t.Parallel()
	for _, function := range []string{
		"ListUsers", "CreateUser", "ShowUser", "UpdateUser", "DeleteUser", "CreateUserToken",
		"DeleteUserTokens", "LoginLink", "SignIn",
	} {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			fixture.TakePermissions(t, function, func(t *testing.T, change func(*local.Options)) (
				*fixture.Stack, func(*testing.T, int) bool,
			) {
				s := start(t, change)
				return s.Stack, func(t *testing.T, round int) bool { return s.somethingFails(t, function, round) }
			})
		})
	}
}

// somethingFails does everything that a function does, until something fails. Each round has its own users.
func (s *stack) somethingFails(t *testing.T, function string, round int) bool {
	t.Helper()
	app, other := s.newApp(t, "app"), s.newApp(t, "other")
	service := &user.Service{Table: s.Table, HashParams: fixture.CheapHash}
	address := func(name string) string { return fmt.Sprintf("%s-%d@example.org", name, round) }
	ada, err := service.Create(context.Background(), app.app.ID, user.Details{
		Name: "Ada", Email: address("ada"), Password: password,
	})
	if err != nil {
		t.Fatal(err)
	}
	in := s.inProcess(t)
	does := map[string][]func() reply{
		"CreateUser": {
			func() reply { return app.create(t, details(address("new"), nil)) },
			func() reply { return other.create(t, details(address("ada"), nil)) },
		},
		"ShowUser": {func() reply { return app.show(t, ada.ID) }},
		"UpdateUser": {
			func() reply { return app.update(t, ada.ID, object{"name": "New"}) },
			func() reply { return app.update(t, ada.ID, object{"email": address("king")}) },
			func() reply { return app.update(t, ada.ID, object{"password": password}) },
		},
		"ListUsers": {
			func() reply { return app.list(t, "") },
			func() reply { return app.list(t, "?email="+address("ada")) },
		},
		"CreateUserToken":  {func() reply { return app.mint(t, ada.ID) }},
		"DeleteUserTokens": {func() reply { return app.endTokens(t, ada.ID) }},
		"DeleteUser":       {func() reply { return app.deleteWhole(t, ada.ID) }},
		"LoginLink":        {func() reply { return app.login(t, ada.ID) }},
		"SignIn": {
			func() reply { return s.signIn(t, object{"email": address("ada"), "password": password}) },
			func() reply {
				token := in.newLoginToken(t, app, ada.ID)
				return s.signIn(t, object{"email": address("ada"), "sso_auth_token": token})
			},
			func() reply { return s.signIn(t, object{"email": address("ada"), "password": "wrong password"}) },
			func() reply { // its hash becomes ours
				importing := s.importing(t)
				importing.mustCreate(t, imported(address("imported"), foreignHash))
				return s.signIn(t, object{"email": address("imported"), "password": "short"})
			},
			func() reply { // no answer to the write: it reads whether it has signed in
				token := in.newLoginToken(t, app, ada.ID)
				s.Gate().Inject(func(c gate.Call) *gate.Fault {
					if c.Action == "TransactWriteItems" {
						return gate.CutAfter
					}
					return nil
				})
				defer s.Gate().Inject(nil)
				return s.signIn(t, object{"email": address("ada"), "sso_auth_token": token})
			},
		},
	}
	for _, do := range does[function] {
		if r := do(); r.Status >= http.StatusInternalServerError {
			return true
		}
	}
	return false
}

// deleteWhole deletes a user who has one of everything. Anything left of the user counts as a failure.
func (c client) deleteWhole(t *testing.T, user id.ID) reply {
	t.Helper()
	c.AddMember(t, c.NewPortal(t, 1, "of-"+user.String(), "en"), user)
	c.mint(t, user).is(t, http.StatusOK, "")
	c.mustLogin(t, user)
	r := c.delete(t, user)
	for _, item := range c.Items(t) {
		if k := fixture.KeyOf(t, item); strings.Contains(k.PK+k.SK, user.Key()) {
			r.Status = http.StatusInternalServerError
		}
	}
	return r
}
