package awsproxy

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Call is one call of a function to a service.
type Call struct {
	RequestID string    // of the request that the process was serving; empty during its start
	Trace     string    // the request's X-Amzn-Trace-Id, which its client may choose
	Function  string    // logical id
	Service   string    // "dynamodb" or "ses"
	Action    string    // the operation, for instance GetItem or SendEmail
	Body      []byte    // as sent
	N         int       // 1 for the first call of a request
	At        time.Time // when it came
	Repeated  bool      // the SDK has sent it before, and got no answer or a refusal
}

// Names of the services.
const (
	serviceDynamoDB = "dynamodb"
	serviceSES      = "ses"
)

// Limits of a ledger. Ordinary requests make a few calls with a few kilobytes each.
const (
	ledgerRequests = 4096
	ledgerBytes    = 64 << 20
	ledgerBody     = 1 << 20 // a longer body is not kept
)

// ledger keeps the calls of the latest requests. It is safe for concurrent use. The zero ledger is empty.
type ledger struct {
	mu    sync.Mutex
	calls map[string][]Call // by request
	order []string          // ids of the requests, in the order of their first calls
	bytes int
}

// add numbers the call within its request, keeps it, and returns it with its number. When the ledger is full, it drops
// the oldest requests, with all of their calls.
func (l *ledger) add(c Call) Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = make(map[string][]Call)
	}
	if _, ok := l.calls[c.RequestID]; !ok {
		l.order = append(l.order, c.RequestID)
	}
	c.N = len(l.calls[c.RequestID]) + 1
	kept := c
	if len(kept.Body) > ledgerBody {
		kept.Body = nil
	}
	l.calls[c.RequestID] = append(l.calls[c.RequestID], kept)
	l.bytes += len(kept.Body)
	for len(l.order) > 1 && (len(l.order) > ledgerRequests || l.bytes > ledgerBytes) {
		for _, oldest := range l.calls[l.order[0]] {
			l.bytes -= len(oldest.Body)
		}
		delete(l.calls, l.order[0])
		l.order = l.order[1:]
	}
	return c
}

// callsOf returns the calls of one request, in order.
func (l *ledger) callsOf(requestID string) []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls[requestID])
}

// repeated reports whether the SDK has sent a call before.
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
func repeated(h http.Header) bool {
	attempt := h.Get("Amz-Sdk-Request") // such as ttl=20261127T043000Z; attempt=1; max=3
	return attempt != "" && !strings.Contains(attempt, "attempt=1;")
}
