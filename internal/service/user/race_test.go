package user_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
	"frontdesk/internal/service/user"
)

// startContended starts a stack whose database is as slow and as contended as DynamoDB.
func startContended(t testing.TB) *stack {
	t.Helper()
	return start(t, func(o *local.Options) { o.Contention = contention.AWS() })
}

// TestRaceOfCreates lets 24 clients of two apps create the same new user at once, with five spellings of the address.
// Afterwards there is one user with two links, and every client got this user's id.
func TestRaceOfCreates(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		for name, contended := range map[string]*contention.Config{
			"undisturbed":              {Latency: contention.AWS().Latency},
			"as contended as DynamoDB": contention.AWS(),
		} {
			localtest.Case(t, name, func(t testing.TB) {
				s := start(t, func(o *local.Options) { o.Contention = contended })
				apps := []client{s.newApp(t, "a"), s.newApp(t, "b")}
				spellings := []string{
					"race@bücher.example", "Race@BÜCHER.example", " RACE@xn--bcher-kva.example",
					"race@Bücher.Example\n", "\trAcE@xn--BCHER-kva.EXAMPLE ",
				}
				answers := fixture.Together(24, func(i int) reply {
					named := details(spellings[i%len(spellings)], object{"name": fmt.Sprint("Client ", i)})
					return apps[i%2].create(t, named)
				})
				for i, r := range answers {
					r.is(t, http.StatusOK, "")
					expect.Equal(t, r.Raw, answers[0].Raw, fmt.Sprintf("client %d: ", i))
					if name == "undisturbed" {
						s.checkTrips(t, r)
					}
				}
				for _, app := range apps {
					if r := app.show(t, answers[0].ID); r.Raw != answers[0].Raw {
						t.Errorf("shown %d %s, want %s", r.Status, r.Raw, answers[0].Raw)
					}
				}
				s.signIn(t, object{"email": answers[0].Email, "password": password}).is(t, http.StatusOK, "")
				expect.Equal(t, s.CountItems(t, "USER#", "USER"), 1, "users")
				expect.Equal(t, s.CountItems(t, "EMAIL#", "EMAIL"), 1, "owners of the address")
				expect.Equal(t, s.CountItems(t, "LINK#", "USER#"), 2, "links")
				s.mustBeWhole(t)
			})
		}
	})
}

// checkTrips checks the round trips of a request. A request that wins the race takes 2. One that comes later takes 2,
// or 3 when it links its app. One that loses takes as many after its own 2. A transaction
// that met another one is sent again.
func (s *stack) checkTrips(t testing.TB, r reply) {
	t.Helper()
	const get, tx = " BatchGetItem", " TransactWriteItems"
	calls := ""
	for _, action := range s.Actions(r.Answer) {
		if call := " " + action; call != tx || !strings.HasSuffix(calls, tx) {
			calls += call
		}
	}
	for _, first := range []string{get, get + tx + get} { // a loser reads the address again
		for _, then := range []string{get, get + tx} {
			if calls == first+then {
				return
			}
		}
	}
	if calls != get+tx {
		t.Errorf("calls %q", calls)
	}
}

// TestRaceOfMerges lets 24 clients each add one attribute to the same user at once. Afterwards all are there. A merge
// reads and writes, so without a condition the last writer would undo the others.
func TestRaceOfMerges(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startContended(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		app.update(t, ada.ID, object{"custom_attributes": object{"first": 0}}).is(t, http.StatusOK, "")
		bob := app.mustHave(t, details("bob@example.org", nil))
		const clients = 24
		for _, r := range fixture.Together(clients, func(i int) reply {
			return app.update(t, ada.ID, object{"custom_attributes": object{fmt.Sprint(i): i}})
		}) {
			r.is(t, http.StatusOK, "")
		}
		// Two thirds of the limit each: one fits, both do not.
		large := strings.Repeat("x", user.MaxAttributes*2/3)
		answers := fixture.Together(2, func(i int) reply {
			return app.update(t, bob.ID, object{"custom_attributes": object{fmt.Sprint(i): large}})
		})
		statuses := []int{answers[0].Status, answers[1].Status}
		slices.Sort(statuses)
		expect.Equal(t, statuses, []int{200, 422}, "of two that are too large together")
		var merged map[string]int
		if err := json.Unmarshal(app.show(t, ada.ID).CustomAttributes, &merged); err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, len(merged), clients+1, "number of attributes")
		for i := range clients {
			expect.Equal(t, merged[fmt.Sprint(i)], i, fmt.Sprintf("attribute %d", i))
		}
		s.mustBeWhole(t)
	})
}

// TestRaceOfChanges lets 24 clients each change one field of the same user at once, on a database as contended as
// DynamoDB. All succeed, and no change of one field undoes that of another.
func TestRaceOfChanges(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startContended(t)
		app := s.newApp(t, "app")
		ada := app.mustHave(t, details("ada@example.org", nil))
		changes := []func(i int) object{
			func(i int) object { return object{"name": fmt.Sprint("Ada ", i)} },
			func(i int) object { return object{"custom_attributes": object{"changed": i}} },
			func(i int) object { return object{"email": []string{"ada", "Ada", "ADA"}[i/4%3] + "@example.org"} },
			func(i int) object { return object{"password": fmt.Sprint("password of ", i)} },
		}
		answers := fixture.Together(24, func(i int) reply { return app.update(t, ada.ID, changes[i%4](i)) })
		var last reply
		for i, r := range answers {
			if r.is(t, http.StatusOK, ""); r.UpdatedAt.After(last.UpdatedAt) {
				last = r
			}
			if name := fmt.Sprint("Ada ", i); i%4 == 0 && r.Name != name {
				t.Errorf("client %d asked for the name %q: %s", i, name, r.Raw)
			}
		}
		shown := app.show(t, ada.ID)
		expect.Equal(t, shown.Raw, last.Raw)
		expect.HasPrefix(t, shown.Name, "Ada ")
		expect.Not(t, string(shown.CustomAttributes), "{}")
		signedIn := 0
		for i := 3; i < 24; i += 4 { // fewer than lock the address
			given := object{"email": "ada@example.org", "password": fmt.Sprint("password of ", i)}
			if r := s.signIn(t, given); r.Status == http.StatusOK {
				signedIn++
			}
		}
		if signedIn != 1 {
			t.Errorf("%d of the passwords sign in", signedIn)
		}
		s.mustBeWhole(t)
	})
}

// TestRaceForAnAddress lets 25 clients want one address at once: for a user with another address, for a new user,
// or for a user who is about to move on. Afterwards one user has it, who was told so, and every address has its
// right owner.
func TestRaceForAnAddress(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startContended(t)
		app := s.newApp(t, "app")
		const clients = 25
		for round := range 2 {
			wanted := fmt.Sprintf("wanted-%d@example.org", round)
			movers := make([]reply, 5) // users, each changed by several clients
			for i := range movers {
				movers[i] = app.mustHave(t, details(fmt.Sprintf("mover-%d-%d@example.org", round, i), nil))
			}
			answers := fixture.Together(clients, func(i int) reply {
				mover := movers[i%len(movers)]
				switch i / len(movers) {
				case 0:
					return app.create(t, details(strings.ToUpper(wanted), nil))
				case 1:
					return app.update(t, mover.ID, object{"email": "elsewhere-" + mover.Email})
				case 2:
					return app.update(t, mover.ID, object{"email": wanted, "password": "another password"})
				default:
					return app.update(t, mover.ID, object{"email": wanted})
				}
			})
			for i, r := range answers {
				switch {
				// A change that met others at every attempt may give up with 409. Only those who want the address may
				// hear that it is taken.
				case r.Status == http.StatusOK, r.Status == http.StatusConflict:
				case r.Status == 422 && r.Message == "Email has already been taken" && i >= 2*len(movers):
				default:
					t.Errorf("client %d: answer %d %s", i, r.Status, r.Raw)
				}
			}
			found := app.list(t, "?email="+wanted).Payload
			if len(found) != 1 {
				// The last who had it may have moved on. Then it is free for a new user.
				found = append(found, app.mustHave(t, details(wanted, nil)).fields)
			}
			// The user who has the address was told so by some answer.
			told := slices.ContainsFunc(answers, func(r reply) bool {
				return r.Status == http.StatusOK && r.ID == found[0].ID && strings.EqualFold(r.Email, wanted)
			})
			expect.Len(t, found, 1)
			if !told {
				expect.Equal(t,
					slices.ContainsFunc(movers, func(r reply) bool { return r.ID == found[0].ID }), false)
			}
			for _, mover := range movers {
				shown := app.show(t, mover.ID)
				if is := app.list(t, "?email="+shown.Email).Payload; len(is) != 1 || is[0].ID != mover.ID {
					t.Errorf("%s is of %+v, want %d", shown.Email, is, mover.ID)
				}
			}
		}
		if users, owners := s.CountItems(t, "USER#", "USER"), s.CountItems(t, "EMAIL#", "EMAIL"); users != owners {
			t.Errorf("%d users, %d owners of addresses", users, owners)
		}
		s.mustBeWhole(t)
	})
}
