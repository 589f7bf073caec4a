package requestlog

import (
	"slices"
	"sync"

	"frontdesk/internal/develop/local/gateway"
)

// Limits of what is kept.
const (
	maxRequests  = 1000
	maxExchanges = 32 << 20 // bytes of all exchanges together
)

// entry is a request without its headers and bodies.
type entry struct {
	gateway.Request
	reason   string    // why it was refused
	warnings []string  // in its answer
	exchange *exchange // its headers and bodies; nil if they are not kept any more
}

// latest keeps the latest requests, and the exchanges of as many of them as are not too large. It is safe for
// concurrent use. The zero latest is empty.
type latest struct {
	mu   sync.Mutex
	list []entry // oldest first
	size int     // of the exchanges, in bytes
}

// add keeps a request. It drops the oldest ones that are too many, and the oldest exchanges while they are too large.
func (k *latest) add(r entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, r)
	k.size += r.exchange.size()
	for len(k.list) > maxRequests {
		k.size -= k.list[0].exchange.size()
		k.list = slices.Delete(k.list, 0, 1)
	}
	for i := 0; k.size > maxExchanges; i++ {
		k.size -= k.list[i].exchange.size()
		k.list[i].exchange = nil
	}
}

// newest returns the requests, newest first.
func (k *latest) newest() []entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := slices.Clone(k.list)
	slices.Reverse(all)
	return all
}
