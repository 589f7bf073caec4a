package console

import (
	"io"
	"net/http"
	"slices"
	"sync"
)

// Topic is a part of the stack that pages show, and that can change.
type Topic string

const (
	// A page gets these words as data, and has a reader for each (assets/main.js).
	TopicOutbox   Topic = "outbox"
	TopicRequests Topic = "requests"
	TopicBuilds   Topic = "builds"
	topicShown    Topic = "stack"
)

// changes tells pages what has changed, but not how: they read it again. Several changes of a topic may be reported
// as one.
//
// As an http.Handler it serves server-sent events, each with a topic as its data, until it is closed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
type changes struct {
	mu     sync.Mutex
	counts map[Topic]int // how often each topic has changed
	next   chan struct{} // closed at the next change
	closed bool
}

// newChanges returns changes that count from zero.
func newChanges() *changes {
	return &changes{counts: map[Topic]int{}, next: make(chan struct{})}
}

// publish counts a change, and wakes all that wait.
func (c *changes) publish(t Topic) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[t]++
	c.wake()
}

// close ends the streams of all pages.
func (c *changes) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.wake()
}

// wake closes the channel that everybody waits on, and makes a new one for the next change. The caller holds the lock.
func (c *changes) wake() {
	close(c.next)
	c.next = make(chan struct{})
}

// since returns the topics that have changed since seen, and updates seen.
func (c *changes) since(seen map[Topic]int) (topics []Topic, next <-chan struct{}, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Counts, not flags: each page compares them with its own, so pages do not disturb each other.
	for t, count := range c.counts {
		if seen[t] != count {
			seen[t] = count
			topics = append(topics, t)
		}
	}
	slices.Sort(topics)
	return topics, c.next, c.closed
}

// ServeHTTP streams the topics that change after the request began. It flushes before each wait, so that nothing stays
// in a buffer.
func (c *changes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "retry: 1000\n\n") // milliseconds until a browser that lost the connection tries again
	seen := map[Topic]int{}
	_, next, closed := c.since(seen) // earlier changes are no news
	for !closed {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		// A client that leaves wakes this goroutine too. Otherwise it would wait for the next change.
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
		var topics []Topic
		topics, next, closed = c.since(seen)
		for _, t := range topics {
			io.WriteString(w, "data: "+string(t)+"\n\n")
		}
	}
}
