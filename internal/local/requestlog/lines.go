package requestlog

import (
	"bytes"
	"io"
	"sync"
)

// Log is a log that several programs write to: what reaches it is whole lines, one after the other. A Write must be
// whole lines, as slog's are; a program's output goes through a Stream.
type Log struct {
	mu       sync.Mutex
	w        io.Writer
	requests requestLines
}

// NewLog writes to w. It calls changed when a request has more lines.
func NewLog(w io.Writer, changed func()) *Log {
	return &Log{w: w, requests: requestLines{changed: changed}}
}

// maxLine is where a line without an end is cut, in bytes: the most that CloudWatch Logs takes as one event.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
const maxLine = 1 << 20

func (l *Log) Write(lines []byte) (int, error) { return l.write(lines, "") }

func (l *Log) write(lines []byte, requestID string) (int, error) {
	l.requests.add(lines, requestID)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(lines)
}

// Stream returns a writer for the output of one program, which was serving the request that serving gives. Close ends
// its last line.
func (l *Log) Stream(serving func() (requestID string)) io.WriteCloser {
	return &lineStream{log: l, serving: serving}
}

type lineStream struct {
	log     *Log
	serving func() string
	rest    []byte // the begin of a line
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

func (s *lineStream) Close() error {
	if len(s.rest) > 0 {
		s.rest = append(s.rest, '\n')
		s.flush()
	}
	return nil
}

func (s *lineStream) flush() {
	s.log.write(s.rest, s.serving())
	s.rest = s.rest[:0]
}
