package category_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/category"
	"frontdesk/internal/expect"
	"frontdesk/internal/fixture"
	"frontdesk/internal/table"

	"github.com/aws/aws-lambda-go/events"
)

// slowBatches is a client of DynamoDB that gets no answer to a batch of more than most keys.
type slowBatches struct{ most int }

func (c slowBatches) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	batch := strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem")
	if batch && bytes.Count(body, []byte(`"SK"`)) > c.most {
		// No answer until the caller gives up, as from an overloaded partition.
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return http.DefaultClient.Do(r)
}

// TestAPageThatTakesTooLongEndsEarly shows that such a page has a cursor at its last place, and that the next page
// follows without a gap.
func TestAPageThatTakesTooLongEndsEarly(t *testing.T) {
	t.Parallel()
	stack := fixture.Start(t, fixture.WithoutFunctions(t))
	l := newLibrary(t, stack, stack.NewTenant(t), 1000, positions["shuffled"])
	_, all, _ := l.list(nil)
	for _, c := range []struct {
		name   string
		most   int // keys of a batch
		status int
		shown  int
	}{
		// A page that cannot be read in a third of the time is tried again with a quarter of its places: 48, 12, 3.
		{"a quarter is read in time", 30, http.StatusOK, 12},
		{"a sixteenth is", 9, http.StatusOK, 3},
		{"all is", 100, http.StatusOK, 48},
		{"nothing is", 3, http.StatusServiceUnavailable, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			status, page := l.listBy(t, slowBatches{c.most}, map[string]string{"limit": "48"})
			expect.Equal(t, "status", status, c.status)
			if status != http.StatusOK {
				return
			}
			payload := page["payload"].(array)
			cursor, _ := page["meta"].(object)["next_cursor"].(string)
			_, next, _ := l.list(map[string]string{"limit": "10", "cursor": cursor})
			walked := append(payload, next["payload"].(array)...)
			expect.Len(t, "shown", payload, c.shown)
			expect.Equal(t, "the page and the next one", jsonOf(walked), jsonOf(all["payload"].(array)[:c.shown+10]))
		})
	}
}

func jsonOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// listBy asks for the list of a query through this client, in a process that has three seconds to read.
func (l *library) listBy(t *testing.T, client slowBatches, query map[string]string) (status int, body object) {
	t.Helper()
	cfg := l.stack.Operator()
	cfg.HTTPClient = client
	event, _ := json.Marshal(events.APIGatewayV2HTTPRequest{
		Headers:               map[string]string{"api_access_token": l.AgentToken},
		PathParameters:        map[string]string{"account_id": "1", "portal_slug": l.portal.Slug},
		QueryStringParameters: query,
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	list := (&category.Service{Table: table.Open(cfg, l.stack.Table.Name())}).ListFunction()
	list.Log = slog.New(slog.DiscardHandler)
	raw, err := list.Invoke(ctx, event)
	var answer events.APIGatewayV2HTTPResponse
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err == nil {
		err = json.Unmarshal([]byte(answer.Body), &body)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}
