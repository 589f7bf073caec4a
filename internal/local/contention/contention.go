// Package contention makes the local database as slow and as contended as DynamoDB. Every call of a function flows from
// the gate through it to the database: it takes some milliseconds, conflicts with the transactions under way, and has
// the throughput of a partition. What it assumes where AWS says nothing is in the README beside internal/local.
package contention

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/local/awserror"
	"frontdesk/internal/local/dynamodb"
)

// Config says how slow and how contended. What is zero is not modelled.
type Config struct {
	Seed    uint64  // of what is drawn: one call after the other, calls meet the same again
	Latency Span    // of a call
	Tail    float64 // share of the calls that take up to ten times the longest latency
	Hold    Span    // how long a transaction has its items, beside the latency

	// Units a second of each value of a partition key, and at once after a second without use.
	WriteUnits, ReadUnits float64

	Unprocessed float64     // share of the BatchGetItems of which one key comes back unprocessed for no reason
	Active      func() bool // asked at each call whether all of this counts now; nil: always
}

// Span is a duration that is drawn, a short one more likely than a long one.
type Span struct{ Shortest, Longest time.Duration }

// AWS is a table on demand, with each value of a partition key in a partition of its own, where adaptive capacity has
// put it, and no burst beyond one second: burst capacity does not lift the limits of a partition.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
func AWS() *Config {
	return &Config{
		Latency: Span{2 * time.Millisecond, 15 * time.Millisecond}, Tail: 0.005,
		Hold:       Span{4 * time.Millisecond, 20 * time.Millisecond},
		WriteUnits: 1000, ReadUnits: 3000, Unprocessed: 0.005,
	}
}

// Database is the database with contention.
type Database struct {
	config *Config // nil: none, but of slow transactions
	access dynamodb.Access
	next   http.Handler

	mu      sync.Mutex
	rand    *rand.Rand
	held    map[string]bool   // the items of the transactions under way, by Item.Key
	running map[string]string // the transactions under way, by ClientRequestToken
	read    capacity
	write   capacity
}

// New puts contention before next; c is nil for none. The access knows the tables' keys.
func New(c *Config, access dynamodb.Access, next http.Handler) *Database {
	d := &Database{config: c, access: access, next: next, held: map[string]bool{}, running: map[string]string{}}
	if c != nil {
		d.rand = rand.New(rand.NewPCG(c.Seed, 0))
		d.read, d.write = newCapacity(c.ReadUnits), newCapacity(c.WriteUnits)
	}
	return d
}

type slowKey struct{}

// Slow makes the transaction that is requested in the context take d longer at the database's end: its items are held
// until then, and it goes on when its caller does not wait.
func Slow(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, slowKey{}, d)
}

// call is one that is being served.
type call struct {
	operation string
	body      []byte
	items     []dynamodb.Item
	active    bool
	slow      time.Duration
}

// ServeHTTP answers one call.
func (d *Database) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := call{active: d.config != nil && (d.config.Active == nil || d.config.Active())}
	c.slow, _ = r.Context().Value(slowKey{}).(time.Duration)
	if !c.active && c.slow == 0 && d.idle() {
		d.next.ServeHTTP(w, r)
		return
	}
	_, c.operation, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c.body, _ = io.ReadAll(r.Body)                   // the gate has read it before
	c.items, _ = d.access.Items(c.operation, c.body) // of what is no request the database says why
	if c.active && sleep(r.Context(), d.latency()) != nil {
		return // the caller is gone
	}
	var a *answer
	switch c.operation {
	case "TransactWriteItems":
		a = d.transact(r, c)
	case "BatchGetItem", "BatchWriteItem":
		a = d.batch(r, c)
	default:
		a = d.single(r, c)
	}
	if a != nil {
		a.copyTo(w)
	}
}

// idle is whether no transaction is under way.
func (d *Database) idle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.held) == 0 && len(d.running) == 0
}

// single serves what is no transaction and no batch, or TransactGetItems.
func (d *Database) single(r *http.Request, c call) *answer {
	d.mu.Lock()
	refusal := d.conflict(c)
	if refusal == nil && c.active {
		refusal = d.admit(c)
	}
	d.mu.Unlock()
	if refusal != nil {
		return refused(refusal)
	}
	return d.forward(r, c)
}

// forward lets the database answer, and charges what that has consumed.
func (d *Database) forward(r *http.Request, c call) *answer {
	if c.active && len(c.items) > 0 && !bytes.Contains(c.body, []byte(`"ReturnConsumedCapacity"`)) {
		c.body = bytes.Replace(c.body, []byte("{"), []byte(`{"ReturnConsumedCapacity":"TOTAL",`), 1)
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	a := &answer{header: http.Header{}, status: http.StatusOK}
	d.next.ServeHTTP(a, r)
	if c.active {
		d.charge(c, a)
	}
	return a
}

// latency draws that of a call.
func (d *Database) latency() time.Duration {
	drawn := d.draw(d.config.Latency)
	if d.random() < d.config.Tail {
		drawn = d.draw(Span{drawn, 10 * d.config.Latency.Longest})
	}
	return drawn
}

func (d *Database) draw(s Span) time.Duration {
	drawn := d.random()
	return s.Shortest + time.Duration(drawn*drawn*float64(s.Longest-s.Shortest))
}

func (d *Database) random() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.Float64()
}

// sleep waits, until the context ends at the longest.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer is one of the database, before it is sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *answer) copyTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	w.Write(a.body.Bytes())
}

func refused(e *awserror.Error) *answer {
	a := &answer{header: http.Header{}}
	e.Write(a, awserror.JSON)
	return a
}
