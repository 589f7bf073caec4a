package user_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestOnlyWhatIsGivenIsUpdated sends one change of the name in each case. All other fields stay as they are.
func TestOnlyWhatIsGivenIsUpdated(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
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
			"other fields are ignored":         {`{"id":1,"created_at":"x","role":"admin"}`, 200, "", ""},
			"other fields of whatever type":    {`{"id":{},"updated_at":[],"name":"New"}`, 200, "", "New"},
			"a name that is given twice":       {`{"name":"First","name":"Last"}`, 200, "", "Last"},
			"a name with half a character":     {`{"name":"A\ud83d"}`, 200, "", "A\ufffd"},
			"a name with a line break": {`{"name":"A\nB"}`, 422, "Name must not contain control characters",
				""},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				email := strings.NewReplacer(" ", "-", ":", "").Replace(name) + "@example.org"
				before := app.mustHave(t, details(email, nil))
				r := app.send(t, fixture.To("updateUser", before.ID), c.body)
				r.is(t, c.status, c.message)
				after := app.show(t, before.ID)
				switch {
				case c.want != "":
					expect.Equal(t, r.withoutWarnings(), after.Raw, "answer")
					expect.Equal(t, after.Name, c.want)
					expect.Equal(t, after.UpdatedAt.Before(before.UpdatedAt),
						false, "after.UpdatedAt is before before.UpdatedAt")
					expect.Equal(t, after.CreatedAt, before.CreatedAt)
					expect.Equal(t, after.Email, email)
				case after.Raw != before.Raw || c.status == http.StatusOK && r.withoutWarnings() != before.Raw:
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
			localtest.Case(t, name, func(t testing.TB) {
				r := app.send(t, fixture.To("updateUser", ada.ID), c.body)
				r.is(t, http.StatusBadRequest, c.message)
			})
		}
	})
}

// TestChangesOfSignIn shows what a new e-mail address and a new password end, and what they keep.
func TestChangesOfSignIn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		app.mustHave(t, details("bob@example.org", nil))
		const other = "another password"
		for i, c := range []struct {
			name       string
			change     object
			status     int
			message    string
			email      string // afterwards, "" for the one of before
			password   string
			attributes string
			ended      bool // agent tokens and login links
		}{
			{"another e-mail", object{"email": " New@Bücher.example "}, 200, "", "New@Bücher.example", password, "",
				false},
			{"another spelling", object{"email": "ADA-1@EXAMPLE.ORG"}, 200, "", "ADA-1@EXAMPLE.ORG", password, "",
				false},
			// The rule is for what the user has had, too: whoever knows the user would guess it.
			{"the e-mail of before for a password",
				object{"email": "moved@example.org", "password": "Ada-2@example.org"},
				422, passwordIsOwn, "", password, "password", false},
			{"another password", object{"password": other}, 200, "", "", other, "", true},
			// Whoever sets a password wants to throw others out. Whether it is a new one is nobody's business.
			{"the same password", object{"password": password}, 200, "", "", password, "", true},
			{"both", object{"email": "both@example.org", "password": other}, 200, "", "both@example.org", other, "",
				true},
			{"with a name", object{"email": "named@example.org", "name": "New"}, 200, "", "named@example.org", password,
				"",
				false},
			{"another user's e-mail", object{"email": "BOB@example.org"}, 422, "Email has already been taken", "",
				password,
				"email", false},
			// The password must not change when the address is refused.
			{"another user's e-mail, with a password", object{"email": "bob@example.org", "password": other},
				422, "Email has already been taken", "", password, "email", false},
			{"a blank e-mail", object{"email": " "}, 422, "Email can't be blank", "", password, "email", false},
			{"null for an e-mail", object{"email": null}, 422, "Email can't be blank", "", password, "email", false},
			{"no e-mail at all", object{"email": "ada"}, 422, "", "", password, "email", false},
			{"a short password", object{"password": "1234567"}, 422, "Password is too short (minimum is 8 characters)",
				"",
				password, "password", false},
			{"a password of white space", object{"password": " \t\u2003      "}, 422, "Password can't be blank", "",
				password, "password", false},
			{"a most used password", object{"password": "Sunshine"}, 422, passwordIsCommon, "", password, "password",
				false},
			{"the name for a password", object{"password": "ada lovelace"}, 422, passwordIsOwn, "", password,
				"password",
				false},
			{"the name of before for a password", object{"name": "Ada King", "password": "ada lovelace"}, 422,
				passwordIsOwn, "", password, "password", false},
			{"the new name for a password", object{"name": "Ada King", "password": "ADA KING"}, 422, passwordIsOwn, "",
				password, "password", false},
			{"the new e-mail for a password", object{"email": "moved@example.org", "password": "moved@EXAMPLE.org"},
				422,
				passwordIsOwn, "", password, "password", false},
			{"null for a password", object{"password": null}, 422, "Password can't be blank", "", password, "password",
				false},
			{"all that is wrong at once", object{"name": "", "email": "", "password": "", "custom_attributes": object{
				"x": strings.Repeat("x", user.MaxAttributes),
			}}, 422, "Name can't be blank, Email can't be blank, Password can't be blank, " +
				"Custom attributes are too large (maximum is 16384 bytes)", "", password,
				"name email password custom_attributes", false},
			{"an e-mail that is a number", object{"email": 1}, 400, "email must be a string", "", password, "", false},
			{"a password that is a list", object{"password": array{}}, 400, "password must be a string", "", password,
				"",
				false},
			{"a bad password beside a good e-mail", object{"email": "good@example.org", "password": "x"}, 422, "", "",
				password, "password", false},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				before := fmt.Sprintf("ada-%d@example.org", i)
				ada := app.mustHave(t, details(before, nil))
				// What the user has before the change: both must end exactly when the case says so.
				token, link := app.mint(t, ada.ID).AccessToken, app.mustLogin(t, ada.ID)
				r := app.update(t, ada.ID, c.change)
				r.is(t, c.status, c.message)
				if c.status == 422 && strings.Join(r.Attributes, " ") != c.attributes {
					t.Errorf("attributes %q, want %q", r.Attributes, c.attributes)
				}
				email := before
				if c.email != "" {
					email = c.email
				}
				shown := app.show(t, ada.ID)
				expect.Equal(t, shown.Email, email)
				if c.status == 200 {
					expect.Equal(t, shown.Raw, r.Raw)
					expect.Equal(t, r.UpdatedAt.After(ada.UpdatedAt), true, "it is updated later")
				} else {
					expect.Equal(t, shown.Raw, ada.Raw)
				}
				// Exactly one of the two passwords signs in.
				for _, given := range []string{password, other} {
					want := http.StatusUnauthorized
					if given == c.password {
						want = http.StatusOK
					}
					s.signIn(t, object{"email": email, "password": given}).is(t, want, "")
				}
				if s.TakesToken(t, token, ada.ID) == c.ended {
					t.Errorf("the agent token has ended: %v, want %v", !c.ended, c.ended)
				}
				want := http.StatusOK
				if c.ended {
					want = http.StatusUnauthorized
				}
				s.signIn(t, object{"email": email, "sso_auth_token": link}).is(t, want, "")
				if !strings.EqualFold(email, before) { // the address of before is nobody's
					s.signIn(t, object{"email": before, "password": c.password}).is(t, http.StatusUnauthorized, "")
					if next := app.mustHave(t, details(before, nil)); next.ID == ada.ID {
						t.Error("the address of before is still the user's")
					}
				}
			})
		}
		s.mustBeWhole(t)
	})
}

// TestCustomAttributes shows that every answer with a user has the attributes as they were sent, except what strict
// parsers refuse.
func TestCustomAttributes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		const (
			tooLarge = "Custom attributes are too large (maximum is 16384 bytes)"
			tooDeep  = "Custom attributes are nested too deeply (maximum is 32 levels)"
		)
		nested := func(open, inside, end string, levels int) string {
			return strings.Repeat(open, levels) + inside + strings.Repeat(end, levels)
		}
		// Each ß takes two bytes. The limit counts bytes, not characters.
		largest := `{"x":"` + strings.Repeat("ß", (user.MaxAttributes-8)/2) + `"}`
		for name, c := range map[string]struct {
			given, want string // want is "" for what is given
			status      int
			message     string
		}{
			"none":                {`{}`, "", 200, ""},
			"null, which is none": {`null`, "{}", 200, ""},
			"of every type":       {`{"a":1,"b":"x","c":true,"e":[1,{"f":[]}],"g":{}}`, "", 200, ""},
			// A parser with float64 would change all four.
			"numbers as they are": {`{"a":12345678901234567890.123456789,"b":1E400,"c":-0.0,"d":1e2}`, "", 200, ""},
			"names in any order":  {`{"z":1,"a":2,"":3}`, "", 200, ""},
			"spaces between":      {" {\n \"a b\" : [ 1 , 2 ] } ", `{"a b":[1,2]}`, 200, ""},
			"text as it is":       {`{"a":"<b>&\u00e9\ud83d\ude00\u2028 \\\"\/"}`, "", 200, ""},
			"names of ours":       {`{"id":1,"email":"x","PK":"y","custom_attributes":{}}`, "", 200, ""},
			"objects 32 deep":     {nested(`{"a":`, "1", "}", 32), "", 200, ""},
			"objects 33 deep":     {nested(`{"a":`, "1", "}", 33), "", 422, tooDeep},
			"arrays 32 deep":      {`{"a":` + nested("[", "", "]", 31) + "}", "", 200, ""},
			"arrays 33 deep":      {`{"a":` + nested("[", "", "]", 32) + "}", "", 422, tooDeep},
			"5,000 deep":          {`{"a":` + nested("[", "", "]", 5_000) + "}", "", 422, tooDeep},
			// Brackets inside of a string do not nest.
			"32 deep side by side": {
				nested(`{"a":{},"b":[],"c":`, `"[[[{{{"`, "}", 31), "", 200, "",
			},
			"the largest": {largest, "", 200, ""},
			// Spaces between values are removed before the bytes are counted.
			"the largest, spaced": {strings.Replace(largest, ":", strings.Repeat(" ", 9)+":", 1), largest, 200, ""},
			"too large":           {largest[:6] + "a" + largest[6:], "", 422, tooLarge},
			"a list":              {`[1]`, "", 400, "custom_attributes must be an object"},
			"a string":            {`"{}"`, "", 400, "custom_attributes must be an object"},
			"a number":            {`1`, "", 400, "custom_attributes must be an object"},
			"false":               {`false`, "", 400, "custom_attributes must be an object"},
			"no UTF-8":            {"{\"\xff\":\"\xff\xfe\"}", "", 400, ""},

			"half a character":            {`{"a":"x\ud83dy"}`, `{"a":"x\ufffdy"}`, 200, ""},
			"its other half, in capitals": {`{"a":["\uDE00"]}`, `{"a":["\ufffd"]}`, 200, ""},
			"the halves in a wrong order": {`{"a":"\ude00\ud83d"}`, `{"a":"\ufffd\ufffd"}`, 200, ""},
			"half before a character":     {`{"a":"\ud83d\ud83d\ude00"}`, `{"a":"\ufffd\ud83d\ude00"}`, 200, ""},
			"half before another escape":  {`{"a":"\ud83d\u0041\ud83d\n"}`, `{"a":"\ufffd\u0041\ufffd\n"}`, 200, ""},
			// Behind an escaped backslash ude00 is text.
			"half before text of the other": {`{"a":"\ud83d\\ude00"}`, `{"a":"\ufffd\\ude00"}`, 200, ""},
			"half in a name":                {`{"b":{"\ud83d":1}}`, `{"b":{"\ufffd":1}}`, 200, ""},
			"the text of an escape":         {`{"\\ud83d":"\\\\ud83d"}`, "", 200, ""},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				email := strings.NewReplacer(" ", "-", ",", "").Replace(name) + "@example.org"
				made := app.mustHave(t, details("of-"+email, nil))
				want := c.want
				if want == "" {
					want = c.given
				}
				token, attributes := fixture.Token(app.token), `"custom_attributes":`+c.given
				body := fmt.Sprintf(`{"name":"Ada","email":"%s","password":"%s",%s}`, email, password, attributes)
				created := app.call(t, fixture.To("createUser"), token, body)
				updated := app.call(t, fixture.To("updateUser", made.ID), token, "{"+attributes+"}")
				for _, r := range []reply{created, updated} {
					r.is(t, c.status, c.message)
					if c.status == 422 && !slices.Equal(r.Attributes, []string{"custom_attributes"}) {
						t.Errorf("attributes %q", r.Attributes)
					}
				}
				if c.status != http.StatusOK {
					return
				}
				shown, signedIn := app.show(t, made.ID), s.signIn(t, object{"email": email, "password": password})
				byLink := s.signIn(t, object{"email": email, "sso_auth_token": app.mustLogin(t, created.ID)})
				again, listed := app.create(t, object{"email": email}), app.list(t, "?email="+email)
				// Every endpoint that answers with a user.
				for answer, r := range map[string]reply{
					"create": created, "update": updated, "show": shown, "sign-in": signedIn, "create again": again,
					"list": listed, "sign-in by link": byLink,
				} {
					if r.Status != 200 || !strings.Contains(r.Raw, `"custom_attributes":`+want+`}`) {
						t.Errorf("%s: answer %d %.300s, want %.300s", answer, r.Status, r.Raw, want)
					}
				}
			})
		}
	})
}

// TestCustomAttributesAreMerged sends one change in each case, for a user with the attributes a, which is 1, and b,
// an object.
func TestCustomAttributesAreMerged(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		const before = `{"a":1,"b":{"x":1,"y":2}}`
		full := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
		// The attributes that the user has, together with a new attribute c of this value, are as large as they may be.
		fits := full(user.MaxAttributes - len(before) - len(`,"c":""`))
		const tooLarge = "Custom attributes are too large with those that stay (maximum is 16384 bytes)"
		for name, c := range map[string]struct {
			body    string
			want    string // the attributes afterwards, "" for no change at all
			message string // of a request that is refused
		}{
			"a new key is added behind the others": {`{"c":[3]}`, `{"a":1,"b":{"x":1,"y":2},"c":[3]}`, ""},
			"a key that is there keeps its place":  {`{"a":null,"a":"new"}`, `{"a":"new","b":{"x":1,"y":2}}`, ""},
			// Names are compared by what they mean. The new spelling replaces the old one.
			"a key that is spelt with an escape": {`{"\u0061":2}`, `{"\u0061":2,"b":{"x":1,"y":2}}`, ""},
			"names are case-sensitive":           {`{"A":2}`, `{"a":1,"b":{"x":1,"y":2},"A":2}`, ""},
			"null removes a key":                 {`{"a":null}`, `{"b":{"x":1,"y":2}}`, ""},
			"null for each key leaves none":      {`{"a":null,"b":null}`, `{}`, ""},
			"null for a key that there is not":   {`{"c":null}`, before, ""},
			// This is no JSON Merge Patch (RFC 7396): a value is replaced as a whole.
			"null inside of a value stays":       {`{"a":{"x":null}}`, `{"a":{"x":null},"b":{"x":1,"y":2}}`, ""},
			"a value that is an object is whole": {`{"b":{"y":3}}`, `{"a":1,"b":{"y":3}}`, ""},
			"of one name the last counts":        {`{"c":1,"c":2,"a":3,"a":null}`, `{"b":{"x":1,"y":2},"c":2}`, ""},
			"null in place of the object":        {`null`, `{}`, ""},
			"the empty object":                   {`{}`, "", ""},
			"PHP's empty array":                  {`[]`, "", ""},
			"as large as may be": {
				`{"c":` + fits + `}`, before[:len(before)-1] + `,"c":` + fits + `}`, "",
			},
			"too large with what stays": {`{"cc":` + fits + `}`, "", tooLarge},
			"not too large with what goes": {
				`{"cc":` + fits + `,"a":null}`, `{"b":{"x":1,"y":2},"cc":` + fits + `}`, "",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				email := strings.NewReplacer(" ", "-", "'", "").Replace(name) + "@example.org"
				ada := app.mustHave(t, details(email, nil))
				had := app.send(t, fixture.To("updateUser", ada.ID), `{"custom_attributes":`+before+`}`)
				had.is(t, http.StatusOK, "")
				header := fixture.Token(app.token)
				// The contract does not tell clients to send this; PHP does.
				if c.body == "[]" {
					header = contracttest.Careless(header)
				}
				r := app.call(t, fixture.To("updateUser", ada.ID), header, `{"custom_attributes":`+c.body+`}`)
				shown := app.show(t, ada.ID)
				if c.message != "" {
					r.is(t, 422, c.message)
					expect.Equal(t, r.Attributes, []string{"custom_attributes"})
					expect.Equal(t, shown.Raw, had.Raw, "shown afterwards")
					return
				}
				r.is(t, http.StatusOK, "")
				expect.Equal(t, shown.Raw, r.Raw, "shown afterwards")
				if c.want == "" {
					expect.Equal(t, r.Raw, had.Raw, "answer")
					return
				}
				expect.Equal(t, string(r.CustomAttributes), c.want, "custom attributes")
			})
		}
		// A creation stores null as a value. Only a merge takes null for a removal.
		localtest.Case(t, "those that a user was created with, null among them, stay", func(t testing.TB) {
			made := app.create(t, details("created@example.org", object{"custom_attributes": object{"d": null}}))
			expect.Equal(t, string(made.CustomAttributes), `{"d":null}`, "created")
			r := app.update(t, made.ID, object{"custom_attributes": object{"e": 1}})
			expect.Equal(t, string(r.CustomAttributes), `{"d":null,"e":1}`, "merged")
		})
		localtest.Case(t, "they stay when other fields are given", func(t testing.TB) {
			ada := app.mustHave(t, details("ada@example.org", nil))
			app.update(t, ada.ID, object{"custom_attributes": object{"a": 1}}).is(t, http.StatusOK, "")
			for _, change := range []object{
				{"name": "New"}, {"email": "new@example.org"}, {"password": "another password"},
				{"name": "Newer", "custom_attributes": object{}},
			} {
				r := app.update(t, ada.ID, change)
				r.is(t, http.StatusOK, "")
				expect.Equal(t, string(r.CustomAttributes), `{"a":1}`, fmt.Sprint(change, ": attributes"))
			}
		})
	})
}

// TestUnknownFieldsOfUsersAreNamed shows that an answer names unknown fields in warnings, and has no
// warnings otherwise.
func TestUnknownFieldsOfUsersAreNamed(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		displayName, custom := object{"display_name": "Ada"}, object{"custom_attributes": object{"display_name": "Ada"}}
		ignored := []string{"unknown field display_name is ignored"}
		ada := app.create(t, details("ada@example.org", displayName))
		newToken := func(body any) reply {
			return app.send(t, fixture.To("createUserToken", ada.ID), body)
		}
		for what, c := range map[string]struct {
			answer reply
			want   []string
		}{
			"create":                       {ada, ignored},
			"create without one":           {app.create(t, details("bob@example.org", custom)), nil},
			"create again":                 {app.create(t, details("ada@example.org", displayName)), ignored},
			"create again without one":     {app.create(t, details("ada@example.org", custom)), nil},
			"change":                       {app.update(t, ada.ID, displayName), ignored},
			"change without one":           {app.update(t, ada.ID, custom), nil},
			"show":                         {app.show(t, ada.ID), nil},
			"list, whose user has none":    {app.list(t, "?email=ada@example.org"), nil},
			"a token":                      {newToken(displayName), ignored},
			"a token without one":          {newToken(object{"expires_in": 60}), nil},
			"a token without a body":       {newToken(nil), nil},
			"change of nothing whatsoever": {app.update(t, ada.ID, object{}), nil},
		} {
			c.answer.is(t, http.StatusOK, "")
			expect.Equal(t, c.answer.Warnings, c.want, what+": warnings")
			expect.Equal(t, strings.Contains(c.answer.Raw, `"warnings"`), c.want != nil, what+": it has the field")
		}
	})
}

// TestPUTDoesWhatPATCHDoes shows that PUT keeps fields that are not given, unlike the PUT of RFC 9110, because clients
// of Chatwoot use both methods alike.
func TestPUTDoesWhatPATCHDoes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		put := func(body any) reply { return app.send(t, fixture.To("updateUserByPut", ada.ID), body) }
		put(object{"custom_attributes": object{"a": 1}}).is(t, http.StatusOK, "")
		r := put(object{"name": "Ada King", "custom_attributes": object{"b": 2}})
		r.is(t, http.StatusOK, "")
		expect.Equal(t, r.Name, "Ada King")
		expect.Equal(t, r.Email, "ada@example.org")
		expect.Equal(t, string(r.CustomAttributes), `{"a":1,"b":2}`, "custom attributes")
		put(object{"name": ""}).is(t, 422, "Name can't be blank")
		app.send(t, fixture.To("updateUserByPut", 4711), object{}).is(t, 401, "")
	})
}
