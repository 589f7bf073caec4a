package user_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/local"
	"frontdesk/internal/local/gate"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/user"
)

// TestEveryPermissionIsNeeded takes each action, and each kind of key, out of a function's policy: then
// something that it does fails. With all of them nothing does, which the other tests show.
func TestEveryPermissionIsNeeded(t *testing.T) {
	// Lost answers are waited for until the deadline.
	source, err := os.ReadFile(localtest.EditTemplate(t, "Timeout: 15", "Timeout: 4"))
	if err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{
		"ListUsers", "CreateUser", "ShowUser", "UpdateUser", "DeleteUser", "CreateUserToken", "LoginLink", "SignIn",
	} {
		begin := strings.Index(string(source), "\n  "+function+"Function:\n")
		if begin < 0 {
			t.Fatalf("no %s", function)
		}
		end := begin + strings.Index(string(source)[begin:], "\n\n") // a function has no blank line in it
		block := string(source)[begin:end]
		for _, place := range regexp.MustCompile(`dynamodb:(\w+Item|Query)|"[A-Z]+#\*"`).FindAllStringIndex(block, -1) {
			permission := block[place[0]:place[1]]
			instead := "dynamodb:DescribeTable"
			if permission[0] == '"' {
				instead = `"NOTHING#*"`
			}
			edited := string(source)[:begin] + block[:place[0]] + instead + block[place[1]:] + string(source)[end:]
			t.Run(function+" without "+permission, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "template.yaml")
				if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
					t.Fatal(err)
				}
				s := start(t, func(o *local.Options) { o.Template = path })
				if !s.somethingFails(t, function) {
					t.Errorf("%s does not need it", function)
				}
			})
		}
	}
}

// somethingFails does all that a function does, until it fails.
func (s *stack) somethingFails(t *testing.T, function string) bool {
	t.Helper()
	app, other := s.newApp(t, "app"), s.newApp(t, "other")
	service := &user.Service{Table: s.Table}
	ada, err := service.Create(context.Background(), app.app.ID, user.Details{
		Name: "Ada", Email: "ada@example.org", Password: password,
	})
	if err != nil {
		t.Fatal(err)
	}
	in := s.inProcess(t)
	does := map[string][]func() reply{
		"CreateUser": {
			func() reply { return app.create(t, details("new@example.org", nil)) },
			func() reply { return other.create(t, details("ada@example.org", nil)) },
		},
		"ShowUser": {func() reply { return app.show(t, ada.ID) }},
		"UpdateUser": {
			func() reply { return app.update(t, ada.ID, object{"name": "New"}) },
			func() reply { return app.update(t, ada.ID, object{"email": "king@example.org"}) },
			func() reply { return app.update(t, ada.ID, object{"password": password}) },
		},
		"ListUsers": {
			func() reply { return app.list(t, "") },
			func() reply { return app.list(t, "?email=ada@example.org") },
		},
		"CreateUserToken": {func() reply { return app.mint(t, ada.ID) }},
		"DeleteUser":      {func() reply { return app.deleteWhole(t, ada.ID) }},
		"LoginLink":       {func() reply { return app.login(t, ada.ID) }},
		"SignIn": {
			func() reply { return s.signIn(t, object{"email": "ada@example.org", "password": password}) },
			func() reply {
				token := in.newLoginToken(t, app, ada.ID)
				return s.signIn(t, object{"email": "ada@example.org", "sso_auth_token": token})
			},
			func() reply { return s.signIn(t, object{"email": "ada@example.org", "password": "wrong password"}) },
			func() reply { // it looks whether it has happened
				token := in.newLoginToken(t, app, ada.ID)
				s.Gate().Inject(func(c gate.Call) *gate.Fault {
					if c.Action == "TransactWriteItems" {
						return gate.CutAfter
					}
					return nil
				})
				return s.signIn(t, object{"email": "ada@example.org", "sso_auth_token": token})
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

// deleteWhole deletes a user who has one of everything. That something is left of it counts as a failure.
func (c client) deleteWhole(t *testing.T, user id.ID) reply {
	t.Helper()
	c.AddMember(t, c.NewPortal(t, 1, "handbook", "en"), user)
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
