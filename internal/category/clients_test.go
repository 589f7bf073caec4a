package category_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/api"
	"frontdesk/internal/category"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/id"
	"frontdesk/internal/local/contention"
	"frontdesk/internal/local/dynamodb"
	"frontdesk/internal/local/localtest"
	"frontdesk/internal/local/template/templatetest"
	"frontdesk/internal/table"

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
	now, outside := time.Now(), localtest.OutsideBubbles(t)
	var taken []time.Duration
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now)) // ids and tokens are of today
		everything := contention.AWS()
		everything.ReadCommitted = 1
		service := &category.Service{Table: table.Open(besideOthers(t, stack, everything, outside), stack.Table.Name())}
		create, update := service.CreateFunction(), service.UpdateFunction()
		reorder, remove := service.ReorderFunction(), service.DeleteFunction()
		var mu sync.Mutex
		fixture.Together(clients, func(i int) error {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			any := func() id.ID { return l.categories[random.IntN(len(l.categories))].ID }
			send := func(f api.Function, of id.ID, sent object) int64 {
				t.Helper()
				began := time.Now()
				answer, body := invoke(t, f, agentsRequest(tokens[i], l.portal, of.String(), sent))
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

// besideOthers returns the configuration of clients whose calls pass through contention in their own bubble. The
// database itself is outside.
func besideOthers(t *testing.T, stack *fixture.Stack, c *contention.Config, outside func(func())) aws.Config {
	t.Helper()
	tables := templatetest.MustParse(t, templatetest.OneTable).Tables
	tables[0].Name = stack.Table.Name()
	direct := dynamodb.Forward(stack.Account().Database.URL, func() {})
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outside(func() { direct.ServeHTTP(w, r.WithContext(context.Background())) })
	})
	database := contention.New(c, dynamodb.NewAccess(tables, templatetest.Values), next)
	cfg := stack.Operator()
	cfg.HTTPClient = httpClient(func(r *http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		database.ServeHTTP(answer, r)
		return answer.Result(), r.Context().Err()
	})
	return cfg
}

// invoke sends a request to a function, with the time that template.yaml gives it, and returns the answer and its JSON.
func invoke(
	t *testing.T, f api.Function, r events.APIGatewayV2HTTPRequest,
) (answer events.APIGatewayV2HTTPResponse, body object) {
	t.Helper()
	event, _ := json.Marshal(r)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	f.Log = slog.New(slog.DiscardHandler)
	raw, err := f.Invoke(ctx, event)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err == nil {
		err = json.Unmarshal([]byte(answer.Body), &body)
	}
	if err != nil {
		t.Error(err)
	}
	return answer, body
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
