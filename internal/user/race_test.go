package user_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/fixture"
	"frontdesk/internal/local"
	"frontdesk/internal/local/contention"
	"frontdesk/internal/local/gate"
)

// TestRaceOfCreates: 50 clients of two apps create the same new user at once, and spell the address in five ways. There
// is one user afterwards, with two links, and every client was told that user's id.
func TestRaceOfCreates(t *testing.T) {
	t.Parallel()
	var contended atomic.Bool
	s := start(t, func(o *local.Options) {
		o.Contention = contention.AWS()
		o.Contention.Active = contended.Load
	})
	apps := []client{s.newApp(t, "a"), s.newApp(t, "b")}
	users := 0
	for _, c := range []struct {
		name     string
		conflict int64 // of how many writes one more meets a transaction, on a contended database; 0: on another
	}{
		{"undisturbed", 0},
		{"as contended as DynamoDB, and one more write in five meets another", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			contended.Store(c.conflict != 0)
			var writes atomic.Int64
			s.Gate().Inject(func(call gate.Call) *gate.Fault {
				if c.conflict == 0 || strings.HasPrefix(call.Action, "BatchGet") || writes.Add(1)%c.conflict != 0 {
					return nil
				}
				return gate.Conflict
			})
			const clients = 50
			spellings := []string{
				"race%d@bücher.example", "Race%d@BÜCHER.example", " RACE%d@xn--bcher-kva.example",
				"race%d@Bücher.Example\n", "\trAcE%d@xn--BCHER-kva.EXAMPLE ",
			}
			answers := fixture.Together(clients, func(i int) reply {
				email := fmt.Sprintf(spellings[i%len(spellings)], users)
				return apps[i%2].create(t, details(email, object{"name": fmt.Sprint("Client ", i)}))
			})
			users++
			for i, r := range answers {
				if r.Status != http.StatusOK || r.Raw != answers[0].Raw {
					t.Errorf("client %d: answer %d %s, another %s", i, r.Status, r.Raw, answers[0].Raw)
				}
				if c.conflict == 0 {
					s.checkTrips(t, r)
				}
			}
			if c.conflict != 0 && writes.Load() < clients {
				t.Errorf("%d writes", writes.Load())
			}
			for _, app := range apps {
				if r := app.show(t, answers[0].ID); r.Raw != answers[0].Raw {
					t.Errorf("shown %d %s, want %s", r.Status, r.Raw, answers[0].Raw)
				}
			}
			s.signIn(t, object{"email": answers[0].Email, "password": password}).is(t, http.StatusOK, "")
			n, owners := s.CountItems(t, "USER#", "USER"), s.CountItems(t, "EMAIL#", "EMAIL")
			if links := s.CountItems(t, "LINK#", "USER#"); n != users || owners != users || links != 2*users {
				t.Errorf("%d users, %d owners of addresses, %d links; want %d, %d, %d",
					n, owners, links, users, users, 2*users)
			}
			s.checkInvariants(t)
		})
	}
}

// checkTrips: a request that wins the race takes 2 round trips, one that comes later 2, and one that loses the race 4,
// two of whose calls are made at the same time.
func (s *stack) checkTrips(t testing.TB, r reply) {
	t.Helper()
	calls := s.Actions(r.Answer)
	sorted := slices.Clone(calls)
	slices.Sort(sorted)
	switch got := strings.Join(sorted, " "); got {
	case "BatchGetItem TransactWriteItems":
	case "BatchGetItem BatchGetItem PutItem":
	case "BatchGetItem BatchGetItem BatchGetItem PutItem TransactWriteItems":
		if calls[1] != "TransactWriteItems" || calls[2] != "BatchGetItem" {
			t.Errorf("calls %q", calls)
		}
	default:
		t.Errorf("calls %q", calls)
	}
}
