// Package answercache keeps answers that anybody may read in the memory of a process. So the process reads the table
// for each of them at most once a minute, and other caches may keep the answers as long.
package answercache

import (
	"container/list"
	"fmt"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/base/api"
)

const (
	// Lifetime is how long an answer may be given after its content was read, by this process
	// and by other caches together: the header Age subtracts from their time what has passed
	// here. https://www.rfc-editor.org/rfc/rfc9111.html#section-5.1
	Lifetime = time.Minute
	// staleFor is how much longer a cache may give an answer while it asks for a new one.
	// https://www.rfc-editor.org/rfc/rfc5861.html#section-3
	staleFor = 5 * time.Minute
	// overhead is about what an entry takes beside its key and its answer, in bytes.
	overhead = 512
)

var control = fmt.Sprintf("public, max-age=%.0f, stale-while-revalidate=%.0f", Lifetime.Seconds(), staleFor.Seconds())

// Cache keeps answers by keys. It is safe for concurrent use.
type Cache struct {
	most    int // bytes
	mu      sync.Mutex
	size    int
	entries map[string]*list.Element
	recent  list.List // of *entry, the most recently used first
}

type entry struct {
	key    string
	answer *api.Encoded
	at     time.Time // when the oldest part of it was read, by the wall clock
}

func (e *entry) size() int { return len(e.key) + e.answer.Size() + overhead }

// New makes a cache of at most this many bytes.
func New(most int) *Cache { return &Cache{most: most, entries: map[string]*list.Element{}} }

// Fresh reports whether what was read at a time may still be given. Both are times of the wall clock, because the
// monotonic clock may stand still between two requests.
func Fresh(at, now time.Time) bool {
	age := now.Sub(at)
	// It is negative when the clock was set back.
	return age >= 0 && age < Lifetime
}

// Answer returns the answer that is kept for a key, or makes a new one. make also returns when the oldest part of the
// answer was read, by the wall clock. Errors are not kept. Two requests at the same time may both call make.
func (c *Cache) Answer(key string, make func() (value any, at time.Time, err error)) (api.Response, error) {
	e := c.get(key, time.Now().Round(0))
	if e == nil {
		value, at, err := make()
		if err != nil {
			return api.Response{}, err
		}
		answer, err := api.Encode(value)
		if err != nil {
			return api.Response{}, err
		}
		e = &entry{key, answer, at}
		c.put(e)
	}
	// Age is in whole seconds. It is rounded up, so that no cache keeps an answer too long.
	age := time.Now().Round(0).Sub(e.at)
	return api.Response{Body: e.answer, Header: map[string]string{
		"cache-control": control,
		"age":           strconv.Itoa(int((max(0, age) + time.Second - 1) / time.Second)),
	}}, nil
}

// get returns a fresh entry, or nil when there is none.
func (c *Cache) get(key string, now time.Time) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return nil
	}
	e := element.Value.(*entry)
	if !Fresh(e.at, now) {
		c.remove(element)
		return nil
	}
	c.recent.MoveToFront(element)
	return e
}

// put keeps an entry. When there is no room, it drops the least recently used ones.
func (c *Cache) put(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[e.key]; ok { // another request has made it meanwhile
		c.remove(element)
	}
	c.entries[e.key] = c.recent.PushFront(e)
	c.size += e.size()
	for c.size > c.most {
		c.remove(c.recent.Back())
	}
}

func (c *Cache) remove(element *list.Element) {
	e := c.recent.Remove(element).(*entry)
	delete(c.entries, e.key)
	c.size -= e.size()
}
