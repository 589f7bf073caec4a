package localtest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/local"
)

// Logs are the lines that the functions of a stack made by Start, and the stack itself, have logged
// so far. What a function has just written may not be there yet: see WaitLog.
func Logs(stack *local.Stack) []string {
	log, ok := logbooks.Load(stack)
	if !ok {
		return nil
	}
	return log.(*logbook).lines()
}

// WaitLog waits until a line is logged that contains text, and returns the first such line. It fails
// the test if there is none within five seconds.
func WaitLog(t testing.TB, stack *local.Stack, text string) string {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		for _, line := range Logs(stack) {
			if strings.Contains(line, text) {
				return line
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("no line of the log contains %q", text)
		}
	}
}

// logbooks has the logbook of every open *local.Stack.
var logbooks sync.Map

// logbook is a writer that keeps what is written, which is whole lines.
type logbook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// maxShown is how many lines of the log a test that fails shows.
const maxShown = 30

// end is the last n lines.
func (l *logbook) end(n int) string {
	lines := l.lines()
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func (l *logbook) lines() []string {
	text := strings.TrimSuffix(l.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
