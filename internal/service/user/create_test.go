package user_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/contracttest"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestBehaviourRules has the rules of the API's document, one after the other.
func TestBehaviourRules(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		mine, other := s.newApp(t, "mine"), s.newApp(t, "other")
		ada := mine.mustCreate(t, details("ada@example.org", nil))

		localtest.Case(t, "1: POST creates a new user and a permissible link", func(t testing.TB) {
			expect.Equal(t, ada.Name, "Ada Lovelace")
			expect.Equal(t, ada.Email, "ada@example.org")
			mine.show(t, ada.ID).is(t, http.StatusOK, "")
			other.show(t, ada.ID).is(t, http.StatusUnauthorized, "")
		})
		localtest.Case(t, "2: POST with an e-mail that has a user returns that one, keeps its name, and links",
			func(t testing.TB) {
				again := other.create(t, object{
					"name": "Somebody Else", "email": "ada@example.org", "password": "another password",
				})
				if again.Status != http.StatusOK || again.Raw != ada.Raw {
					t.Errorf("answer %d %s, want %s", again.Status, again.Raw, ada.Raw)
				}
				other.show(t, ada.ID).is(t, http.StatusOK, "")
				mine.show(t, ada.ID).is(t, http.StatusOK, "")
				if n := s.CountItems(t, "USER#", "USER"); n != 1 {
					t.Errorf("%d users", n)
				}
				for given, want := range map[string]int{
					"another password": http.StatusUnauthorized, password: http.StatusOK,
				} {
					s.signIn(t, object{"email": "ada@example.org", "password": given}).is(t, want, "")
				}
			})
		localtest.Case(t, "3: GET returns the user's e-mail when a link exists", func(t testing.TB) {
			if r := mine.show(t, ada.ID); r.Raw != ada.Raw {
				t.Errorf("answer %s, want %s", r.Raw, ada.Raw)
			}
		})
		localtest.Case(t, "4: GET on login returns a url with sso_auth_token when a link exists", func(t testing.TB) {
			r := mine.login(t, ada.ID)
			r.Is(t, http.StatusOK, nil)
			expect.Not(t, fixture.TokenOfLink(r.URL), "")
			expect.Equal(t, len(r.Body), 1)
		})
		localtest.Case(t, "5: PATCH changes the name when a link exists", func(t testing.TB) {
			r := mine.update(t, ada.ID, object{"name": "Countess of Lovelace"})
			r.Is(t, http.StatusOK, nil)
			expect.Equal(t, r.Name, "Countess of Lovelace")
			expect.Equal(t, r.ID, ada.ID)
			expect.Equal(t, r.Email, ada.Email)
			expect.Equal(t, r.CreatedAt, ada.CreatedAt)
			expect.Equal(t, r.UpdatedAt.After(ada.UpdatedAt), true, "r.UpdatedAt is after ada.UpdatedAt")
			if shown := other.show(t, ada.ID); shown.Raw != r.Raw {
				t.Errorf("shown %s, want %s", shown.Raw, r.Raw)
			}
		})
	})
}

// TestAUserAsItIsReturned shows the JSON of a user: names as they were sent, addresses without the white space
// around them.
func TestAUserAsItIsReturned(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		// JSON encoders escape quotes, HTML's signs and astral characters in several ways. The text has to be the same.
		const name = "  Ada \"ß\" <b> & \U0001F600 "
		r := s.newApp(t, "app").mustCreate(t, details("  Ada@Bücher.Example\t", object{"name": name}))
		for name, want := range map[string]any{"id": float64(r.ID), "name": name, "email": "Ada@Bücher.Example"} {
			if r.Body[name] != want {
				t.Errorf("%s is %v, want %v", name, r.Body[name], want)
			}
		}
		expect.Equal(t, len(r.Body), 6)
		expect.AtLeast(t, r.ID, 1)
		expect.AtMost(t, r.ID, id.Max)
		for _, name := range []string{"created_at", "updated_at"} {
			stamp, _ := r.Body[name].(string)
			at, err := time.Parse(time.RFC3339, stamp)
			if err != nil {
				t.Fatal(err)
			}
			expect.AtMost(t, time.Since(at).Abs(), time.Minute)
			expect.HasSuffix(t, stamp, "Z")
		}
		got := r.Header.Get("content-type") + " " + r.Header.Get("cache-control")
		if got != "application/json; charset=utf-8 no-store" {
			t.Errorf("headers %s", got)
		}
	})
}

// TestTheSameEmailIsTheSameUser shows which spellings of an address are equal. Dots and tags are not removed, because
// only the receiving server knows what they mean.
func TestTheSameEmailIsTheSameUser(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		first := app.mustCreate(t, details("Grete.Müßig@example.org", object{"email": "Grete@Bücher.example"}))
		for name, email := range map[string]string{
			"as first sent":         "Grete@Bücher.example",
			"in lower case":         "grete@bücher.example",
			"in capitals":           "GRETE@BÜCHER.EXAMPLE",
			"in punycode":           "grete@xn--bcher-kva.example",
			"in punycode, capitals": "Grete@XN--BCHER-KVA.example",
			"with spaces around":    " \t\ngrete@bücher.example \u00a0",
			// macOS writes ü as u and U+0308 in some places.
			"decomposed letters": "grete@bu\u0308cher.example",
			// UTS #46, by which browsers read domains, maps U+3002 to a dot.
			"with a full-width dot": "grete@bücher。example",
		} {
			localtest.Case(t, name, func(t testing.TB) {
				if r := app.mustCreate(t, object{"email": email}); r.ID != first.ID ||
					r.Email != "Grete@Bücher.example" {
					t.Errorf("answer %s, want user %d", r.Raw, first.ID)
				}
				s.signIn(t, object{"email": email, "password": password}).is(t, http.StatusOK, "")
			})
		}
		for name, email := range map[string]string{
			"another local part":        "greta@bücher.example",
			"a dot in it":               "g.rete@bücher.example",
			"a tag after a plus":        "grete+x@bücher.example",
			"another domain":            "grete@bucher.example",
			"a subdomain":               "grete@mail.bücher.example",
			"the domain as it is keyed": "grete@xn--bcher-kva.example.org",
		} {
			localtest.Case(t, "not "+name, func(t testing.TB) {
				if r := app.mustCreate(t, details(email, nil)); r.ID == first.ID {
					t.Errorf("%s is user %d", email, first.ID)
				}
			})
		}
	})
}

// The errors for passwords that are easy to guess.
const (
	passwordIsOwn    = "Password must not be the user's name or e-mail address"
	passwordIsCommon = "Password is one of those that are used most"
)

// TestFieldsOfANewUser shows that bad fields are 422 with every fault and its attribute, and that nothing is stored.
func TestFieldsOfANewUser(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		long := []rune(strings.Repeat("ß", 300))
		// 244 bytes, so that a local part of 9 makes the longest address.
		domain := strings.Repeat("abcdefgh.", 26) + "abcdef.org"
		const (
			controls    = "Name must not contain control characters"
			atEnds      = "Name must not begin or end with invisible characters"
			invisibleIn = `Email "ada@exam\u00adple.org" is not a valid e-mail address: ` +
				"it contains invisible characters"
		)
		for name, c := range map[string]struct {
			change     object
			message    string // "" where the user is created
			attributes string
		}{
			"no name":                  {object{"name": nil}, "Name can't be blank", "name"},
			"a name that is null":      {object{"name": null}, "Name can't be blank", "name"},
			"an empty name":            {object{"name": ""}, "Name can't be blank", "name"},
			"a blank name":             {object{"name": " \t\u2003"}, "Name can't be blank", "name"},
			"a name of 255 characters": {object{"name": string(long[:255])}, "", ""},
			"a name of 256 characters": {
				object{"name": string(long[:256])}, "Name is too long (maximum is 255 characters)", "name",
			},
			"a name with NUL":          {object{"name": "A\x00B"}, controls, "name"},
			"a name with a line break": {object{"name": "Ada\n"}, controls, "name"},
			"a name with a tab":        {object{"name": "Ada\tLovelace"}, controls, "name"},
			"a name with DEL":          {object{"name": "Ada\x7f"}, controls, "name"},
			"a name with a C1 control": {object{"name": "Ada\u0085"}, controls, "name"},
			// U+200D joins emoji. It is a format character, and no control character.
			"a name with a joiner": {object{"name": "👩\u200d💻"}, "", ""},

			"no e-mail":      {object{"email": nil}, "Email can't be blank", "email"},
			"a blank e-mail": {object{"email": "  "}, "Email can't be blank", "email"},
			"an e-mail without @": {
				object{"email": "ada"}, `Email "ada" is not a valid e-mail address: it has no @`, "email",
			},
			"an e-mail with a name": {
				object{"email": "Ada <ada@example.org>"},
				`Email "Ada <ada@example.org>" is not a valid e-mail address: ` +
					`give "ada@example.org" alone, without the name`, "email",
			},
			"two e-mails": {
				object{"email": "a@example.org, b@example.org"},
				`Email "a@example.org, b@example.org" is not a valid e-mail address: ` +
					"it is several addresses; give one alone", "email",
			},
			"a local part beyond ASCII": {
				object{"email": "grüße@example.org"},
				`Email "grüße@example.org" is not a valid e-mail address: the part before the @ must be ASCII`, "email",
			},
			"an e-mail of 254 bytes": {object{"email": "abcdefghi@" + domain}, "", ""},
			"an e-mail of 255 bytes": {
				object{"email": "abcdefghij@" + domain}, "Email is too long (maximum is 254 bytes)", "email",
			},
			"an e-mail of 254 bytes, spaced": {object{"email": "  bbcdefghi@" + domain + "  "}, "", ""},
			"an e-mail that is null":         {object{"email": null}, "Email can't be blank", "email"},
			"a password that is null":        {object{"password": null}, "Password can't be blank", "password"},
			"no password":                    {object{"password": nil}, "Password can't be blank", "password"},
			"an empty password":              {object{"password": ""}, "Password can't be blank", "password"},
			"a password of 7 characters": {
				object{"password": "äöüäöüä"}, "Password is too short (minimum is 8 characters)", "password",
			},
			"a password of 8 characters":   {object{"password": "äöüäöüäö"}, "", ""},
			"a password of 128 characters": {object{"password": string(long[:128])}, "", ""},
			"a password of 129 characters": {
				object{"password": string(long[:129])}, "Password is too long (maximum is 128 characters)", "password",
			},
			// 13 code points as they are sent. Counted is what is hashed, in Unicode normalization form C.
			"a password of 7 characters in NFC": {
				object{"password": "a\u0308o\u0308u\u0308a\u0308o\u0308u\u0308x"},
				"Password is too short (minimum is 8 characters)", "password",
			},
			"a password of spaces": {object{"password": "        "}, "Password can't be blank", "password"},
			"a password of other white space": {
				object{"password": "\u2003\t\u00a0\n\u3000\u0085 \u2028"}, "Password can't be blank", "password",
			},
			"the name for a password":           {object{"password": "ada LOVELACE"}, passwordIsOwn, "password"},
			"a part of the name for a password": {object{"password": "Lovelace"}, "", ""},
			"the name in another form for a password": {
				object{"name": "Zoë Brontë", "password": "ZOE\u0308 bronte\u0308"}, passwordIsOwn, "password",
			},
			"the e-mail for a password": {
				object{"email": "ada@bücher.example", "password": "ada@bücher.example"}, passwordIsOwn, "password",
			},
			"the e-mail in another spelling": {
				object{"email": "ada@bücher.example", "password": " ADA@xn--bcher-kva.EXAMPLE"}, passwordIsOwn,
				"password",
			},
			"another e-mail for a password": {object{"password": "grace@example.org"}, "", ""},
			"the password beside a bad e-mail": {
				object{"email": "ada lovelace", "password": "ada lovelace"},
				`Email "ada lovelace" is not a valid e-mail address: it has no @, ` + passwordIsOwn, "email password",
			},
			"the most used password": {object{"password": "password"}, passwordIsCommon, "password"},
			"one in capitals":        {object{"password": "QWERTYuiop"}, passwordIsCommon, "password"},
			"one of digits":          {object{"password": "12345678"}, passwordIsCommon, "password"},
			// The list is of whole passwords.
			"one that begins as a most used one": {object{"password": "password1, and more"}, "", ""},
			"a name with two faults": {
				object{"name": "\b" + string(long)}, "Name is too long (maximum is 255 characters), " + controls,
				"name",
			},
			"several faults": {
				object{"name": " ", "email": "ada", "password": "x"},
				`Name can't be blank, Email "ada" is not a valid e-mail address: it has no @, ` +
					`Password is too short (minimum is 8 characters)`,
				"name email password",
			},
			"nothing at all": {
				object{"name": nil, "email": nil, "password": nil},
				"Name can't be blank, Email can't be blank, Password can't be blank", "name email password",
			},
			"an unknown field":       {object{"role": "admin", "id": 7, "created_at": "x"}, "", ""},
			"a name of soft hyphens": {object{"name": "\u00ad\u00ad"}, "Name can't be blank", "name"},
			"a name of zero-width spaces": {object{"name": " \u200b\u2060\ufeff"}, "Name can't be blank",
				"name"},
			"a name of fillers":                  {object{"name": "\u3164"}, "Name can't be blank", "name"},
			"a name that begins invisibly":       {object{"name": "\u202eAda"}, atEnds, "name"},
			"a name that ends invisibly":         {object{"name": "Ada\u200b"}, atEnds, "name"},
			"a name with a joiner at the end":    {object{"name": "Ada\u200d"}, atEnds, "name"},
			"a name with an emoji of joiners":    {object{"name": "Ada 👩\u200d💻 ❤\ufe0f"}, "", ""},
			"an address with a soft hyphen":      {object{"email": "ada@exam\u00adple.org"}, invisibleIn, "email"},
			"an address of invisible characters": {object{"email": " \u200b"}, "Email can't be blank", "email"},
			"an address with invisible ends":     {object{"email": "\ufeffends@example.org\u200b"}, "", ""},
			"a name in capital":                  {object{"Name": "X", "name": nil}, "Name can't be blank", "name"},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				email := strings.ReplaceAll(name, " ", "-") + "@example.org"
				if _, ok := c.change["email"]; !ok {
					email = strings.ReplaceAll(email, ",", "")
				}
				r := app.create(t, details(email, c.change))
				if c.message == "" {
					r.is(t, http.StatusOK, "")
					return
				}
				r.is(t, http.StatusUnprocessableEntity, c.message)
				if got := strings.Join(r.Attributes, " "); got != c.attributes {
					t.Errorf("attributes %q, want %q", got, c.attributes)
				}
				s.wroteNothing(t, r)
			})
		}
	})
}

// badBodies are malformed: every endpoint with a body answers 400.
var badBodies = map[string]struct{ body, message string }{
	"nothing": {"", "body is empty; it must be one JSON object"},
	"no JSON": {
		"{name",
		"body is not valid JSON: invalid character 'n' looking for beginning of object key string at byte 2",
	},
	"an array":    {"[]", "body must be one JSON object"},
	"null":        {"null", "body must be one JSON object"},
	"a string":    {`"x"`, "body must be one JSON object"},
	"two objects": {"{}{}", "body is not valid JSON: invalid character '{' after top-level value at byte 3"},
	"form encoding": {
		"name=x&email=y", "body is not valid JSON: invalid character 'a' in literal null (expecting 'u') at byte 2",
	},
	"a broken brace": {`{"name":"x"`, "body is not valid JSON: unexpected end of JSON input at byte 11"},
}

// TestBodiesOfCreateThatAreNone shows that wrong types come before wrong values, and that nothing is stored. A wrong
// type is 400 and a wrong value 422: a client's program is wrong in the first case, its user in the second.
func TestBodiesOfCreateThatAreNone(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		for name, c := range badBodies {
			localtest.Case(t, name, func(t testing.TB) {
				r := app.send(t, fixture.To("createUser"), c.body)
				r.is(t, http.StatusBadRequest, c.message)
			})
		}
		for name, c := range map[string]struct {
			change  object
			message string
		}{
			"a name that is a number":     {object{"name": 1}, "name must be a string"},
			"a name that is an object":    {object{"name": object{}}, "name must be a string"},
			"an e-mail that is an array":  {object{"email": []string{"a@example.org"}}, "email must be a string"},
			"a password that is a number": {object{"password": 12345678}, "password must be a string"},
			"a password that is true":     {object{"password": true}, "password must be a string"},
			"a wrong type precedes wrong values": {
				object{"name": "", "email": "x", "password": 1}, "password must be a string",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				app.create(t, details("x@example.org", c.change)).is(t, http.StatusBadRequest, c.message)
			})
		}
		if n := s.CountItems(t, "USER#", ""); n != 0 {
			t.Errorf("%d users were written", n)
		}
	})
}

// TestOnlyTheEmailIsLookedAtWhereItHasAUser shows that creating an existing user ignores all other fields, even bad
// ones, and changes nothing of the user. The document lets a client create a user whom another app has created. It
// cannot know this user's name or password, so these must not be compared or set.
func TestOnlyTheEmailIsLookedAtWhereItHasAUser(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		ada := app.mustCreate(t, details("ada@example.org", nil))
		for name, change := range map[string]object{
			"nothing else":           {"name": nil, "password": nil},
			"a blank name":           {"name": " "},
			"another name":           {"name": "Eve"},
			"a password too short":   {"password": "x"},
			"another password":       {"password": "another password"},
			"a name of a wrong type": {"name": 7, "password": false},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				careless := contracttest.Careless(fixture.Token(app.token))
				r := app.call(t, fixture.To("createUser"), careless, details("ada@example.org", change))
				if r.Status != http.StatusOK || r.Raw != ada.Raw {
					t.Errorf("answer %d %s, want %s", r.Status, r.Raw, ada.Raw)
				}
			})
		}
		s.signIn(t, object{"email": "ada@example.org", "password": password}).is(t, http.StatusOK, "")
		// The address itself must be a string, because it decides which user is meant.
		app.create(t, object{"name": "x", "email": 5}).is(t, http.StatusBadRequest, "email must be a string")
	})
}

// TestPasswordsAreHashedForNewUsersAlone shows that only a valid creation by an authenticated app pays for a hash.
// Otherwise strangers could keep the function busy.
func TestPasswordsAreHashedForNewUsersAlone(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		// Only a service in this process can count its hashes.
		in := s.inProcess(t)
		for _, c := range []struct {
			name   string
			token  string
			body   object
			status int
			hashes int
		}{
			{"a bad token", "fdp_1_" + strings.Repeat("0", 64), details("a@example.org", nil), 401, 0},
			{"a bad body", app.token, details("a@example.org", object{"name": 1}), 400, 0},
			{"a bad field", app.token, details("a@example.org", object{"name": ""}), 422, 0},
			{"a new user", app.token, details("a@example.org", nil), 200, 1},
			{"the same again", app.token, details("A@example.org", nil), 200, 0},
		} {
			localtest.Case(t, c.name, func(t testing.TB) {
				before := in.hashes()
				r := in.ask(t, in.CreateFunction(), write(c.body), c.token, nil)
				if hashes := in.hashes() - before; r.Status != c.status || hashes != c.hashes {
					t.Errorf("answer %d after %d hashes, want %d after %d", r.Status, hashes, c.status, c.hashes)
				}
			})
		}
	})
}

// TestATakenIDIsNotUsed makes the service draw the id of another user. It draws again, and that user stays as it is.
func TestATakenIDIsNotUsed(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		ada := app.mustCreate(t, details("ada@example.org", nil))
		in := s.inProcess(t)
		// The service draws the taken id twice, then a free one.
		queue := []id.ID{ada.ID, ada.ID, 4242}
		in.SetIDs(func() id.ID {
			next := queue[0]
			queue = queue[1:]
			return next
		})
		bob := in.create(t, other, details("bob@example.org", object{"name": "Bob"}))
		bob.Is(t, http.StatusOK, nil)
		expect.Equal(t, bob.ID, 4242)
		expect.Equal(t, len(queue), 0)
		if r := app.show(t, ada.ID); r.Raw != ada.Raw {
			t.Errorf("shown %s, want %s", r.Raw, ada.Raw)
		}
		other.show(t, ada.ID).is(t, http.StatusUnauthorized, "")
		other.show(t, 4242).is(t, http.StatusOK, "")
		s.mustBeWhole(t)
	})
}

// TestIDsRiseWithTime shows that ids ascend in the order of creation, which lists use.
func TestIDsRiseWithTime(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.newApp(t, "app")
		var ids []id.ID
		for i := range 5 {
			ids = append(ids, app.mustCreate(t, details(fmt.Sprintf("u%d@example.org", i), nil)).ID)
		}
		if !slices.IsSorted(ids) {
			t.Errorf("ids %d", ids)
		}
	})
}

// TestHashing shows that stored hashes and the dummy hash have the cost that OWASP recommends: 19 MiB, 2 passes,
// 1 thread.
func TestHashing(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		h := user.HashParams
		expect.Equal(t, h.Memory, 19*1024)
		expect.Equal(t, h.Iterations, 2)
		expect.Equal(t, h.Parallelism, 1)
		// Other tests hash cheaply. This one takes what a deployed stack takes.
		s := start(t, func(o *local.Options) { o.Environment = map[string]string{"PASSWORD_HASH": ""} })
		s.newApp(t, "app").mustCreate(t, details("ada@example.org", nil))
		for _, item := range s.Items(t) {
			var owner struct {
				SK       string
				Password string `dynamo:"password"`
			}
			decode(t, item, &owner)
			if owner.SK != "EMAIL" {
				continue
			}
			if got, want := cost(owner.Password), cost(user.DummyHash); got != want ||
				!strings.HasPrefix(got, "$argon2id$v=19$m=19456,t=2,p=1$") {
				t.Errorf("stored %s, the dummy hash %s", got, want)
			}
		}
	})
}

// cost replaces salt and key of a hash with zeros. What is left says what a comparison costs.
func cost(hash string) string {
	parts := strings.Split(hash, "$")
	for i := 4; i < len(parts); i++ {
		parts[i] = strings.Repeat("0", len(parts[i]))
	}
	return strings.Join(parts, "$")
}
