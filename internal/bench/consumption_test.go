package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// consumption is what requests took from the table and from SES.
type consumption struct {
	calls       float64
	trips       float64 // round trips to the table: calls at the same time count as one
	read, write float64 // capacity units
	mails       float64
}

// per returns the consumption of one of n requests.
func (c consumption) per(n float64) consumption {
	return consumption{c.calls / n, c.trips / n, c.read / n, c.write / n, c.mails / n}
}

// report reports the consumption as units of the benchmark.
func (c consumption) report(b *testing.B) {
	b.ReportMetric(c.trips, "trips/op")
	b.ReportMetric(c.read, "read-units/op")
	b.ReportMetric(c.write, "write-units/op")
	b.ReportMetric(c.mails, "mails/op")
}

// meteringProxy stands between a function and its table, and measures what the function consumes.
type meteringProxy struct {
	*httptest.Server
	mu       sync.Mutex
	total    consumption
	underWay int // calls of the table
}

// proxyDelay is added to every call, so that calls which a function makes at the same time overlap.
const proxyDelay = 10 * time.Millisecond

// newMeteringProxy puts a proxy in front of a database. Its URL takes the place of the database's endpoint.
func newMeteringProxy(tb testing.TB, database string) *meteringProxy {
	tb.Helper()
	target, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	p := &meteringProxy{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		p.add(r.Request.Header.Get("X-Amz-Target"), body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return nil
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.begin()
		defer p.end()
		askForCapacity(r)
		time.Sleep(proxyDelay)
		proxy.ServeHTTP(w, r)
	}))
	tb.Cleanup(p.Close)
	return p
}

// askForCapacity changes a call so that its answer says how many capacity units it consumed.
func askForCapacity(r *http.Request) {
	var call map[string]any
	body, err := io.ReadAll(r.Body)
	if err == nil && json.Unmarshal(body, &call) == nil {
		call["ReturnConsumedCapacity"] = "TOTAL"
		body, _ = json.Marshal(call)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

func (p *meteringProxy) read() consumption {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total
}

// begin counts a call. A call that begins while another is under way shares its round trip.
func (p *meteringProxy) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total.calls++
	if p.underWay == 0 {
		p.total.trips++
	}
	p.underWay++
}

func (p *meteringProxy) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
}

// add counts the capacity of one answer, which names one table or several.
func (p *meteringProxy) add(operation string, body []byte) {
	type capacity struct{ CapacityUnits float64 }
	var answer struct{ ConsumedCapacity json.RawMessage }
	var one capacity
	var several []capacity
	_ = json.Unmarshal(body, &answer)
	if json.Unmarshal(answer.ConsumedCapacity, &one) == nil {
		several = append(several, one)
	} else {
		_ = json.Unmarshal(answer.ConsumedCapacity, &several)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range several {
		if strings.Contains(operation, "Get") || strings.HasSuffix(operation, "Query") {
			p.total.read += c.CapacityUnits
		} else {
			p.total.write += c.CapacityUnits
		}
	}
}
