package eventbridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local/document"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/template"
	"frontdesk/internal/prove/expect"

	"gopkg.in/yaml.v3"
)

// hooked is a bus whose one rule leads to a webhook, with what it has told.
type hooked struct {
	*eventbridge.Bus
	mu     sync.Mutex
	posted []string            // answers of the webhook, in order
	lost   []map[string]string // attributes of events that did not arrive
	queues []string            // to which they went, with their bodies
	log    bytes.Buffer
}

// newHooked returns a bus that posts every event of source "s" to a URL. The first retry comes after wait.
func newHooked(t *testing.T, url string, retries int, wait time.Duration) *hooked {
	t.Helper()
	var pattern yaml.Node
	if err := yaml.Unmarshal([]byte("{source: [s]}"), &pattern); err != nil {
		t.Fatal(err)
	}
	h := new(hooked)
	var err error
	h.Bus, err = eventbridge.New(eventbridge.Config{
		Rules: []template.Rule{{
			Webhook: &template.Webhook{
				RuleARN: "the rule", ARN: "the webhook", Method: "POST", URL: url,
				Header: "x-webhook-secret", Secret: "s3cret", Retries: retries, DeadLetterQueue: "Lost",
			},
			Pattern: document.Fragment{Path: "p", Root: pattern.Content[0]},
		}},
		Watch: func(eventbridge.Event) {},
		Posted: func(_ eventbridge.Event, answer string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.posted = append(h.posted, answer)
		},
		DeadLetter: func(queue, body string, attributes map[string]string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.queues, h.lost = append(h.queues, queue+" "+body), append(h.lost, attributes)
		},
		Log:       slog.New(slog.NewTextHandler(&h.log, nil)),
		RetryWait: wait,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// event is an event for the rule of newHooked.
var event = eventbridge.Event{ID: "e-1", Source: "s", Detail: json.RawMessage(`{"a":"<ü>"}`)}

// TestEventsArePosted: method, headers and body are those of EventBridge, and an event that matches no rule stays here.
func TestEventsArePosted(t *testing.T) {
	got := make(chan *http.Request, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		got <- r
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	h := newHooked(t, server.URL+"/events?a=b", 185, time.Millisecond)
	h.Put(eventbridge.Event{ID: "other", Source: "other", Detail: event.Detail}, event)
	h.Close()
	if len(got) != 1 {
		t.Fatalf("the webhook has got %d requests", len(got))
	}
	r := <-got
	expect.Equal(t, r.Method+" "+r.URL.String(), "POST /events?a=b", "request")
	for name, want := range map[string]string{
		"x-webhook-secret": "s3cret",
		"Content-Type":     "application/json; charset=utf-8",
		"User-Agent":       "Amazon/EventBridge/ApiDestinations",
		"Range":            "bytes=0-1048575",
	} {
		expect.Equal(t, r.Header.Get(name), want, name)
	}
	want, err := json.Marshal(event) // as a function gets it
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	expect.Equal(t, string(body), string(want))
	expect.Equal(t, h.posted, []string{"204 No Content"})
	expect.Len(t, h.lost, 0)
}

// TestWhatAWebhookAnswersDecides: EventBridge repeats what may succeed later, and nothing else. An event that does not
// arrive is in the queue, and its secret is nowhere.
func TestWhatAWebhookAnswersDecides(t *testing.T) {
	for name, c := range map[string]struct {
		status   int // of every answer but the last
		last     int // of the attempt after them
		retries  int // of the rule
		attempts int
		lost     bool
	}{
		"it takes it at once":             {200, 200, 185, 1, false},
		"it takes it in the end":          {500, 204, 185, 3, false},
		"409 is repeated":                 {409, 200, 185, 3, false},
		"429 is repeated":                 {429, 200, 185, 3, false},
		"400 is not repeated":             {400, 200, 185, 1, true},
		"401 is not repeated":             {401, 200, 185, 1, true},
		"a redirect is neither":           {302, 200, 185, 1, true},
		"it never takes it":               {503, 503, 185, 6, true},
		"the rule allows two repetitions": {503, 503, 2, 3, true},
		"the rule allows none":            {503, 200, 0, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			attempts := make(chan bool, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				attempts <- true
				status := c.status
				if len(attempts) == 3 {
					status = c.last
				}
				w.Header().Set("Location", "/")
				w.WriteHeader(status)
			}))
			defer server.Close()
			h := newHooked(t, server.URL, c.retries, time.Microsecond)
			h.Put(event)
			h.Settle()
			expect.Equal(t, len(attempts), c.attempts)
			expect.Len(t, h.posted, c.attempts)
			expect.Equal(t, len(h.lost) == 1, c.lost)
			expect.Lacks(t, h.log.String(), "s3cret")
			if !c.lost {
				return
			}
			expect.HasPrefix(t, h.queues[0], `Lost {"version":`)
			expect.Equal(t, h.lost[0], map[string]string{
				"RULE_ARN": "the rule", "TARGET_ARN": "the webhook", "RETRY_ATTEMPTS": fmt.Sprint(c.attempts - 1),
				"ERROR_MESSAGE": fmt.Sprint(c.status, " ", http.StatusText(c.status)),
			}, "attributes")
			expect.Contains(t, h.log.String(), `msg="dead letter"`)
		})
	}
}

// TestADeadWebhookBlocksNothing: neither one that hangs nor one that is not there holds up the bus, nor the end of the
// stack for longer than three seconds.
func TestADeadWebhookBlocksNothing(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, c := range map[string]struct {
		url  string
		wait time.Duration
	}{
		"it hangs":               {server.URL, time.Microsecond},
		"nobody is there":        {gone.URL, time.Microsecond},
		"it waits for its retry": {gone.URL, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t, c.url, 185, c.wait)
			for range 100 {
				h.Put(event)
			}
			h.Close()
			expect.Len(t, h.lost, 100)
			expect.Equal(t, len(slices.Compact(h.queues)), 1)
		})
	}
}
