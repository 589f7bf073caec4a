package base64

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"testing"
)

// TestEncodesAsTheStandardLibrary what is of any length, begins at any place of a word and ends where nothing else may
// be written.
func TestEncodesAsTheStandardLibrary(t *testing.T) {
	t.Parallel()
	source := make([]byte, 10_008)
	rand.NewChaCha8([32]byte{}).Read(source)
	for n := range 10_001 {
		mustEncodeAlike(t, source[n%8:n%8+n])
	}
}

// TestEncodesEveryByte at every place of a vector.
func TestEncodesEveryByte(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 64 {
			source := bytes.Repeat([]byte{byte(c)}, 128)
			source[at] = ^byte(c)
			mustEncodeAlike(t, source)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add([]byte("a"), uint(0))
	f.Add(bytes.Repeat([]byte{0xfb, 0xef, 0xbe}, 100), uint(100))
	f.Fuzz(func(t *testing.T, source []byte, split uint) {
		at := int(split % uint(len(source)+1))
		mustEncodeAlike(t, source[:at])
		mustEncodeAlike(t, source[at:])
	})
}

func mustEncodeAlike(t *testing.T, source []byte) {
	t.Helper()
	const guard = "guard"
	want := base64.StdEncoding.EncodeToString(source) + guard
	got := append(make([]byte, EncodedLen(len(source))), guard...)
	if Encode(got, source); string(got) != want {
		t.Fatalf("%d bytes: %.200q, want %.200q", len(source), got, want)
	}
}
