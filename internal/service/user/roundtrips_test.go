package user_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/credential"
	"frontdesk/internal/base/id"
	"frontdesk/internal/develop/local/awsproxy"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// TestRoundTrips has what no row of fixture.Requests has.
func TestRoundTrips(t *testing.T) {
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app, other := s.newApp(t, "app"), s.newApp(t, "other")
		ada := app.mustCreate(t, details("ada@example.org", nil))
		home := s.newApp(t, "home")
		home.leadTo(t, "https://home.example.org/sso")
		home.mustCreate(t, details("ada@example.org", nil))
		have := func(name string) reply { return app.mustHave(t, details(name+"@example.org", nil)) }
		bob, cid, eve, gil := have("bob"), have("cid"), have("fay"), have("gil")
		const get, tx, mark = "BatchGetItem", "TransactWriteItems", "UpdateItem"
		const getAndMark = get + " " + mark
		wrong := fixture.Token("fdp_1_" + strings.Repeat("0", 64))
		spent := app.mustLogin(t, bob.ID)
		// byToken signs in with a login token.
		byToken := func(email, token string) func() reply {
			return func() reply { return s.signIn(t, object{"email": email, "sso_auth_token": token}) }
		}
		byToken(bob.Email, spent)().is(t, http.StatusOK, "")
		// unknown returns a well-formed login token that was never issued.
		unknown := func(of id.ID) string {
			token, _ := credential.Mint(credential.Login, of)
			return token
		}
		// Ten failures lock this address.
		for range user.MaxFailures {
			byToken("locked@example.org", "x")().is(t, http.StatusUnauthorized, "")
		}
		s.leaveFailures(t, cid.Email, user.MaxFailures, time.Now())
		// A record that is full of marks too old to count.
		s.leaveFailures(t, "outdated@example.org", user.MaxFailuresOfAll, time.Now().Add(-user.FailureWindow))
		cases := []struct {
			name   string
			call   func() reply
			rounds []string
		}{
			{"show-user without link", func() reply { return other.show(t, ada.ID) }, []string{get}},
			{"show-user with an id that is none", func() reply { return app.show(t, "x") }, nil},
			{"show-user with a wrong token", func() reply {
				return s.call(t, fixture.To("getUser", ada.ID), wrong, nil)
			}, []string{get}},
			{"show-user with a malformed token", func() reply {
				return s.call(t, fixture.To("getUser", ada.ID), fixture.Token("x"), nil)
			}, nil},
			{"login-link to an app's own address", func() reply { return home.login(t, ada.ID) }, []string{get, tx}},
			{"create-user-token, for a time", func() reply {
				return app.send(t, fixture.To("createUserToken", ada.ID), object{"expires_in": 60})
			}, []string{get, tx}},
			{"delete-user-tokens without link", func() reply { return other.endTokens(t, gil.ID) }, []string{get}},
			{"list-users with an e-mail that is nobody's", func() reply {
				return app.list(t, "?email=eve@example.org")
			}, []string{get}},
			// Whoever asks is authenticated first, so a bad cursor costs a read.
			{"list-users with a malformed cursor", func() reply { return app.list(t, "?cursor=x") }, []string{get}},
			{"list-users with a wrong token", func() reply {
				return s.call(t, fixture.To("listUsers"), wrong, nil)
			}, []string{get}},
			{"delete-user without link", func() reply { return other.delete(t, ada.ID) }, []string{get}},
			// Without a password the hash has to be read from the old address, so that it can move along.
			{"update-user with an e-mail and a password", func() reply {
				return app.update(t, eve.ID, object{"email": "new@example.org", "password": password})
			}, []string{get, tx}},
			{"update-user with another spelling", func() reply {
				return app.update(t, cid.ID, object{"email": "CID@example.org"})
			}, []string{get, tx}},
			{"update-user with another's e-mail", func() reply {
				return app.update(t, ada.ID, object{"email": "bob@example.org"})
			}, []string{get, get}},
			{"update-user without name", func() reply { return app.update(t, ada.ID, object{}) }, []string{get}},
			{"update-user with a blank name", func() reply {
				return app.update(t, ada.ID, object{"name": ""})
			}, []string{get}},
			{"create-user that exists", func() reply {
				return app.create(t, details("ada@example.org", nil))
			}, []string{get, get}},
			{"create-user with bad fields", func() reply { return app.create(t, details("", nil)) }, []string{get}},
			// The body is no JSON, and is not looked at.
			{"create-user with a wrong token", func() reply {
				return s.call(t, fixture.To("createUser"), wrong, "{")
			}, []string{get}},
			{"sign-in with an unknown e-mail", func() reply {
				return s.signIn(t, object{"email": "eve@example.org", "password": password})
			}, []string{getAndMark}},
			{"sign-in with a spent login token", byToken(bob.Email, spent), []string{getAndMark}},
			{"sign-in with a wrong token, by its user", byToken(bob.Email, unknown(bob.ID)), []string{getAndMark}},
			{"sign-in with a wrong token, by another", byToken(bob.Email, unknown(ada.ID)), []string{getAndMark}},
			{"sign-in with a wrong token of nobody", byToken("eve@example.org", unknown(7)), []string{getAndMark}},
			{"sign-in with a malformed login token", byToken(bob.Email, "x"), []string{getAndMark}},
			{"sign-in that is locked", byToken("locked@example.org", "x"), []string{getAndMark}},
			{"sign-in while another network is locked", func() reply {
				return s.signIn(t, object{"email": cid.Email, "password": password})
			}, []string{getAndMark, get + " " + tx}},
			// The first write is refused, because the record is full. The second one also removes the old marks.
			{"sign-in after failures that count no longer", byToken("outdated@example.org", "x"),
				[]string{getAndMark, mark}},
			{"sign-in that is not filled in", func() reply {
				return s.signIn(t, object{"email": "ada@example.org"})
			}, nil},
		}
		s.AWSProxy().Inject(watchReads(s))
		for _, c := range cases {
			r := c.call()
			expect.Equal(t, s.Rounds(r.Answer), c.rounds, c.name+": round trips; answer "+r.Raw)
		}
	})
}

// watchReads returns faults for [awsproxy.Proxy.Inject] that are none. It counts reads that are not strongly
// consistent, and these fail the test when it ends. An eventually consistent read of DynamoDB may miss a write of a
// second ago.
func watchReads(s *stack) func(awsproxy.Call) *awsproxy.Fault {
	return func(c awsproxy.Call) *awsproxy.Fault {
		read := slices.Contains([]string{"BatchGetItem", "GetItem", "Query", "Scan"}, c.Action)
		if read && !bytes.Contains(c.Body, []byte(`"ConsistentRead":true`)) {
			s.stale.Add(1)
		}
		return nil
	}
}

// TestReadYourOwnWrites shows that a client sees what it has just written: create, show, update, show, 30 times. The
// first of five apps creates each of six users, and the others link to it. The users are side by side.
func TestReadYourOwnWrites(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		s.AWSProxy().Inject(watchReads(s))
		var apps []client
		for i := range 5 {
			apps = append(apps, s.newApp(t, fmt.Sprint("app ", i)))
		}
		fixture.Together(6, func(n int) struct{} {
			email, name := fmt.Sprintf("user%d@example.org", n), "Ada Lovelace"
			var known id.ID
			for i, app := range apps {
				created := app.create(t, details(email, nil))
				shown := app.show(t, created.ID)
				what := fmt.Sprintf("user %d, app %d: ", n, i)
				created.Is(t, http.StatusOK, nil)
				expect.Equal(t, created.Name, name, what)
				expect.Equal(t, shown.Raw, created.Raw, what)
				if known != 0 {
					expect.Equal(t, created.ID, known, what)
				}
				known = created.ID
				name = fmt.Sprintf("Name %d of user %d", i, n)
				updated := app.update(t, created.ID, object{"name": name})
				expect.Equal(t, updated.Name, name, what)
				expect.Equal(t, app.show(t, created.ID).Raw, updated.Raw, what)
			}
			return struct{}{}
		})
		s.AWSProxy().Inject(nil)
		s.mustBeWhole(t)
	})
}
