package base64

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestEncodesEveryLength encodes up to 10,000 bytes from each alignment.
func TestEncodesEveryLength(t *testing.T) {
	t.Parallel()
	source := make([]byte, 10_008)
	rand.NewChaCha8([32]byte{}).Read(source)
	for n := range 10_001 {
		mustEncodeAlike(t, source[n%8:n%8+n])
	}
}

// TestEncodesEveryPair encodes every pair of characters at each of its four places in six bytes.
func TestEncodesEveryPair(t *testing.T) {
	t.Parallel()
	for pair := range uint64(1 << 12) {
		six := binary.BigEndian.AppendUint64(nil, pair<<36|pair<<24|pair<<12|pair)[2:]
		mustEncodeAlike(t, bytes.Repeat(six, 2))
	}
}

// FuzzEncode splits any bytes in two, so that the ends have every length.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("a"), uint(0))
	f.Add(bytes.Repeat([]byte{0xfb, 0xef, 0xbe}, 100), uint(100))
	f.Fuzz(func(t *testing.T, source []byte, split uint) {
		at := int(split % uint(len(source)+1))
		mustEncodeAlike(t, source[:at])
		mustEncodeAlike(t, source[at:])
	})
}

// mustEncodeAlike compares the result with that of encoding/base64. The guard shows that nothing is written after
// the end.
func mustEncodeAlike(t *testing.T, source []byte) {
	t.Helper()
	const guard = "guard"
	want := base64.StdEncoding.EncodeToString(source) + guard
	got := append(make([]byte, EncodedLen(len(source))), guard...)
	if Encode(got, source); string(got) != want {
		t.Fatalf("%d bytes: %.200q, want %.200q", len(source), got, want)
	}
}
