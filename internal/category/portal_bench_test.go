package category_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"frontdesk/internal/local"
	"frontdesk/internal/local/localtest"
)

// BenchmarkPortal shows how each operation grows with the portal: its time, the calls that it makes of the
// table, and the capacity units that they consume. Only the list, which reads the whole portal, may grow; it
// is paged at 1,000.
func BenchmarkPortal(b *testing.B) {
	for _, size := range []int{10, 1_000, 10_000} {
		meter := newMeter(b)
		d := open(b, func(o *local.Options) { o.DynamoDB = meter.URL })
		parent := d.named(b, "parent", nil)
		fill(b, d, size-1, parent)

		serial := 0
		fresh := func() object {
			serial++
			return object{"name": "n", "slug": fmt.Sprintf("fresh-%d", serial), "associated_category_id": parent}
		}
		for _, op := range []struct {
			name string
			do   func(b *testing.B) reply
		}{
			{"list", func(b *testing.B) reply { return d.call(b, "GET", d.path+"?limit=1000", d.agent, nil) }},
			{"create", func(b *testing.B) reply {
				return d.call(b, "POST", d.path, d.agent, object{"category": fresh()})
			}},
			{"update of a parent", func(b *testing.B) reply { // its answer names those below it
				return d.update(b, parent, object{"position": b.N + serial})
			}},
			{"update", func(b *testing.B) reply {
				return d.update(b, d.leaf, object{"position": b.N + serial, "associated_category_id": parent})
			}},
			{"delete", func(b *testing.B) reply {
				b.StopTimer()
				meter.stop()
				x := d.create(b, fresh())
				meter.start()
				b.StartTimer()
				return d.delete(b, x)
			}},
		} {
			b.Run(fmt.Sprintf("categories=%d/op=%s", size, op.name), func(b *testing.B) {
				meter.reset()
				for b.Loop() {
					serial++
					if r := op.do(b); r.HTTP != http.StatusOK {
						b.Fatalf("%d %v", r.HTTP, r.Body)
					}
				}
				calls, units := meter.read()
				b.ReportMetric(calls/float64(b.N), "calls/op")
				b.ReportMetric(units/float64(b.N), "capacity-units/op")
			})
		}
	}
}

// fill creates categories, fifty of them at the most below parent, and keeps one that no other leads to.
func fill(b *testing.B, d *desk, n int, parent int64) {
	b.Helper()
	var wg sync.WaitGroup
	work := make(chan int)
	for range 4 {
		wg.Go(func() {
			for i := range work {
				fields := object{"name": fmt.Sprintf("Category %d", i), "slug": fmt.Sprintf("c-%d", i), "position": i, "description": "What a category of a help center says of itself."}
				if i%10 == 0 && i < 500 {
					fields["parent_category_id"] = parent
				}
				if r, err := d.try("POST", d.path, d.agent, object{"category": fields}); err != nil || r.HTTP != http.StatusOK {
					b.Errorf("%d %v %v", r.HTTP, r.Body, err)
				}
			}
		})
	}
	for i := range n - 1 {
		work <- i
	}
	close(work)
	wg.Wait()
	d.leaf = d.named(b, "leaf", nil)
}

// meter stands before a database and counts what is asked of it.
type meter struct {
	*httptest.Server
	mu      sync.Mutex
	stopped bool
	calls   float64
	units   float64
}

func newMeter(b *testing.B) *meter {
	b.Helper()
	database, err := url.Parse(localtest.Start(b).Environ()["AWS_ENDPOINT_URL_DYNAMODB"])
	if err != nil {
		b.Fatal(err)
	}
	m := &meter{}
	proxy := httputil.NewSingleHostReverseProxy(database)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		m.count(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return nil
	}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		body, err := io.ReadAll(r.Body)
		if err == nil && json.Unmarshal(body, &request) == nil {
			request["ReturnConsumedCapacity"] = "TOTAL"
			body, _ = json.Marshal(request)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		proxy.ServeHTTP(w, r)
	}))
	b.Cleanup(m.Close)
	return m
}

// count adds up the capacity of one answer: that of one table, or of several.
func (m *meter) count(body []byte) {
	type capacity struct{ CapacityUnits float64 }
	var answer struct{ ConsumedCapacity json.RawMessage }
	var one capacity
	var several []capacity
	_ = json.Unmarshal(body, &answer)
	if json.Unmarshal(answer.ConsumedCapacity, &one) != nil {
		_ = json.Unmarshal(answer.ConsumedCapacity, &several)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return
	}
	m.calls++
	m.units += one.CapacityUnits
	for _, c := range several {
		m.units += c.CapacityUnits
	}
}

func (m *meter) stop()  { m.set(true) }
func (m *meter) start() { m.set(false) }

func (m *meter) set(stopped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = stopped
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls, m.units = 0, 0
}

func (m *meter) read() (calls, units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls, m.units
}
