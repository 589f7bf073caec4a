// Package contention makes the local database as slow and as contended as DynamoDB. Every call of a function flows from
// the AWS proxy through it to the database: the call takes some milliseconds, conflicts with running transactions, and
// shares the throughput of its partition.
//
// A transaction holds its items, including those that it only checks. Another transaction, or TransactGetItems, that
// touches such an item is cancelled with TransactionConflict at that item. A write gets TransactionConflictException;
// in a batch it is returned as unprocessed. Other reads are not affected. A transaction that is repeated with its
// ClientRequestToken while it is running gets TransactionInProgressException, and with other content
// IdempotentParameterMismatchException. After its success a repetition has no effect, until the database ends.
//
// Beyond a partition's units the answer is ThrottlingException, or a cancelled transaction with ThrottlingError, and a
// batch is served as far as possible. Consumed units are charged after the answer, in equal parts to the items of a
// batch; transactions count twice.
//
// AWS does not say how long a transaction holds its items: that is a guess. Unlike in DynamoDB, a transaction that
// stands still is not completed by a repetition after five seconds, scans and calls of operators have no limit, and
// transactions do not conflict with single writes that are running. Slow transactions (awsproxy.Slow) are applied in
// the end, whether the caller waits or is cut off.
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

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/dynamodb"
)

// Config says how slow and how contended the database is. A zero value leaves that aspect out.
type Config struct {
	Seed    uint64  // of the random numbers: calls that come one after the other meet the same again
	Latency Span    // of a call
	Tail    float64 // share of calls that take up to ten times the longest latency
	Hold    Span    // how long a transaction holds its items, besides the latency

	// Units per second for each value of a partition key. A partition that rested for a second has them all at once.
	WriteUnits, ReadUnits float64

	// ReadCommitted is the share of transactions whose items reads see one after another, in either order. They see all
	// items of the others at once, or none. The items take about Hold to appear.
	ReadCommitted float64

	Unprocessed float64     // share of BatchGetItem calls that leave a key unprocessed for no reason
	Active      func() bool // asked at each call whether to simulate anything now; nil means always
}

// Span is the range of a random duration, in which shorter ones are more likely.
type Span struct{ Shortest, Longest time.Duration }

// AWS returns the behaviour of a table on demand in which each value of a partition key has a partition of its own,
// as adaptive capacity arranges it. There is no burst beyond one second: burst capacity does not raise the limits of
// a partition.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
func AWS() *Config {
	return &Config{
		Latency: Span{2 * time.Millisecond, 15 * time.Millisecond}, Tail: 0.005,
		Hold:       Span{4 * time.Millisecond, 20 * time.Millisecond},
		WriteUnits: 1000, ReadUnits: 3000, ReadCommitted: 0.1, Unprocessed: 0.005,
	}
}

// Database is the database with contention in front of it.
type Database struct {
	config *Config // nil simulates nothing but slow transactions
	access dynamodb.Access
	next   http.Handler

	reads reads // excluded while a transaction is applied and put back: see applySlowly

	mu      sync.Mutex
	rand    *rand.Rand
	held    map[string]bool   // items of running transactions, by Item.Key
	running map[string]string // bodies of running transactions, by ClientRequestToken
	read    capacity
	write   capacity
}

// New puts contention in front of next; a nil c simulates none. The access knows the tables' keys.
func New(c *Config, access dynamodb.Access, next http.Handler) *Database {
	d := &Database{
		config: c, access: access, next: next, reads: newReads(),
		held: map[string]bool{}, running: map[string]string{},
	}
	if c != nil {
		d.rand = rand.New(rand.NewPCG(c.Seed, 0))
		d.read, d.write = newCapacity(c.ReadUnits), newCapacity(c.WriteUnits)
	}
	return d
}

// slowKey is the key of the duration in a context of [Slow].
type slowKey struct{}

// Slow returns a context in which a transaction takes d longer within the database. The transaction holds its items all
// that time, and continues even if its caller leaves.
func Slow(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, slowKey{}, d)
}

// call is a call that is being served.
type call struct {
	operation string
	body      []byte
	items     []dynamodb.Item
	active    bool
	slow      time.Duration
}

// ServeHTTP answers one call. It stays out of the way while nothing is simulated and no transaction is running.
func (d *Database) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := call{active: d.config != nil && (d.config.Active == nil || d.config.Active())}
	c.slow, _ = r.Context().Value(slowKey{}).(time.Duration)
	d.serve(w, r, c)
}

// ServeOperator answers a call of an operator: it conflicts with running transactions, and is neither slow nor limited.
func (d *Database) ServeOperator(w http.ResponseWriter, r *http.Request) { d.serve(w, r, call{}) }

func (d *Database) serve(w http.ResponseWriter, r *http.Request, c call) {
	if !c.active && c.slow == 0 && d.Idle() {
		d.next.ServeHTTP(w, r)
		return
	}
	_, c.operation, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c.body, _ = io.ReadAll(r.Body)                   // the AWS proxy has read it before, so it cannot fail
	c.items, _ = d.access.Items(c.operation, c.body) // if the body is malformed, the database explains why
	if c.active && sleep(r.Context(), d.latency()) != nil {
		// The caller has left.
		return
	}
	var a *answer
	switch c.operation {
	case "TransactWriteItems":
		a = d.transact(r, c)
	case "BatchGetItem", "BatchWriteItem":
		a = d.reads.share(func() *answer { return d.batch(r, c) })
	default:
		a = d.reads.share(func() *answer { return d.single(r, c) })
	}
	if a != nil {
		a.copyTo(w)
	}
}

// Idle reports whether no transaction is running. One whose caller has left runs on.
func (d *Database) Idle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.held) == 0 && len(d.running) == 0
}

// single serves every operation but TransactWriteItems and batches.
func (d *Database) single(r *http.Request, c call) *answer {
	d.mu.Lock()
	// The conflict comes first, so a call that is refused for it costs no units here.
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

// forward passes the call to the database, and charges what the call consumed. To know that, it asks for the consumed
// capacity, unless the caller did.
func (d *Database) forward(r *http.Request, c call) *answer {
	if c.active && len(c.items) > 0 {
		c.body = dynamodb.AskForCapacity(c.body)
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

// latency returns a random latency for a call.
func (d *Database) latency() time.Duration {
	drawn := d.draw(d.config.Latency)
	// The slowest calls are drawn between this one's latency and ten times the longest.
	if d.random() < d.config.Tail {
		// The tail begins at the latency that was drawn, so it joins the others without a gap.
		drawn = d.draw(Span{drawn, 10 * d.config.Latency.Longest})
	}
	return drawn
}

// draw squares a random number, so that shorter durations are more likely.
func (d *Database) draw(s Span) time.Duration {
	drawn := d.random()
	return s.Shortest + time.Duration(drawn*drawn*float64(s.Longest-s.Shortest))
}

// random returns a number from 0 to 1. Calls share one source, so that a seed determines all of them.
func (d *Database) random() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.Float64()
}

// sleep waits, but not longer than the context lasts.
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

// answer is the database's answer before it is sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// copyTo sends the answer to the caller.
func (a *answer) copyTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	w.Write(a.body.Bytes())
}

// refused turns an error into an answer.
func refused(e *awsform.Error) *answer {
	a := &answer{header: http.Header{}}
	e.Write(a, awsform.JSON)
	return a
}
