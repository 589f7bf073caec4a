package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
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
func ask(t testing.TB, by http.RoundTripper, url, token string, to fixture.Target, body string) (a userAnswer) {
	t.Helper()
	request, err := to.Request(t.Context(), url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header["api_access_token"] = []string{token}
	response, err := contracttest.Client(t, by).Do(request)
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

// ask sends a request of a platform app to the stack.
func (o *shell) ask(token string, to fixture.Target, body string) userAnswer {
	o.Helper()
	return ask(o.TB, o.Client().Transport, o.URL(), token, to, body)
}

// newUser is the body that creates Ada.
const newUser = `{"name":"Ada","email":"Ada@example.org","password":"correct horse"}`

// createdApp is what platform-app create and rotate print.
type createdApp struct {
	platformAppView
	Token string
}

// TestAUserWhoComesMeanwhile: just before the tool writes the user, an app creates one of the address. The app that the
// operator named is linked to that user, whose password stays, so the command fails.
func TestAUserWhoComesMeanwhile(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t)
		app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
		overtaken := o.meanwhile("TransactWriteItems", func() { o.ask(app.Token, fixture.To("createUser"), newUser) })
		_, err := overtaken.frontdesk("user", "create", "--app", app.ID.String(), "--name", "Grace",
			"--email", "Ada@example.org", "--generate")
		expect.Contains(t, fmt.Sprint(err), "meanwhile a user got the e-mail address")
	})
}

// TestADeletionThatWasInterruptedIsToldAndEnded: a deletion of a user is interrupted before each of its writes. Before
// the first one nothing has happened. After it the check tells what is left, with the command that ends it.
func TestADeletionThatWasInterruptedIsToldAndEnded(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		o := onStack(t, fixture.WithoutFunctions(t))
		app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
		o.prints("portal", "create", "--account", "1", "--slug", "help", "--name", "Help", "--locales", "en")
		users := &user.Service{Table: o.Table, HashParams: fixture.CheapHash}
		for step := 1; ; step++ {
			email := fmt.Sprintf("ada-%d@example.org", step)
			ada := user.Details{Name: "Ada", Email: email, Password: fixture.Password}
			made, err := users.Create(t.Context(), app.ID, ada)
			if err != nil {
				t.Fatal(err)
			}
			of := made.ID
			o.prints("portal", "add-member", of.String(), "--account", "1", "--slug", "help")
			tokens := make([]any, 120) // more than two transactions take
			for i := range tokens {
				key := table.AgentToken(of, [32]byte{byte(i)})
				tokens[i] = user.Token{Key: key, ExpiresAt: time.Now().Add(time.Hour)}
			}
			o.Put(t, tokens...)
			writes := 0
			interrupted := o.refusing(func(operation string) string {
				if operation == "TransactWriteItems" {
					writes++
				}
				if writes >= step {
					return "AccessDeniedException"
				}
				return ""
			})
			_, err = interrupted.frontdesk("user", "delete", of.String(), "--yes")
			if err == nil {
				expect.Equal(t, step-1, 4, "writes of a deletion")
				o.MustBeWhole(t)
				return
			}
			what := fmt.Sprintf("stopped before write %d: ", step)
			said, failed := o.frontdesk("check")
			if step == 1 {
				expect.Equal(t, failed, nil, what+"the check")
				o.prints("user", "show", "--email", email)
				continue
			}
			expect.Equal(t, failed != nil, true, what+"the check fails")
			expect.Equal(t, strings.Count(said, "\n    do: "), 1, what+"faults")
			expect.Contains(t, said, "\n    do: frontdesk user delete "+of.String()+"\n", what+"the check")
			ended := o.prints("user", "delete", of.String(), "--yes")
			expect.Contains(t, ended, "deleted what was left of user", what+"the end")
			o.MustBeWhole(t)
		}
	})
}
