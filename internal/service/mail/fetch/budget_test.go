package fetch

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime/metrics"
	"strconv"
	"sync"
	"testing"

	"frontdesk/internal/prove/expect"
)

// serveFile serves a file and announces the given length, or none if it is negative. It returns the URL.
func serveFile(t *testing.T, body []byte, length int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if length >= 0 {
			w.Header().Set("Content-Length", strconv.Itoa(length))
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// maxSize is the budget of the downloads of one mail in bytes.
const maxSize = 40 << 20

// TestMemoryOfADownload: a download of known length is allocated once and never copied.
func TestMemoryOfADownload(t *testing.T) {
	const size, around = 10 << 20, 2 << 20 // around is for the connection and for other tests
	body := make([]byte, size)
	rand.NewChaCha8([32]byte{}).Read(body)
	for name, c := range map[string]struct{ length, most int }{
		"of known length":   {size, size + around},
		"of unknown length": {-1, 5 * size / 2},
	} {
		t.Run(name, func(t *testing.T) {
			url := serveFile(t, body, c.length)
			before := allocated()
			f, err := newDownloader(guarded(nil)).Get(t.Context(), url, NewBudget(maxSize))
			n := allocated() - before
			if err != nil || string(f.Body) != string(body) {
				t.Fatalf("%d bytes, %v", len(f.Body), err)
			}
			if n > uint64(c.most) {
				t.Errorf("%d bytes were allocated for %d, want at most %d", n, size, c.most)
			}
		})
	}
}

// TestLyingLengthsGetNoMoreThanHonestOnes: a server announces half of the budget and sends a few bytes. Fifty such
// downloads together allocate no more than the budget.
func TestLyingLengthsGetNoMoreThanHonestOnes(t *testing.T) {
	url := serveFile(t, []byte("hardly anything"), maxSize/2)
	d, spent := newDownloader(guarded(nil)), NewBudget(maxSize)
	before := allocated()
	var downloads sync.WaitGroup
	for range 50 {
		downloads.Go(func() {
			_, err := d.Get(t.Context(), url, spent)
			expect.HasSuffix(t, fmt.Sprint(err),
				"the connection ended before the file did", "a file that is not there: error")
		})
	}
	downloads.Wait()
	if n := allocated() - before; n > maxSize+8<<20 {
		t.Errorf("%d bytes were allocated for a budget of %d", n, maxSize)
	}
}

// allocated returns the number of bytes that the process has allocated since its start, including those freed since.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
