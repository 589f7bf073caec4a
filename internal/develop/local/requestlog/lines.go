package requestlog

import (
	"bytes"
	"io"
	"sync"
)

// Log is a log to which several programs write whole lines. Each Write must contain whole lines, like those of slog.
// The output of a program goes through a Stream.
type Log struct {
	mu       sync.Mutex
	w        io.Writer
	requests requestLines
}

// NewLog returns a log that writes to w. It calls changed when a request gets more lines.
func NewLog(w io.Writer, changed func()) *Log {
	return &Log{w: w, requests: requestLines{changed: changed}}
}

// maxLine is the length at which a line without an end is cut, in bytes. It is CloudWatch Logs's limit for an event.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
const maxLine = 1 << 20

// Write writes whole lines, which name their requests themselves.
func (l *Log) Write(lines []byte) (int, error) { return l.write(lines, "") }

// write writes whole lines of a process that was serving a request.
func (l *Log) write(lines []byte, requestID string) (int, error) {
	l.requests.add(lines, requestID)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(lines)
}

// Stream returns a writer for the output of one program. Serving returns the request that the program was serving.
// Close ends the last line.
func (l *Log) Stream(serving func() (requestID string)) io.WriteCloser {
	return &lineStream{log: l, serving: serving}
}

// lineStream collects the output of a program until a line is complete.
type lineStream struct {
	log     *Log
	serving func() string
	rest    []byte // the beginning of a line
}

// Write never fails: a log that cannot be written must not stop the program.
func (s *lineStream) Write(p []byte) (int, error) {
	n := len(p)
	if end := bytes.LastIndexByte(p, '\n') + 1; end > 0 {
		s.rest = append(s.rest, p[:end]...)
		s.flush()
		p = p[end:]
	}
	s.rest = append(s.rest, p...)
	if len(s.rest) >= maxLine {
		s.Close()
	}
	return n, nil
}

// Close writes the rest, which has no line end, as a line.
func (s *lineStream) Close() error {
	if len(s.rest) > 0 {
		s.rest = append(s.rest, '\n')
		s.flush()
	}
	return nil
}

// flush writes the lines at once, so that those of other programs do not come between their parts.
func (s *lineStream) flush() {
	s.log.write(s.rest, s.serving())
	s.rest = s.rest[:0]
}
