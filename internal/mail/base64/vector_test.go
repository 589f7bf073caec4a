//go:build !purego && (amd64 || arm64)

package base64

import (
	"runtime"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestVectorsEncodeLongRuns, so that the standard library is not held against itself.
func TestVectorsEncodeLongRuns(t *testing.T) {
	t.Parallel()
	source := make([]byte, 1000)
	got := encodeVectors(make([]byte, EncodedLen(len(source))), source)
	if has := runtime.GOARCH == "arm64" || cpu.X86.HasAVX2; has != (got > len(source)-48) {
		t.Errorf("%d of %d bytes are encoded by vectors; the processor has them: %t", got, len(source), has)
	}
}
