package htmlparse

import (
	"errors"
	"runtime"
	"strings"
	"time"
)

// limitedReader gives HTML to the parser. The parser opens elements again that were closed in the wrong order, and
// compares the attributes of repeated ones: a small page can make it build gigabytes, or take minutes. So it gets
// little at a time, and an error once it has used too much memory or time.
type limitedReader struct {
	source    *strings.Reader
	started   time.Time
	looked    time.Time // at the memory
	allocated uint64    // bytes, at the first look
}

const (
	readAtOnce  = 256       // bytes
	parseMemory = 128 << 20 // bytes; an honest page of 1 MB takes a tenth
	parseWithin = time.Second
	// lookEvery is how often the memory is looked at, which takes longer than to parse what is read at once. A small
	// page is parsed by then; the parser allocates some 10 MB meanwhile at the most.
	lookEvery = 10 * time.Millisecond
)

var errLimit = errors.New("it takes too much memory or time to parse")

func newLimitedReader(source string) *limitedReader {
	now := time.Now()
	return &limitedReader{source: strings.NewReader(source), started: now, looked: now}
}

// Read implements [io.Reader].
func (r *limitedReader) Read(p []byte) (int, error) {
	now := time.Now()
	if now.Sub(r.started) > parseWithin {
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

// allocated is how much memory the process has asked for so far, in bytes, freed or not. The package runtime/metrics
// tells it sooner, but sets up all that it knows whenever a function starts.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
