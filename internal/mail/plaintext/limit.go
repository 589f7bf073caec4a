package plaintext

import (
	"errors"
	"io"
	"runtime/metrics"
	"strings"
	"time"
)

// metered is HTML on its way to the parser. The parser opens elements anew that were closed crosswise, and
// compares the attributes of repeated ones: a small page can make it build gigabytes, or take minutes. So it
// is given little at a time, and nothing more once it has had its share of memory or time.
type metered struct {
	source  *strings.Reader
	started time.Time
	heap    uint64 // bytes allocated when it started
}

const (
	meteredRead   = 256       // bytes between two looks at the meter
	meteredMemory = 128 << 20 // bytes; an honest page of 1 MB takes a tenth
	meteredTime   = time.Second
)

var errMetered = errors.New("it takes too much memory or time to parse")

func newMetered(source string) *metered {
	return &metered{source: strings.NewReader(source), started: time.Now(), heap: allocated()}
}

func (m *metered) Read(p []byte) (int, error) {
	if time.Since(m.started) > meteredTime || allocated()-m.heap > meteredMemory {
		return 0, errMetered
	}
	return m.source.Read(p[:min(len(p), meteredRead)])
}

var _ io.Reader = (*metered)(nil)

// allocated is how much memory the process has asked for so far, in bytes, freed or not.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
