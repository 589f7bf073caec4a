package htmlparse

import (
	"errors"
	"runtime"
	"strings"
	"time"
)

// limitedReader feeds HTML to the parser. The parser reopens elements that were closed in the wrong order, and
// compares the attributes of repeated ones: so a small page can make it build gigabytes, or run for minutes. The
// parser cannot be stopped, but it stops at an error of its reader. So it gets little at a time, and an error when it
// has used too much.
type limitedReader struct {
	source    *strings.Reader
	until     time.Time
	looked    time.Time // at the memory, the last time
	allocated uint64    // bytes, at the first look
}

const (
	readAtOnce  = 256       // bytes
	parseMemory = 128 << 20 // bytes; an honest page of 1 MB takes a tenth
	// lookEvery is how often the memory is measured, which takes longer than to parse one read. A small page is
	// finished before the first look. In between the parser allocates at most some 10 MB.
	lookEvery = 10 * time.Millisecond
)

var errLimit = errors.New("it takes too much memory or time to parse")

func newLimitedReader(source string, until time.Time) *limitedReader {
	return &limitedReader{source: strings.NewReader(source), until: until, looked: time.Now()}
}

// Read implements [io.Reader].
func (r *limitedReader) Read(p []byte) (int, error) {
	now := time.Now()
	if now.After(r.until) {
		return 0, errLimit
	}
	if now.Sub(r.looked) > lookEvery {
		r.looked = now
		if total := allocated(); r.allocated == 0 {
			r.allocated = total
		} else if total-r.allocated > parseMemory {
			return 0, errLimit
		}
	}
	return r.source.Read(p[:min(len(p), readAtOnce)])
}

// allocated is how many bytes the process has allocated so far, freed or not. Concurrent work counts, too. Package
// runtime/metrics answers faster, but initializes all of its metrics at every cold start.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
