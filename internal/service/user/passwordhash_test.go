package user_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/operate/check"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
	"frontdesk/internal/service/user/platformapp"
)

// foreignHash belongs to the password "short". Ruby's bcrypt made it, with the lowest cost.
const foreignHash = "$2a$04$QAcBaOhcMyzaOGIBzyR.i.G6HBcQEtKEwW94tLGgZLRh8y.3l/lGu"

// mayImport sets whether the app may import hashes of passwords.
func (c client) mayImport(t testing.TB, may bool) {
	t.Helper()
	app, err := c.apps.Update(context.Background(), c.app.ID, platformapp.Change{MayImportHashes: &may})
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, app.MayImportHashes, may, "the app may import hashes")
}

// imported returns the fields of a user with a hash instead of a password.
func imported(email, hash string) object {
	return object{"name": "Ada Lovelace", "email": email, "password_hash": hash}
}

// importing makes an app that may import hashes.
func (s *stack) importing(t testing.TB) client {
	t.Helper()
	app := s.newApp(t, "app")
	app.mayImport(t, true)
	return app
}

// stored returns what is stored of the password of an address's user.
func (s *stack) stored(t testing.TB, email string) string {
	t.Helper()
	items, err := s.Table.Read(t.Context(), table.Email(email))
	if err != nil {
		t.Fatal(err)
	}
	var owner user.Owner
	if found, err := items.Get(table.Email(email), &owner); !found || err != nil {
		t.Fatalf("there is no owner of %s: %v", email, err)
	}
	return owner.Password
}

// TestHashesOfOtherProgramsSignIn shows that each user signs in by the old password only, and has our hash from then
// on. No answer and no log has the foreign hash. The hashes in testdata were made by the other programs themselves,
// so a mistake in reading them cannot hide in a hash of our own making. Those that cost the most are written like
// others; BenchmarkMatches measures them, and compares them with their passwords. Of each kind, one meets a wrong
// password; package foreignhash has more of these.
func TestHashesOfOtherProgramsSignIn(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.importing(t)
		made, err := os.ReadFile("foreignhash/testdata/hashes.txt")
		if err != nil {
			t.Fatal(err)
		}
		costly := []string{
			"PHP, cost 12", "PHP, 64 MiB and 3 passes", "PHP, 128 MiB and 1 pass, as Kratos",
			"PHP, 8 KiB and 24576 passes",
			"Django, 1,500,000 rounds", "Django", "argon2-cffi, RFC 9106", "Kratos, 500,000 rounds", "Werkzeug, 64 MiB",
		}
		n, meetsWrong := 0, map[string]string{} // the last hash of each kind
		var lines [][]string
		for line := range strings.Lines(string(made)) {
			// A line has the kind, the program, the password and the hash.
			field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if !slices.Contains(costly, field[1]) {
				lines = append(lines, field)
				meetsWrong[field[0]] = field[3]
			}
		}
		for _, field := range lines {
			n++
			email := fmt.Sprintf("user-%d@example.org", n)
			kind, by, password, hash := field[0], field[1], field[2], field[3]
			localtest.Case(t, kind+" of "+by, func(t testing.TB) {
				ada := app.mustCreate(t, imported(email, hash))
				expect.Lacks(t, ada.Raw, "hash", "what the app gets")
				signIn := func(password string) reply {
					return s.signIn(t, object{"email": email, "password": password})
				}
				if hash == meetsWrong[kind] {
					signIn("wrong "+password).is(t, http.StatusUnauthorized, "")
					expect.Equal(t, s.stored(t, email), "foreign:"+hash, "stored after a wrong password")
				}
				first := signIn(password)
				first.is(t, http.StatusOK, "")
				expect.Equal(t, first.Data.ID, ada.ID, "the user")
				ours := s.stored(t, email)
				expect.HasPrefix(t, ours, "$argon2id$v=19$"+user.HashCost(fixture.CheapHash)+"$",
					"stored after a sign-in")
				signIn("wrong "+password).is(t, http.StatusUnauthorized, "")
				signIn(password).is(t, http.StatusOK, "")
				expect.Equal(t, s.stored(t, email), ours, "stored after a second sign-in")
				expect.Equal(t, s.TakesToken(t, first.Data.AccessToken, ada.ID), true, "the first session")
				s.addSecret(hash) // from here on, nothing may have it
			})
		}
	})
}

// TestAForeignHashIsOfThePasswordAsItWasTyped shows that the first sign-in needs the letters with accents as the
// other program got them. Afterwards the hash is ours, and any form works. Other programs do not normalize, so the
// bytes decide.
func TestAForeignHashIsOfThePasswordAsItWasTyped(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const email, typed, normal = "ada@example.org", "e\u0301 is two characters", "é is two characters"
		s.importing(t).mustCreate(t, imported(email, "$2a$04$0hA2COJz9MiL1j/ntbvQYuqdLTM2fSlxDtaySC96nTC51JhLv4qxi"))
		for _, c := range []struct {
			name, password string
			status         int
		}{
			{"another form, before", normal, http.StatusUnauthorized},
			{"as it was typed", typed, http.StatusOK},
			{"another form, afterwards", normal, http.StatusOK},
			{"as it was typed, afterwards", typed, http.StatusOK},
		} {
			r := s.signIn(t, object{"email": email, "password": c.password})
			expect.Equal(t, r.Status, c.status, c.name)
		}
	})
}

// TestWrongPasswordsForAForeignHashAreCounted shows that they lock the address like all failures. The right password
// is the eleventh attempt, and does not even replace the hash.
func TestWrongPasswordsForAForeignHashAreCounted(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const email = "ada@example.org"
		s.importing(t).mustCreate(t, imported(email, foreignHash))
		for range user.MaxFailures {
			s.signIn(t, object{"email": email, "password": "wrong"}).is(t, http.StatusUnauthorized, "")
		}
		s.signIn(t, object{"email": email, "password": "short"}).is(t, http.StatusUnauthorized, "")
		expect.Equal(t, s.stored(t, email), "foreign:"+foreignHash)
	})
}

// TestWhoMayGiveAHashAndWhen shows that only a permitted app may give a hash, and only for a new user. A refused user
// is not stored.
func TestWhoMayGiveAHashAndWhen(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		may, mayNot, noLonger := s.importing(t), s.newApp(t, "may not"), s.importing(t)
		noLonger.mayImport(t, false)
		const there = "there@example.org"
		ada := may.mustCreate(t, details(there, nil))
		create := func(c client, change object) func(testing.TB, string) reply {
			return func(t testing.TB, email string) reply {
				return c.create(t, fixture.With(imported(email, foreignHash), change))
			}
		}
		update := func(hash any) func(testing.TB, string) reply {
			return func(t testing.TB, _ string) reply {
				return may.update(t, ada.ID, object{"name": "New", "password_hash": hash})
			}
		}
		const (
			forbidden = "password_hash may only be given by an app that its operator lets import hashes " +
				"(--may-import-hashes)"
			blank    = "Password can't be blank"
			newAlone = "Password hash can only be given for a new user"
		)
		n := 0
		for name, c := range map[string]struct {
			do         func(testing.TB, string) reply
			status     int
			message    string
			attributes []string
		}{
			"an app that may":           {create(may, nil), 200, "", nil},
			"an app that may not":       {create(mayNot, nil), 403, forbidden, nil},
			"an app that may no longer": {create(noLonger, nil), 403, forbidden, nil},
			// What an app may not give is not looked at: 403 precedes 422.
			"an app that may not, and a hash of no known kind": {
				create(mayNot, object{"password_hash": "x"}), 403, forbidden, nil,
			},
			// null counts as not given.
			"an app that may not, without a hash": {
				create(mayNot, object{"password_hash": null, "password": password}), 200, "", nil,
			},
			"beside a password": {
				create(may, object{"password": password}), 422,
				"Password hash can't be given beside a password", []string{"password_hash"},
			},
			"of no known kind": {
				create(may, object{"password_hash": "5f4dcc3b5aa765d61d8327deb882cf99"}), 422,
				"Password hash must be of bcrypt ($2a$, $2b$ or $2y$), argon2id ($argon2id$v=19$), PBKDF2 " +
					"(pbkdf2_sha256$, pbkdf2_sha512$, $pbkdf2-sha256$ or $pbkdf2-sha512$), scrypt as Werkzeug " +
					"writes it (scrypt:), Firebase's scrypt ($firescrypt$), or bcrypt_sha256 as Django writes it",
				[]string{"password_hash"},
			},
			// A hash of the cost 13 takes half a second to compare. Any guess would cost that much.
			"that costs too much, and no name": {
				create(may, object{"password_hash": strings.Replace(foreignHash, "04", "13", 1), "name": ""}), 422,
				"Name can't be blank, Password hash is of bcrypt with the cost 13 (maximum is 12)",
				[]string{"name", "password_hash"},
			},
			"that is a number": {create(may, object{"password_hash": 1}), 400, "password_hash must be a string", nil},
			"that is empty":    {create(may, object{"password_hash": ""}), 422, blank, []string{"password"}},
			"that is null":     {create(may, object{"password_hash": null}), 422, blank, []string{"password"}},
			"of a user who is there": {
				func(t testing.TB, _ string) reply { return may.create(t, imported(there, foreignHash)) }, 200, "", nil,
			},
			// Only the address of a user who exists is looked at, so the right to import hashes does not matter.
			"of a user who is there, by an app that may not": {
				func(t testing.TB, _ string) reply { return mayNot.create(t, imported(there, foreignHash)) }, 200, "",
				nil,
			},
			"in a change":       {update(foreignHash), 422, newAlone, []string{"password_hash"}},
			"in a change, null": {update(null), 422, newAlone, []string{"password_hash"}},
			// No value is right here, so its type does not matter.
			"in a change, of another type": {update(7), 422, newAlone, []string{"password_hash"}},
		} {
			n++
			email := fmt.Sprintf("user-%d@example.org", n)
			localtest.Case(t, name, func(t testing.TB) {
				r := c.do(t, email)
				r.is(t, c.status, c.message)
				expect.Equal(t, r.Attributes, c.attributes)
				if c.status != http.StatusOK {
					items, err := s.Table.Read(t.Context(), table.Email(email))
					expect.Equal(t, err, nil)
					expect.Equal(t, len(items), 0, "items of what was refused")
				}
			})
		}
		s.signIn(t, object{"email": there, "password": password}).is(t, http.StatusOK, "")
		s.signIn(t, object{"email": there, "password": "short"}).is(t, http.StatusUnauthorized, "")
	})
}

// TestASignInThatMeetsOthers does something between the comparison of a foreign hash and the write of ours. A new
// password wins, and so does whatever ends sessions.
func TestASignInThatMeetsOthers(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.importing(t)
		const other = "another password"
		for name, c := range map[string]struct {
			meanwhile func(t testing.TB, in *inProcess, ada id.ID, email string)
			status    int
			email     string // of the user afterwards, "" for none; # stands for the old address
			stored    string // what is stored of the password, "" for none
		}{
			"nothing": {func(testing.TB, *inProcess, id.ID, string) {}, 200, "#", fakeHash("short")},
			"another sign-in": {
				func(t testing.TB, in *inProcess, _ id.ID, email string) {
					in.signIn(t, object{"email": email, "password": "short"}).is(t, 200, "")
				}, 200, "#", fakeHash("short"),
			},
			"another password": {
				func(t testing.TB, in *inProcess, ada id.ID, _ string) {
					in.ask(t, in.UpdateFunction(), write(object{"password": other}), app.token, userID(ada)).
						is(t, 200, "")
				}, 401, "#", fakeHash(other),
			},
			"another address": {
				func(t testing.TB, in *inProcess, ada id.ID, email string) {
					body := write(object{"email": "moved-" + email})
					in.ask(t, in.UpdateFunction(), body, app.token, userID(ada)).is(t, 200, "")
				}, 200, "moved-#", "foreign:" + foreignHash,
			},
			"the end of all sessions": {
				func(t testing.TB, in *inProcess, ada id.ID, _ string) {
					if _, err := (user.Tokens{Table: in.Table}).Revoke(t.Context(), ada); err != nil {
						t.Error(err)
					}
				}, 401, "#", "foreign:" + foreignHash,
			},
			"the deletion of the user": {
				func(t testing.TB, in *inProcess, ada id.ID, _ string) {
					in.ask(t, in.DeleteFunction(), "", app.token, userID(ada)).is(t, 200, "")
				}, 401, "", "",
			},
		} {
			localtest.Case(t, name, func(t testing.TB) {
				email := strings.ReplaceAll(name, " ", "-") + "@example.org"
				ada := app.mustCreate(t, imported(email, foreignHash))
				in := s.inProcess(t)
				var begun atomic.Bool
				// The service hashes the password after it has compared it. That is the moment in between.
				in.SetHasher(func(password string) (string, error) {
					if !begun.Swap(true) {
						c.meanwhile(t, in, ada.ID, email)
					}
					return fakeHash(password), nil
				}, nil)
				r := in.signIn(t, object{"email": email, "password": "short"})
				expect.Equal(t, r.Status, c.status)
				expect.Equal(t, s.TakesToken(t, r.Data.AccessToken, ada.ID), c.status == http.StatusOK, "the session")
				if c.email != "" {
					now := strings.ReplaceAll(c.email, "#", email)
					expect.Equal(t, s.stored(t, now), c.stored)
				}
			})
		}
	})
}

// TestSignInsAtOnceByAForeignHash shows that sign-ins at the same time all succeed, although one of them replaces the
// hash. The others find that the hash has changed since they compared it, and must not take that for a new password.
func TestSignInsAtOnceByAForeignHash(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		const email = "ada@example.org"
		ada := s.importing(t).mustCreate(t, imported(email, foreignHash))
		answers := fixture.Together(user.MaxFailures, func(int) reply {
			return s.signIn(t, object{"email": email, "password": "short"})
		})
		for _, r := range answers {
			r.is(t, http.StatusOK, "")
			expect.Equal(t, s.TakesToken(t, r.Data.AccessToken, ada.ID), true, "the session is good")
		}
		expect.HasPrefix(t, s.stored(t, email), "$argon2id$")
		expect.Equal(t, s.attempts(t), 0, "failures that are counted")
		s.mustBeWhole(t)
	})
}

// TestAForeignHashMovesWithTheAddress shows that a new address keeps the foreign hash, and a new password replaces it.
func TestAForeignHashMovesWithTheAddress(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.importing(t)
		ada := app.mustCreate(t, imported("ada@example.org", foreignHash))
		app.update(t, ada.ID, object{"email": "king@example.org"}).is(t, http.StatusOK, "")
		expect.Equal(t, s.stored(t, "king@example.org"), "foreign:"+foreignHash)
		app.update(t, ada.ID, object{"password": password}).is(t, http.StatusOK, "")
		s.signIn(t, object{"email": "king@example.org", "password": "short"}).is(t, http.StatusUnauthorized, "")
		s.signIn(t, object{"email": "king@example.org", "password": password}).is(t, http.StatusOK, "")
	})
}

// TestTheCheckCountsForeignHashes shows that the check counts the foreign hashes that are left, by kind.
func TestTheCheckCountsForeignHashes(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := start(t)
		app := s.importing(t)
		const pbkdf2 = "pbkdf2_sha256$1$salt-of-8$PxhqLNCrbymy/KC761CGdbK/KlZpGB11Ew2vAW/9px4="
		for email, hash := range map[string]string{"a@b.org": foreignHash, "b@b.org": foreignHash, "c@b.org": pbkdf2} {
			app.mustCreate(t, imported(email, hash))
		}
		app.mustCreate(t, details("d@b.org", nil))
		tallies := func() map[string]int {
			report := s.Check(t, check.Options{})
			expect.Len(t, report.Faults, 0)
			return report.Tallies
		}
		expect.Equal(t, tallies(), map[string]int{
			"e-mail owner with a foreign hash of bcrypt": 2, "e-mail owner with a foreign hash of pbkdf2_sha256": 1,
		}, "before a sign-in")
		s.signIn(t, object{"email": "a@b.org", "password": "short"}).is(t, http.StatusOK, "")
		expect.Equal(t, tallies(), map[string]int{
			"e-mail owner with a foreign hash of bcrypt": 1, "e-mail owner with a foreign hash of pbkdf2_sha256": 1,
		}, "after one")
	})
}
