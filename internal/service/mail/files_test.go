package mail_test

import (
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/prove/localtest"
)

// logo is a PNG of one pixel.
var logo, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" +
	"AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

// fileServer serves the files behind the URLs of the tests' mails, and counts the requests.
type fileServer struct {
	*httptest.Server
	requests atomic.Int64
}

// count returns the number of requests so far.
func (f *fileServer) count() int { return int(f.requests.Load()) }

// repeated is the URL of n bytes or some more of a unit that is repeated, of a type.
func (f *fileServer) repeated(n int, contentType, unit string) string {
	return fmt.Sprintf("%s/repeated/%d?%s", f.URL, n, url.Values{"type": {contentType}, "unit": {unit}}.Encode())
}

// serveFiles starts a server of good files and of all kinds of bad ones: wrong lengths, encodings and statuses,
// redirects, and a gzip bomb.
func serveFiles(t testing.TB) *fileServer {
	f := &fileServer{}
	mux := http.NewServeMux()
	text := func(path, header, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			for line := range strings.SplitSeq(header, "\n") {
				if name, value, ok := strings.Cut(line, ": "); ok {
					w.Header().Set(name, value)
				}
			}
			fmt.Fprint(w, body)
		})
	}
	text("/hello.txt", "Content-Type: text/plain; charset=utf-8", "Hello from a file")
	text("/hello.html", "Content-Type: text/html; charset=utf-8", "<p>Hello from a <b>page</b>, dear reader</p>")
	text("/greeting.html", "Content-Type: text/html; charset=utf-8", "<p>Hello, {NAME}</p>")
	text("/latin1.txt", "Content-Type: text/plain; charset=iso-8859-1", "gr\xfc\xdf")
	text("/empty", "Content-Type: text/plain", "")
	text("/blank", "Content-Type: text/plain", " \n\t")
	// Both names of RFC 6266: the second one counts.
	text("/disposition", "Content-Type: application/pdf\n"+
		`Content-Disposition: attachment; filename="report.pdf"; filename*=UTF-8''B%C3%A9richt%202026.pdf`,
		"%PDF-1.7 not really")
	// What the query asks for. An empty type is none, and net/http guesses none in its place.
	mux.HandleFunc("/answer", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType := r.URL.Query().Get("type"); contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		fmt.Fprint(w, r.URL.Query().Get("body"))
	})
	text("/logo.png", "Content-Type: image/png", string(logo))
	text("/invite.ics", "Content-Type: text/calendar; method=REQUEST; charset=utf-8; name=x", calendar("REQUEST"))
	text("/unnamed/", "Content-Type: text/csv", "a,b\n")
	var secondTime atomic.Bool // the first request fails, later ones succeed
	mux.HandleFunc("/second-time.txt", func(w http.ResponseWriter, _ *http.Request) {
		if !secondTime.Swap(true) {
			http.Error(w, "not yet", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, "Hello from a file")
	})
	text("/brotli", "Content-Encoding: br", "no brotli at all")
	// The Encoding Standard has retired this charset: browsers do not decode it either.
	text("/retired", "Content-Type: text/plain; charset=iso-2022-kr", "Hello")
	// It sends gzip even to a client that does not accept it, as stores of compressed files do.
	mux.HandleFunc("/gzip/{name}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "unpacked")
		z.Close()
	})
	// 41 MiB of zeros, which take about a thousandth of that on the way.
	mux.HandleFunc("/gzip-bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		block := make([]byte, 1<<20)
		for range 41 {
			if _, err := z.Write(block); err != nil {
				return
			}
		}
		z.Close()
	})
	mux.HandleFunc("/referer", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "referer: "+r.Referer()) })
	mux.HandleFunc("/many-headers", func(w http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
	})
	// N bytes of a pattern. ?length= sets Content-Length, to the true number or another one. Without it the answer is
	// chunked, and tells no length.
	mux.HandleFunc("/bytes/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		if r.URL.Query().Has("length") {
			w.Header().Set("Content-Length", r.URL.Query().Get("length"))
		}
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = byte(i * 7)
		}
		for ; n > 0; n -= len(block) {
			if _, err := w.Write(block[:min(n, len(block))]); err != nil {
				return
			}
		}
	})
	// N bytes or some more of a unit that is repeated, of a type.
	mux.HandleFunc("/repeated/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		block := strings.Repeat(r.URL.Query().Get("unit"), 10_000)
		for ; n > 0; n -= len(block) {
			if _, err := fmt.Fprint(w, block); err != nil {
				return
			}
		}
	})
	// N redirects, then a text.
	mux.HandleFunc("/redirect/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		if n == 0 {
			fmt.Fprint(w, "arrived")
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/redirect/%d", n-1), http.StatusFound)
	})
	mux.HandleFunc("/redirect-to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("url"), http.StatusFound)
	})
	f.Server = localtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.requests.Add(1)
		mux.ServeHTTP(w, r)
	}))
	return f
}
