package bench

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/prove/fixture"
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
	units    fixture.Meter
	mu       sync.Mutex
	trips    int
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
	proxy.Transport = &p.units
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.begin()
		defer p.end()
		time.Sleep(proxyDelay)
		proxy.ServeHTTP(w, r)
	}))
	tb.Cleanup(p.Close)
	return p
}

// read returns what all calls have consumed. None may be under way.
func (p *meteringProxy) read() consumption {
	return consumption{
		calls: float64(p.units.Calls), trips: float64(p.trips),
		read: p.units.Units - p.units.Writes, write: p.units.Writes,
	}
}

// begin counts a call. A call that begins while another is under way shares its round trip.
func (p *meteringProxy) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.underWay == 0 {
		p.trips++
	}
	p.underWay++
}

func (p *meteringProxy) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay--
}
