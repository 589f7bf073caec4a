package compose

import (
	"bytes"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"frontdesk/internal/prove/expect"
)

// inLines returns what a file must look like in a message, by the standard library alone.
func inLines(file []byte) string {
	var out strings.Builder
	for encoded := base64.StdEncoding.EncodeToString(file); encoded != ""; {
		n := min(76, len(encoded))
		out.WriteString(encoded[:n] + "\r\n")
		encoded = encoded[n:]
	}
	return out.String()
}

// randomBytes returns the same n bytes in every run: the seed is fixed.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// TestFilesAreEncodedAsTheStandardLibraryDoes encodes files of every length up to 10,000 bytes. The guard shows that
// nothing is written after the end.
func TestFilesAreEncodedAsTheStandardLibraryDoes(t *testing.T) {
	t.Parallel()
	source := randomBytes(10_000)
	for n := range len(source) + 1 {
		file, guard := source[len(source)-n:], "guard"
		got := append(make([]byte, base64Size(n)), guard...)
		encodeLines(got[:base64Size(n)], file)
		if want := inLines(file) + guard; string(got) != want {
			t.Fatalf("of %d bytes: %.200q, want %.200q", n, got, want)
		}
	}
}

// TestContentIsReadAnywhere reads every range of bytes. The sizes of the files are at the borders of groups of 3
// bytes and of lines, which hold 57 bytes.
func TestContentIsReadAnywhere(t *testing.T) {
	t.Parallel()
	text := []byte("text\r\n")
	for _, size := range []int{0, 1, 2, 3, 56, 57, 58, 113, 114, 115} {
		file := randomBytes(size)
		c, want := &Content{}, string(text)+inLines(file)+inLines(file[size/2:])+string(text)
		c.add(text, file)
		c.add(nil, file[size/2:])
		c.add(text, nil)
		if err := iotest.TestReader(io.NewSectionReader(c, 0, c.Size()), []byte(want)); err != nil {
			t.Errorf("a file of %d bytes: %v", size, err)
		}
		if got := string(c.Bytes()); got != want {
			t.Errorf("a file of %d bytes: %q, want %q", size, got, want)
		}
		for begin := range len(want) {
			for end := begin; end <= len(want); end++ {
				got := make([]byte, end-begin)
				n, err := c.ReadAt(got, int64(begin))
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, n, len(got))
				expect.Equal(t, string(got), want[begin:end])
			}
		}
	}
}

// FuzzContent reads a content in two parts, split at any byte.
func FuzzContent(f *testing.F) {
	f.Add([]byte("text"), []byte("file"), uint(3))
	f.Add([]byte{}, bytes.Repeat([]byte{0xff}, 300), uint(78))
	f.Add([]byte("x"), randomBytes(10_000), uint(5000))
	f.Fuzz(func(t *testing.T, text, file []byte, split uint) {
		c, want := &Content{}, string(text)+inLines(file)+string(text)
		c.add(text, file)
		c.add(text, nil)
		if c.Size() != int64(len(want)) {
			t.Fatalf("%d bytes, want %d", c.Size(), len(want))
		}
		at := int(split % uint(len(want)+1))
		first, second := make([]byte, at), make([]byte, len(want)-at+1)
		if n, err := c.ReadAt(first, 0); string(first[:n]) != want[:at] || err != nil {
			t.Errorf("the first %d bytes are %q, %v, want %q", at, first[:n], err, want[:at])
		}
		if n, err := c.ReadAt(second, int64(at)); string(second[:n]) != want[at:] || err != io.EOF {
			t.Errorf("from byte %d on %q, %v, want %q", at, second[:n], err, want[at:])
		}
	})
}
