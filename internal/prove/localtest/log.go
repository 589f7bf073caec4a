package localtest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
)

// Logs returns the lines that the functions of a stack, and the stack itself, have logged so far. What a function has
// just written may not be there yet; see [WaitLog].
func Logs(stack *local.Stack) []string {
	r, ok := recorders.Load(stack)
	if !ok {
		return nil
	}
	return r.(*recorder).recorded()
}

// WaitLog waits until a line that contains text is logged, and returns the first such line. The test fails if there is
// none within a minute.
func WaitLog(t testing.TB, stack *local.Stack, text string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
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

// recorders holds the recorder of every open *local.Stack.
var recorders sync.Map

// recorder is a writer that keeps whole lines.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range strings.Lines(string(p)) {
		r.lines = append(r.lines, strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}

func (r *recorder) recorded() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}
