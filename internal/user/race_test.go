package user_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/local"
)

// TestRaceOfCreates: 50 clients of two apps create the same new user at once, each writing the address in a
// way of his own. There is one user afterwards, two links, and everybody was told that user's id.
func TestRaceOfCreates(t *testing.T) {
	t.Parallel()
	d := open(t)
	apps := []client{d.newApp(t, "a"), d.newApp(t, "b")}
	users := 0
	for _, c := range []struct {
		name     string
		conflict int64 // one write in so many meets a transaction; 0 for none
	}{
		{"undisturbed", 0},
		{"one write in five meets another", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var writes atomic.Int64
			d.stack.Gate().Inject(func(call local.Call) *local.Fault {
				if c.conflict == 0 || strings.HasPrefix(call.Action, "BatchGet") || writes.Add(1)%c.conflict != 0 {
					return nil
				}
				return local.Conflict
			})
			const clients = 50
			spellings := []string{"race%d@bücher.example", "Race%d@BÜCHER.example", " RACE%d@xn--bcher-kva.example", "race%d@Bücher.Example\n", "\trAcE%d@xn--BCHER-kva.EXAMPLE "}
			answers := together(clients, func(i int) reply {
				email := fmt.Sprintf(spellings[i%len(spellings)], users)
				return apps[i%2].create(t, details(email, object{"name": fmt.Sprint("Client ", i)}))
			})
			users++
			for i, r := range answers {
				if r.HTTP != http.StatusOK || r.raw != answers[0].raw {
					t.Errorf("client %d: answer %d %s, another %s", i, r.HTTP, r.raw, answers[0].raw)
				}
				if c.conflict == 0 {
					d.checkTrips(t, r)
				}
			}
			if c.conflict != 0 && writes.Load() < clients {
				t.Errorf("%d writes", writes.Load())
			}
			for _, app := range apps {
				if r := app.show(t, answers[0].ID); r.raw != answers[0].raw {
					t.Errorf("shown %d %s, want %s", r.HTTP, r.raw, answers[0].raw)
				}
			}
			d.signIn(t, object{"email": answers[0].Email, "password": password}).is(t, http.StatusOK, "")
			if n, owners, links := d.count(t, "USER#", "USER"), d.count(t, "EMAIL#", "EMAIL"), d.count(t, "APP#", "USER#"); n != users || owners != users || links != 2*users {
				t.Errorf("%d users, %d owners of addresses, %d links; want %d, %d, %d", n, owners, links, users, users, 2*users)
			}
			d.checkWhole(t)
		})
	}
}

// checkTrips: the winner of a race takes 2 round trips, whoever comes later 2, and its loser 4, two calls of
// which are beside each other.
func (d *desk) checkTrips(t testing.TB, r reply) {
	t.Helper()
	calls := d.actions(r)
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
