package requestlog

import (
	"bytes"
	"encoding/json"
	"sync"
)

// requestLines keeps the log lines of the latest requests. A line belongs to the request that it names as its
// "request_id", or else to the request that its process was serving. It is safe for concurrent use. The zero
// requestLines is empty.
type requestLines struct {
	changed func() // may be nil

	mu    sync.Mutex
	lines map[string][]string // by request
	order []string            // of the requests, by their first lines
	bytes int
}

// Limits of a requestLines.
const (
	linesRequests = maxRequests
	linesBytes    = 16 << 20
	linesLine     = 16 << 10 // a longer line is cut
	linesEach     = 500      // lines of one request
)

// add keeps whole lines of a process. Serving is the request that the process was serving, or "".
func (l *requestLines) add(lines []byte, serving string) {
	kept := false
	for line := range bytes.Lines(lines) {
		line = bytes.TrimRight(line, "\r\n")
		requestID := namedRequest(line)
		if requestID == "" {
			requestID = serving
		}
		if requestID != "" && len(line) > 0 {
			l.keep(requestID, string(line[:min(len(line), linesLine)]))
			kept = true
		}
	}
	if kept && l.changed != nil {
		l.changed()
	}
}

// namedRequest returns the request that a line in JSON names, or "".
func namedRequest(line []byte) string {
	// Decoding takes time, and most lines name no request.
	if !bytes.Contains(line, []byte(`"request_id"`)) {
		return ""
	}
	var named struct {
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(line, &named) != nil {
		return ""
	}
	return named.RequestID
}

// keep keeps one line, unless its request has linesEach already. Then it drops the oldest requests beyond the limits.
func (l *requestLines) keep(requestID, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines == nil {
		l.lines = make(map[string][]string)
	}
	before, ok := l.lines[requestID]
	if !ok {
		l.order = append(l.order, requestID)
	}
	if len(before) == linesEach {
		return
	}
	l.lines[requestID] = append(before, line)
	l.bytes += len(line)
	for len(l.order) > 1 && (len(l.order) > linesRequests || l.bytes > linesBytes) {
		for _, line := range l.lines[l.order[0]] {
			l.bytes -= len(line)
		}
		delete(l.lines, l.order[0])
		l.order = l.order[1:]
	}
}

// linesOf returns the lines of a request in their order. It never returns nil.
func (l *requestLines) linesOf(requestID string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.lines[requestID]...)
}
