// Package eventbridge stands in for the default bus of EventBridge: it passes each event to the functions and the
// webhooks whose rules in the template match it. It differs from the service: it delivers at once, and knows only exact
// texts in patterns, and only functions and API destinations as targets. It invokes functions asynchronously, which
// always succeeds, so the retries and the dead-letter queue of their rules have nothing to do. It gives up on a webhook
// after half a minute, and does not heed Retry-After.
package eventbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/develop/local/samtemplate"
)

// Event is an event on the bus, in the JSON that a function gets.
// https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
type Event struct {
	Version    string          `json:"version"`
	ID         string          `json:"id"` // a UUID
	DetailType string          `json:"detail-type"`
	Source     string          `json:"source"`
	Account    string          `json:"account"`
	Time       time.Time       `json:"time"` // whole seconds
	Region     string          `json:"region"`
	Resources  []string        `json:"resources"` // ARNs
	Detail     json.RawMessage `json:"detail"`    // an object
}

// NewEvent returns an event of a service that happens now.
func NewEvent(v samtemplate.Values, source, detailType string, resources []string, detail any) (Event, error) {
	e := Event{
		Version: "0", ID: awsform.UUID(), DetailType: detailType, Source: source, Account: v.AccountID,
		Time: time.Now().UTC().Truncate(time.Second), Region: v.Region, Resources: resources,
	}
	var err error
	e.Detail, err = json.Marshal(detail)
	if err != nil {
		return e, fmt.Errorf("encode the detail of an event: %w", err)
	}
	return e, nil
}

// Config is what a Bus needs.
type Config struct {
	Rules      []samtemplate.Rule
	Watch      func(Event)                                            // gets each event before its targets do
	Posted     func(e Event, answer string)                           // gets what a webhook answered, at each attempt
	DeadLetter func(queue, body string, attributes map[string]string) // gets what did not reach a webhook
	Log        *slog.Logger
	Network    httpserver.Network // where the webhooks are; default [httpserver.Machine]
}

// Bus is the default bus. Its methods are safe for concurrent use at any time.
type Bus struct {
	config Config
	rules  []rule
	posts  posts
	client *http.Client // of webhooks

	mu      sync.Mutex
	invoke  func(function, eventID string, payload []byte)
	replace func(Event) []Event
}

// rule is a rule of the template with its compiled pattern.
type rule struct {
	samtemplate.Rule
	pattern pattern
}

// New returns a bus. A rule that it could not follow is an error, which begins with the path and the line.
func New(c Config) (*Bus, error) {
	if c.Network == nil {
		c.Network = httpserver.Machine
	}
	b := &Bus{config: c, client: newClient(c.Network), invoke: func(string, string, []byte) {}}
	b.posts.slots = make(chan struct{}, maxPosts)
	b.posts.running, b.posts.cut = context.WithCancel(context.Background())
	b.posts.closing, b.posts.close = context.WithCancel(b.posts.running)
	for _, r := range c.Rules {
		p, err := compile(r.Pattern)
		if err != nil {
			return nil, err
		}
		b.rules = append(b.rules, rule{r, p})
	}
	return b, nil
}

// Invoke sets how functions are invoked. The function invoke must not wait for them.
func (b *Bus) Invoke(invoke func(function, eventID string, payload []byte)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.invoke = invoke
}

// Replace calls f for every event that is put on the bus, and delivers what f returns instead, in that order. So a test
// can hold back an event, repeat it, or release others that it held back before. Concurrent calls of Put call f
// concurrently. Replace(nil) ends it.
func (b *Bus) Replace(f func(Event) []Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replace = f
}

// Put puts events on the bus. When it returns, their functions have been invoked asynchronously, and their webhooks are
// being called.
func (b *Bus) Put(events ...Event) {
	b.mu.Lock()
	// The lock is not held while they run: f may put events on the bus itself.
	replace, invoke := b.replace, b.invoke
	b.mu.Unlock()
	for _, put := range events {
		handedOn := []Event{put}
		if replace != nil {
			handedOn = replace(put)
		}
		for _, e := range handedOn {
			// The outbox first, so that a function finds the event there.
			b.config.Watch(e)
			b.deliver(e, invoke)
		}
	}
}

// deliver hands an event to the targets whose rules match it.
func (b *Bus) deliver(e Event, invoke func(function, eventID string, payload []byte)) {
	payload, err := json.Marshal(e)
	var decoded any
	if err == nil {
		err = json.Unmarshal(payload, &decoded)
	}
	if err != nil {
		panic(fmt.Sprintf("an event that is none: %v", err)) // its detail is no JSON, which NewEvent never makes
	}
	// The pattern is matched against the JSON, because that is what rules on AWS see.
	for _, r := range b.rules {
		switch {
		case !r.pattern.matches(decoded):
		case r.Webhook != nil:
			b.post(*r.Webhook, e, payload)
		default:
			invoke(r.Function, e.ID, payload)
		}
	}
}
