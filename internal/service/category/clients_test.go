package category_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/base/id"
	"frontdesk/internal/base/table"
	"frontdesk/internal/develop/local/contention"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/service/category"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
)

// TestManyClientsAtOnce lets 32 agents create, move, reorder and delete in one portal at the same time. The database is
// as slow and as contended as DynamoDB, and reads that meet a transaction see its items one after another. No request
// fails: each has time to try again. The clients share a bubble, whose clock counts none of this machine's time.
func TestManyClientsAtOnce(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	l := newLibrary(t, stack, stack.NewTenant(t), 100, positions["shuffled"])
	const clients = 32
	tokens := make([]string, clients)
	for i := range tokens {
		tokens[i] = stack.NewMember(t, l.portal)
	}
	everything := contention.AWS()
	everything.ReadCommitted = 1
	var taken []time.Duration
	stack.InBubble(t, everything, func(t *testing.T, cfg aws.Config) {
		service := &category.Service{Table: table.Open(cfg, stack.Table.Name())}
		create, update := service.CreateFunction(), service.UpdateFunction()
		reorder, remove := service.ReorderFunction(), service.DeleteFunction()
		var mu sync.Mutex
		fixture.Together(clients, func(i int) error {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			any := func() id.ID { return l.categories[random.IntN(len(l.categories))].ID }
			send := func(f api.Function, of id.ID, sent object) int64 {
				t.Helper()
				began := time.Now()
				answer, body := fixture.Invoke(t, f, agentsRequest(tokens[i], l.portal, of.String(), sent))
				// A category that is to move below itself is refused.
				if status := answer.StatusCode; status != http.StatusOK && status != http.StatusUnprocessableEntity {
					t.Errorf("%v: %d %v", sent, status, body)
				}
				mu.Lock()
				defer mu.Unlock()
				taken = append(taken, time.Since(began))
				return idOf(body["payload"])
			}
			fields := object{"name": "n", "slug": fmt.Sprint("of-", i), "position": i}
			if i%2 == 0 {
				fields["parent_category_id"] = any()
			}
			made := id.ID(send(create, 0, object{"category": fields}))
			send(update, made, object{"category": object{"parent_category_id": any()}})
			send(update, any(), object{"category": object{"parent_category_id": any()}})
			var named []int64
			for len(named) < 5 {
				named = append(named, int64(l.categories[(i+7*len(named))%len(l.categories)].ID))
			}
			send(reorder, 0, object{"positions_hash": positionsOf(named, i)})
			send(remove, made, nil)
			return nil
		})
	})
	slices.Sort(taken)
	t.Logf("%d requests: median %v, slowest %v", len(taken), taken[len(taken)/2], taken[len(taken)-1])
	expect.Equal(t, len(taken), 5*clients, "requests")
	stack.MustBeWhole(t)
}

// agentsRequest is a request of an agent for a portal. of is the category in its path, "" for none.
func agentsRequest(token string, p table.Portal, of string, sent object) events.APIGatewayV2HTTPRequest {
	r := events.APIGatewayV2HTTPRequest{
		Headers: map[string]string{"api_access_token": token},
		PathParameters: map[string]string{
			"account_id": p.Account.String(), "portal_slug": p.Slug, "category_id": of,
		},
	}
	if sent != nil {
		text, _ := json.Marshal(sent)
		r.Body = string(text)
	}
	return r
}
