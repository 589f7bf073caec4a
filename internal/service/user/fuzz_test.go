package user_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/base/address"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/signin"
)

// FuzzEmail shows that the normal form of an address is its own normal form, and that of its other spellings. The
// normal form is the key of the address in the table: two of them for one address would be two users.
func FuzzEmail(f *testing.F) {
	for _, seed := range []string{
		"ada@example.org", " Grete@Bücher.Example\n", "a@XN--bcher-kva.example", "\u00a0a@ｅｘａｍｐｌｅ。org\u2003",
		"ada", "@", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := user.ParseEmail(s)
		if err != nil {
			if e != (user.Email{}) {
				t.Errorf("%q is %+v and %v", s, e, err)
			}
			return
		}
		expect.Equal(t, e.Sent, strings.TrimSpace(s))
		expect.AtMost(t, len(e.Sent), address.Max)
		expect.AtMost(t, len(e.Normal()), address.Max)
		expect.Equal(t, e.Normal(), strings.ToLower(e.Normal()))
		spellings := []string{e.Normal(), e.Sent, strings.ToUpper(e.Normal()), "\t" + e.Sent + " "}
		for _, spelling := range spellings {
			again, err := user.ParseEmail(spelling)
			if err != nil {
				t.Fatalf("%s: %v", spelling, err)
			}
			expect.Equal(t, again.Normal(), e.Normal(), spelling)
		}
	})
}

// FuzzBodies sends a body to every endpoint that takes one. Whatever it is, there is an answer below 500, and what is
// stored obeys the rules.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		write(details("eve@example.org", nil)),
		`{"email":"ada@example.org"}`,
		`{"email":" ADA@example.org ","name":1}`,
		`{"name":"\ud800"}`,
		`{"name":null}`,
		write(details("joe@example.org", object{"name": "Joe\n"})),
		write(details("jim@example.org", object{"custom_attributes": json.RawMessage(`{"\ud800":1,"\udfff":1e400}`)})),
		write(imported("kim@example.org", foreignHash)),
		write(imported("lee@example.org", "$argon2id$v=19$m=1,t=0,p=0$$")),
		`{"email":"ada@example.org","password":"` + password + `"}`,
		`{"email":"ada@example.org","sso_auth_token":"fdl_1_` + strings.Repeat("0", 64) + `"}`,
		`{"email":"a@b","name":"\u0000","password":"` + strings.Repeat(`\u0000`, 8) + `"}`,
		`{"email":"a@b"`, `[]`, "\xff", ``,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		localtest.Simulate(t, func(t *testing.T) {
			s := start(t, fixture.WithoutFunctions(t))
			app, in := s.importing(t), s.inProcess(t)
			ada := in.create(t, app, details("ada@example.org", nil))
			created := in.ask(t, in.CreateFunction(), body, app.token, nil)
			renamed := in.ask(t, in.UpdateFunction(), body, app.token, userID(ada.ID))
			signedIn := in.ask(t, signin.Function(in.Service), body, "", nil)
			for _, r := range []reply{created, renamed, signedIn} {
				// A body must not cause a fault of ours, however it is made.
				switch r.Status {
				case 200, 400, 422:
				case 401:
					expect.Equal(t, r.Raw, refused, body)
					expect.Equal(t, r.Raw, signedIn.Raw, body)
				default:
					t.Errorf("%q: answer %d %s", body, r.Status, r.Raw)
				}
			}
			for _, r := range []reply{created, renamed} {
				if r.Status == 200 && (r.ID == 0 || strings.TrimSpace(r.Name) == "" ||
					strings.ContainsFunc(r.Name, unicode.IsControl) || utf8.RuneCountInString(r.Name) > user.MaxName) {
					t.Errorf("%q: answer %s", body, r.Raw)
				}
			}
			if created.Status == 200 {
				shown := in.ask(t, in.ShowFunction(), "", app.token, userID(created.ID))
				if created.ID != ada.ID && shown.Raw != created.Raw {
					t.Errorf("%q: created %s, shown %s", body, created.Raw, shown.Raw)
				}
			}
		})
	})
}
