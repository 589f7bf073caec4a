package htmlparse

import (
	"errors"
	"runtime/metrics"
	"strings"
	"time"
)

// limitedReader gives HTML to the parser. The parser opens elements again that were closed in the wrong order, and
// compares the attributes of repeated ones: a small page can make it build gigabytes, or take minutes. So it gets
// little at a time, and an error once it has used too much memory or time.
type limitedReader struct {
	source    *strings.Reader
	started   time.Time
	allocated uint64 // bytes, when it started
}

const (
	readAtOnce  = 256       // bytes
	parseMemory = 128 << 20 // bytes; an honest page of 1 MB takes a tenth
	parseWithin = time.Second
)

var errLimit = errors.New("it takes too much memory or time to parse")

func newLimitedReader(source string) *limitedReader {
	return &limitedReader{source: strings.NewReader(source), started: time.Now(), allocated: allocated()}
}

// Read implements [io.Reader].
func (r *limitedReader) Read(p []byte) (int, error) {
	if time.Since(r.started) > parseWithin || allocated()-r.allocated > parseMemory {
		return 0, errLimit
	}
	return r.source.Read(p[:min(len(p), readAtOnce)])
}

// allocated is how much memory the process has asked for so far, in bytes, freed or not.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
