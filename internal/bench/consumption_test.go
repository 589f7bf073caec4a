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

// consumption is what requests took of the table and of SES.
type consumption struct {
	trips       float64 // round trips to the table: calls that are under way together are one
	read, write float64 // capacity units
	mails       float64
}

// of is a part of the consumption.
func (c consumption) of(n float64) consumption {
	return consumption{c.trips / n, c.read / n, c.write / n, c.mails / n}
}

func (c consumption) report(b *testing.B) {
	b.ReportMetric(c.trips, "trips/op")
	b.ReportMetric(c.read, "read-units/op")
	b.ReportMetric(c.write, "write-units/op")
	b.ReportMetric(c.mails, "mails/op")
}

// meter stands between a function and its services and measures what it consumes.
type meter struct {
	*httptest.Server
	mu       sync.Mutex
	total    consumption
	underWay int // calls of the table
}

// meterDelay is added to every call, so that calls that were made side by side are under way together.
const meterDelay = 10 * time.Millisecond

func newMeter(tb testing.TB, database string) *meter {
	tb.Helper()
	target, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	m := &meter{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		m.add(r.Request.Header.Get("X-Amz-Target"), body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return nil
	}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.begin()
		defer m.end()
		askForCapacity(r)
		time.Sleep(meterDelay)
		proxy.ServeHTTP(w, r)
	}))
	tb.Cleanup(m.Close)
	return m
}

// askForCapacity makes the answer to a call say what it consumed.
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

func (m *meter) read() consumption {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.underWay == 0 {
		m.total.trips++
	}
	m.underWay++
}

func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.underWay--
}

// add counts the capacity of one answer: that of one table, or of several.
func (m *meter) add(operation string, body []byte) {
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
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range several {
		if strings.Contains(operation, "Get") || strings.HasSuffix(operation, "Query") {
			m.total.read += c.CapacityUnits
		} else {
			m.total.write += c.CapacityUnits
		}
	}
}
