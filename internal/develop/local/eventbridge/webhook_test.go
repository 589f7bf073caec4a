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
	"testing/synctest"
	"time"

	"frontdesk/internal/develop/local/document"
	"frontdesk/internal/develop/local/eventbridge"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
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

// newHooked returns a bus that posts every event of source "s" to a URL of a network.
func newHooked(t *testing.T, network httpserver.Network, url string, retries int) *hooked {
	t.Helper()
	var pattern yaml.Node
	if err := yaml.Unmarshal([]byte("{source: [s]}"), &pattern); err != nil {
		t.Fatal(err)
	}
	h := new(hooked)
	var err error
	h.Bus, err = eventbridge.New(eventbridge.Config{
		Rules: []samtemplate.Rule{{
			Webhook: &samtemplate.Webhook{
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
		Log:     slog.New(slog.NewTextHandler(&h.log, nil)),
		Network: network,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// serve starts a webhook in a network, and closes it when the test ends.
func serve(t *testing.T, network httpserver.Network, h http.HandlerFunc) (url string) {
	t.Helper()
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// event is an event for the rule of newHooked.
var event = eventbridge.Event{ID: "e-1", Source: "s", Detail: json.RawMessage(`{"a":"<ü>"}`)}

// TestEventsArePosted: method, headers and body are those of EventBridge, and an event that matches no rule stays here.
func TestEventsArePosted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, network := make(chan *http.Request, 2), httpserver.NewMemory()
		url := serve(t, network, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			got <- r
			w.WriteHeader(http.StatusNoContent)
		})
		h := newHooked(t, network, url+"/events?a=b", 185)
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
	})
}

// TestWhatAWebhookAnswersDecides: EventBridge repeats what may succeed later, and nothing else. Each pause is twice as
// long as the one before. An event that does not arrive is in the queue, and its secret is nowhere.
func TestWhatAWebhookAnswersDecides(t *testing.T) {
	for name, c := range map[string]struct {
		status  int   // of every answer but the last
		last    int   // of the third attempt
		retries int   // of the rule
		pauses  []int // between the attempts, in seconds
		lost    bool
	}{
		"it takes it at once":             {200, 200, 185, nil, false},
		"it takes it in the end":          {500, 204, 185, []int{1, 2}, false},
		"409 is repeated":                 {409, 200, 185, []int{1, 2}, false},
		"429 is repeated":                 {429, 200, 185, []int{1, 2}, false},
		"400 is not repeated":             {400, 200, 185, nil, true},
		"401 is not repeated":             {401, 200, 185, nil, true},
		"a redirect is neither":           {302, 200, 185, nil, true},
		"it never takes it":               {503, 503, 185, []int{1, 2, 4, 8, 16}, true},
		"the rule allows two repetitions": {503, 503, 2, []int{1, 2}, true},
		"the rule allows none":            {503, 200, 0, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var attempts []time.Time
				network := httpserver.NewMemory()
				url := serve(t, network, func(w http.ResponseWriter, _ *http.Request) {
					attempts = append(attempts, time.Now())
					status := c.status
					if len(attempts) == 3 {
						status = c.last
					}
					w.Header().Set("Location", "/")
					w.WriteHeader(status)
				})
				h := newHooked(t, network, url, c.retries)
				defer h.Close()
				h.Put(event)
				h.Settle()
				var pauses []int
				for i := 1; i < len(attempts); i++ {
					pauses = append(pauses, int(attempts[i].Sub(attempts[i-1]).Seconds()))
				}
				expect.Equal(t, pauses, c.pauses)
				expect.Len(t, h.posted, 1+len(c.pauses))
				expect.Equal(t, len(h.lost) == 1, c.lost)
				expect.Lacks(t, h.log.String(), "s3cret")
				if !c.lost {
					return
				}
				expect.HasPrefix(t, h.queues[0], `Lost {"version":`)
				expect.Equal(t, h.lost[0], map[string]string{
					"RULE_ARN": "the rule", "TARGET_ARN": "the webhook", "RETRY_ATTEMPTS": fmt.Sprint(len(c.pauses)),
					"ERROR_MESSAGE": fmt.Sprint(c.status, " ", http.StatusText(c.status)),
				}, "attributes")
				expect.Contains(t, h.log.String(), `msg="dead letter"`)
			})
		})
	}
}

// TestADeadWebhookBlocksNothing: neither one that hangs nor one that is not there holds up the bus. At the end of the
// stack, a request that is due gets three seconds, and what waits for its retry is lost at once.
func TestADeadWebhookBlocksNothing(t *testing.T) {
	for name, c := range map[string]struct {
		webhook func(*testing.T, httpserver.Network) (url string)
		closing time.Duration
	}{
		"it hangs": {func(t *testing.T, network httpserver.Network) string {
			return serve(t, network, func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // only then the server sees that the client hangs up
				<-r.Context().Done()
			})
		}, 3 * time.Second},
		"nobody is there": {func(*testing.T, httpserver.Network) string { return "http://127.0.0.1:1" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := httpserver.NewMemory()
				h := newHooked(t, network, c.webhook(t, network), 185)
				began := time.Now()
				for range 100 {
					h.Put(event)
				}
				synctest.Wait()
				expect.Equal(t, time.Since(began), 0, "time of the bus")
				h.Close()
				expect.Equal(t, time.Since(began), c.closing, "time of the end")
				expect.Len(t, h.lost, 100)
				expect.Equal(t, len(slices.Compact(h.queues)), 1)
			})
		})
	}
}
