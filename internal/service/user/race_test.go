package user_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/user"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// contended are clients in a bubble, whose database is as slow and as contended as DynamoDB.
type contended struct {
	*inProcess
	cfg  aws.Config
	name string // of the table
}

// inBubble calls f with such clients. Passwords are hashed as the functions of the stack hash them.
func (s *stack) inBubble(t *testing.T, c *contention.Config, f func(*testing.T, contended)) {
	t.Helper()
	s.InBubble(t, c, func(t *testing.T, cfg aws.Config) {
		in := &inProcess{stack: s, log: new(logBuffer), limit: 15 * time.Second}
		s.logs = append(s.logs, in.log)
		in.Service = &user.Service{Table: table.Open(cfg, s.Table.Name()), HashParams: fixture.CheapHash}
		f(t, contended{in, cfg, s.Table.Name()})
	})
}

// update changes a user by the endpoint.
func (c contended) update(t testing.TB, app client, of id.ID, change object) reply {
	t.Helper()
	return c.ask(t, c.UpdateFunction(), write(change), app.token, userID(of))
}

// createCounted creates a user by the endpoint, and returns the calls of the table that it made, in order.
func (c contended) createCounted(t testing.TB, app client, details object) (r reply, calls []string) {
	t.Helper()
	cfg, send := c.cfg, c.cfg.HTTPClient
	cfg.HTTPClient = fixture.HTTPClient(func(r *http.Request) (*http.Response, error) {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		calls = append(calls, operation)
		return send.Do(r)
	})
	alone := &user.Service{Table: table.Open(cfg, c.name), HashParams: c.HashParams}
	return c.ask(t, alone.CreateFunction(), write(details), app.token, nil), calls
}

// TestRaceOfCreates lets 24 clients of two apps create the same new user at once, with five spellings of the address.
// Afterwards there is one user with two links, and every client got this user's id.
func TestRaceOfCreates(t *testing.T) {
	t.Parallel()
	s := start(t)
	apps := []client{s.newApp(t, "a"), s.newApp(t, "b")}
	users := 0
	for _, c := range []struct {
		name      string
		contended *contention.Config
	}{
		{"undisturbed", &contention.Config{Latency: contention.AWS().Latency}},
		{"as contended as DynamoDB", contention.AWS()},
	} {
		t.Run(c.name, func(t *testing.T) {
			const clients = 24
			spellings := []string{
				"race%d@bücher.example", "Race%d@BÜCHER.example", " RACE%d@xn--bcher-kva.example",
				"race%d@Bücher.Example\n", "\trAcE%d@xn--BCHER-kva.EXAMPLE ",
			}
			var answers []reply
			s.inBubble(t, c.contended, func(t *testing.T, in contended) {
				answers = fixture.Together(clients, func(i int) reply {
					email := fmt.Sprintf(spellings[i%len(spellings)], users)
					named := details(email, object{"name": fmt.Sprint("Client ", i)})
					r, calls := in.createCounted(t, apps[i%2], named)
					if c.name == "undisturbed" {
						checkTrips(t, strings.Join(calls, " "))
					}
					return r
				})
			})
			users++
			for i, r := range answers {
				r.is(t, http.StatusOK, "")
				expect.Equal(t, r.Raw, answers[0].Raw, fmt.Sprintf("client %d: ", i))
			}
			for _, app := range apps {
				if r := app.show(t, answers[0].ID); r.Raw != answers[0].Raw {
					t.Errorf("shown %d %s, want %s", r.Status, r.Raw, answers[0].Raw)
				}
			}
			s.signIn(t, object{"email": answers[0].Email, "password": password}).is(t, http.StatusOK, "")
			n, owners := s.CountItems(t, "USER#", "USER"), s.CountItems(t, "EMAIL#", "EMAIL")
			links := s.CountItems(t, "LINK#", "USER#")
			expect.Equal(t, n, users)
			expect.Equal(t, owners, users)
			expect.Equal(t, links, 2*users, `s.CountItems(t, "LINK#", "USER#")`)
			s.mustBeWhole(t)
		})
	}
}

// checkTrips checks the round trips of a request. A request that wins the race takes 2. One that comes later takes 2,
// or 3 when it links its app. One that loses takes as many after its own 2.
func checkTrips(t testing.TB, calls string) {
	t.Helper()
	const get, tx = " BatchGetItem", " TransactWriteItems"
	for _, first := range []string{get, get + tx + get} { // a loser reads the address again
		for _, then := range []string{get, get + tx} {
			if " "+calls == first+then {
				return
			}
		}
	}
	if " "+calls != get+tx {
		t.Errorf("calls %q", calls)
	}
}

// TestRaceOfMerges lets 24 clients each add one attribute to the same user at once. Afterwards all are there. A merge
// reads and writes, so without a condition the last writer would undo the others.
func TestRaceOfMerges(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil))
	app.update(t, ada.ID, object{"custom_attributes": object{"first": 0}}).is(t, http.StatusOK, "")
	bob := app.mustHave(t, details("bob@example.org", nil))
	const clients = 24
	s.inBubble(t, contention.AWS(), func(t *testing.T, in contended) {
		for _, r := range fixture.Together(clients, func(i int) reply {
			return in.update(t, app, ada.ID, object{"custom_attributes": object{fmt.Sprint(i): i}})
		}) {
			r.is(t, http.StatusOK, "")
		}
		// Two thirds of the limit each: one fits, both do not.
		large := strings.Repeat("x", user.MaxAttributes*2/3)
		answers := fixture.Together(2, func(i int) reply {
			return in.update(t, app, bob.ID, object{"custom_attributes": object{fmt.Sprint(i): large}})
		})
		statuses := []int{answers[0].Status, answers[1].Status}
		slices.Sort(statuses)
		expect.Equal(t, statuses, []int{200, 422}, "of two that are too large together")
	})
	var merged map[string]int
	if err := json.Unmarshal(app.show(t, ada.ID).CustomAttributes, &merged); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, len(merged), clients+1, "number of attributes")
	for i := range clients {
		expect.Equal(t, merged[fmt.Sprint(i)], i, fmt.Sprintf("attribute %d", i))
	}
	s.mustBeWhole(t)
}

// TestRaceOfChanges lets 24 clients each change one field of the same user at once, on a database as contended as
// DynamoDB. All succeed, and no change of one field undoes that of another.
func TestRaceOfChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	ada := app.mustHave(t, details("ada@example.org", nil))
	changes := []func(i int) object{
		func(i int) object { return object{"name": fmt.Sprint("Ada ", i)} },
		func(i int) object { return object{"custom_attributes": object{"changed": i}} },
		func(i int) object { return object{"email": []string{"ada", "Ada", "ADA"}[i/4%3] + "@example.org"} },
		func(i int) object { return object{"password": fmt.Sprint("password of ", i)} },
	}
	var answers []reply
	s.inBubble(t, contention.AWS(), func(t *testing.T, in contended) {
		answers = fixture.Together(24, func(i int) reply { return in.update(t, app, ada.ID, changes[i%4](i)) })
	})
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
}

// TestRaceForAnAddress lets 25 clients want one address at once: for a user with another address, for a new user,
// or for a user who is about to move on. Afterwards one user has it, who was told so, and every address has its
// right owner.
func TestRaceForAnAddress(t *testing.T) {
	t.Parallel()
	s := start(t)
	app := s.newApp(t, "app")
	const clients = 25
	for round := range 2 {
		wanted := fmt.Sprintf("wanted-%d@example.org", round)
		movers := make([]reply, 5) // users, each changed by several clients
		for i := range movers {
			movers[i] = app.mustHave(t, details(fmt.Sprintf("mover-%d-%d@example.org", round, i), nil))
		}
		var answers []reply
		s.inBubble(t, contention.AWS(), func(t *testing.T, in contended) {
			answers = fixture.Together(clients, func(i int) reply {
				mover := movers[i%len(movers)]
				switch i / len(movers) {
				case 0:
					return in.create(t, app, details(strings.ToUpper(wanted), nil))
				case 1:
					return in.update(t, app, mover.ID, object{"email": "elsewhere-" + mover.Email})
				case 2:
					return in.update(t, app, mover.ID, object{"email": wanted, "password": "another password"})
				default:
					return in.update(t, app, mover.ID, object{"email": wanted})
				}
			})
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
}
