package user_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/fixture"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	longest := strings.Repeat("ß", 255)
	for name, c := range map[string]struct {
		body    string
		status  int
		message string
		want    string // the name afterwards
	}{
		"a new name":                {`{"name":"New"}`, 200, "", "New"},
		"the same name":             {`{"name":"Ada Lovelace"}`, 200, "", "Ada Lovelace"},
		"a name with spaces around": {`{"name":" New "}`, 200, "", " New "},
		"a name of 255 characters":  {`{"name":"` + longest + `"}`, 200, "", longest},
		"a name of 256 characters": {
			`{"name":"` + longest + `ß"}`, 422, "Name is too long (maximum is 255 characters)", "",
		},
		"a blank name":                     {`{"name":" \u2003"}`, 422, "Name can't be blank", ""},
		"an empty name":                    {`{"name":""}`, 422, "Name can't be blank", ""},
		"a name that is null":              {`{"name":null}`, 422, "Name can't be blank", ""},
		"a name that is a number":          {`{"name":1}`, 400, "name must be a string", ""},
		"a name that is an array":          {`{"name":[]}`, 400, "name must be a string", ""},
		"no name: nothing changes":         {`{}`, 200, "", ""},
		"name in capitals is another word": {`{"Name":"New"}`, 200, "", ""},
		"other fields are ignored": {
			`{"email":"new@example.org","password":"new password","id":1,"created_at":"x"}`, 200, "", "",
		},
		"other fields of whatever type": {`{"email":1,"password":{},"name":"New"}`, 200, "", "New"},
		"a name that is given twice":    {`{"name":"First","name":"Last"}`, 200, "", "Last"},
	} {
		t.Run(name, func(t *testing.T) {
			email := strings.NewReplacer(" ", "-", ":", "").Replace(name) + "@example.org"
			before := app.mustHave(t, details(email, nil))
			r := app.call(t, "PATCH", path(before.ID), fixture.Token(app.token), c.body)
			r.is(t, c.status, c.message)
			after := app.show(t, before.ID)
			switch {
			case c.want != "":
				if r.Raw != after.Raw || after.Name != c.want || after.UpdatedAt.Before(before.UpdatedAt) ||
					!after.CreatedAt.Equal(before.CreatedAt) || after.Email != email {
					t.Errorf("answer %s, then shown %s", r.Raw, after.Raw)
				}
			case after.Raw != before.Raw || c.status == http.StatusOK && r.Raw != before.Raw:
				t.Errorf("answer %s; shown %s, want %s", r.Raw, after.Raw, before.Raw)
			}
			if c.status == 422 && (len(r.Attributes) != 1 || r.Attributes[0] != "name") {
				t.Errorf("attributes %q", r.Attributes)
			}
			s.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
		})
	}
	ada := app.mustHave(t, details("ada@example.org", nil))
	for name, c := range badBodies {
		t.Run(name, func(t *testing.T) {
			r := app.call(t, "PATCH", path(ada.ID), fixture.Token(app.token), c.body)
			r.is(t, http.StatusBadRequest, c.message)
		})
	}
}
