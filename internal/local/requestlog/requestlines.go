package requestlog

import (
	"bytes"
	"encoding/json"
	"sync"

	"frontdesk/internal/local/recent"
)

// requestLines keeps the log lines of the last requests. A line belongs to the request that it names as its
// "request_id", and one that names none to the request that its process was serving. It is safe for concurrent use; the
// zero requestLines is empty.
type requestLines struct {
	changed func() // may be nil

	mu    sync.Mutex
	lines map[string][]string // by request
	order []string            // the requests, the one that logged first first
	bytes int
}

// What a requestLines keeps at most.
const (
	linesRequests = recent.Max
	linesBytes    = 16 << 20
	linesLine     = 16 << 10 // a longer line is cut
	linesEach     = 500      // lines of one request
)

// add keeps whole lines, of a process that was serving the request that is given.
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

// namedRequest is the request that a line in JSON names.
func namedRequest(line []byte) string {
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

// of are the lines of one request, in their order; never nil.
func (l *requestLines) of(requestID string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.lines[requestID]...)
}
