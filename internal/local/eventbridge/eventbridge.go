// Package eventbridge stands for the default bus of EventBridge: it hands each event to the functions whose rules in
// the template match it. Unlike the service it loses nothing while the stack runs, hands on at once, knows of patterns
// only exact values, exists, prefix and suffix, and of targets only functions: their invocations are asynchronous, so
// that every event is taken, and a rule's own retries and dead-letter queue have nothing to do.
package eventbridge

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"frontdesk/internal/local/identifier"
	"frontdesk/internal/local/template"
)

// Event is an event on the bus, as a function gets it in JSON.
// https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
type Event struct {
	Version    string          `json:"version"`
	ID         string          `json:"id"` // a UUID
	DetailType string          `json:"detail-type"`
	Source     string          `json:"source"`
	Account    string          `json:"account"`
	Time       time.Time       `json:"time"` // in seconds
	Region     string          `json:"region"`
	Resources  []string        `json:"resources"` // ARNs
	Detail     json.RawMessage `json:"detail"`    // an object
}

// NewEvent is an event of a service that happens now.
func NewEvent(v template.Values, source, detailType string, resources []string, detail any) (Event, error) {
	e := Event{
		Version: "0", ID: identifier.UUID(), DetailType: detailType, Source: source, Account: v.AccountID,
		Time: time.Now().UTC().Truncate(time.Second), Region: v.Region, Resources: resources,
	}
	var err error
	e.Detail, err = json.Marshal(detail)
	if err != nil {
		return e, fmt.Errorf("encode the detail of an event: %w", err)
	}
	return e, nil
}

// Bus is the default bus. Its methods may be called at any time, from any goroutine.
type Bus struct {
	rules []rule

	watch func(Event)

	mu      sync.Mutex
	invoke  func(function, eventID string, payload []byte)
	replace func(Event) []Event
}

type rule struct {
	function string
	matches  matcher
}

// New is a bus with rules. One that it could not follow is an error that begins with the path and the line. Every event
// that is handed on is told watch, before functions get it.
func New(rules []template.Rule, watch func(Event)) (*Bus, error) {
	b := &Bus{watch: watch, invoke: func(string, string, []byte) {}}
	for _, r := range rules {
		m, err := compile(r.Pattern)
		if err != nil {
			return nil, err
		}
		b.rules = append(b.rules, rule{r.Function, m})
	}
	return b, nil
}

// Invoke has functions invoked by invoke, which is not to wait for them.
func (b *Bus) Invoke(invoke func(function, eventID string, payload []byte)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.invoke = invoke
}

// Replace asks f about every event that is put on the bus, and hands on what it gives in its place, in that order:
// nothing, for an event that is held back, or the same one several times, or others that were held back before. The
// events of concurrent calls come to f concurrently. Replace(nil) ends it.
func (b *Bus) Replace(f func(Event) []Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replace = f
}

// Put puts events on the bus. Their functions have been invoked, asynchronously, when it returns.
func (b *Bus) Put(events ...Event) {
	b.mu.Lock()
	replace, invoke := b.replace, b.invoke
	b.mu.Unlock()
	for _, put := range events {
		handedOn := []Event{put}
		if replace != nil {
			handedOn = replace(put)
		}
		for _, e := range handedOn {
			b.watch(e)
			b.handOn(e, invoke)
		}
	}
}

// handOn invokes the functions of the rules that match an event.
func (b *Bus) handOn(e Event, invoke func(function, eventID string, payload []byte)) {
	payload, err := json.Marshal(e)
	var decoded any
	if err == nil {
		err = json.Unmarshal(payload, &decoded)
	}
	if err != nil {
		panic(fmt.Sprintf("an event that is none: %v", err)) // its detail is no JSON, which NewEvent does not make
	}
	for _, r := range b.rules {
		if r.matches([]any{decoded}) {
			invoke(r.function, e.ID, payload)
		}
	}
}
