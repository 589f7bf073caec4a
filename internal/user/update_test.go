package user_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	d := open(t)
	app := d.newApp(t, "app")
	for name, c := range map[string]struct {
		body    string
		status  int
		message string
		want    string // the name afterwards
	}{
		"a new name":                       {`{"name":"New"}`, 200, "", "New"},
		"the same name":                    {`{"name":"Ada Lovelace"}`, 200, "", "Ada Lovelace"},
		"a name with spaces around":        {`{"name":" New "}`, 200, "", " New "},
		"a name of 255 characters":         {`{"name":"` + strings.Repeat("ß", 255) + `"}`, 200, "", strings.Repeat("ß", 255)},
		"a name of 256 characters":         {`{"name":"` + strings.Repeat("ß", 256) + `"}`, 422, "Name is too long (maximum is 255 characters)", ""},
		"a blank name":                     {`{"name":" \u2003"}`, 422, "Name can't be blank", ""},
		"an empty name":                    {`{"name":""}`, 422, "Name can't be blank", ""},
		"a name that is null":              {`{"name":null}`, 422, "Name can't be blank", ""},
		"a name that is a number":          {`{"name":1}`, 400, "name must be a string", ""},
		"a name that is an array":          {`{"name":[]}`, 400, "name must be a string", ""},
		"no name: nothing changes":         {`{}`, 200, "", ""},
		"name in capitals is another word": {`{"Name":"New"}`, 200, "", ""},
		"other fields are ignored":         {`{"email":"new@example.org","password":"new password","id":1,"created_at":"x"}`, 200, "", ""},
		"other fields of whatever type":    {`{"email":1,"password":{},"name":"New"}`, 200, "", "New"},
		"a name that is given twice":       {`{"name":"First","name":"Last"}`, 200, "", "Last"},
	} {
		t.Run(name, func(t *testing.T) {
			email := strings.NewReplacer(" ", "-", ":", "").Replace(name) + "@example.org"
			before := app.mustCreate(t, details(email, nil))
			r := app.call(t, "PATCH", path(before.ID), c.body, header(app.token))
			r.is(t, c.status, c.message)
			after := app.show(t, before.ID)
			switch {
			case c.want != "":
				if r.raw != after.raw || after.Name != c.want || after.UpdatedAt.Before(before.UpdatedAt) || !after.CreatedAt.Equal(before.CreatedAt) || after.Email != email {
					t.Errorf("answer %s, then shown %s", r.raw, after.raw)
				}
			case after.raw != before.raw || c.status == http.StatusOK && r.raw != before.raw:
				t.Errorf("answer %s; shown %s, want %s", r.raw, after.raw, before.raw)
			}
			if c.status == 422 && (len(r.Attributes) != 1 || r.Attributes[0] != "name") {
				t.Errorf("attributes %q", r.Attributes)
			}
			d.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
		})
	}
	ada := app.mustCreate(t, details("ada@example.org", nil))
	for name, c := range badBodies {
		t.Run(name, func(t *testing.T) {
			app.call(t, "PATCH", path(ada.ID), c.body, header(app.token)).is(t, http.StatusBadRequest, c.message)
		})
	}
}
