package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/docs/contracttest"
	"frontdesk/internal/expect"
	"frontdesk/internal/id"
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

// TestAUserWhoComesMeanwhile: just before the tool writes the user, an app creates one of the address. The app that the
// operator named is linked to that user, whose password stays, so the command fails.
func TestAUserWhoComesMeanwhile(t *testing.T) {
	o := onStack(t)
	app := printed[createdApp](o, "platform-app", "create", "--name", "crm")
	overtaken := o.refusing(func(operation string) string {
		if operation == "TransactWriteItems" {
			ask(t, o.URL(), app.Token, "POST", "", newUser)
		}
		return ""
	})
	_, err := overtaken.frontdesk("user", "create", "--app", app.ID.String(), "--name", "Grace",
		"--email", "Ada@example.org", "--generate")
	expect.Contains(t, "error", fmt.Sprint(err), "meanwhile a user got the e-mail address")
}
