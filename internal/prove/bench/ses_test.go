package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// ses is an SES that accepts every mail, keeps none and counts them.
type ses struct {
	*httptest.Server
	mails atomic.Int64
	check func(request []byte) // gets each mail, if it is set before the first
}

// newSES starts the server. It answers with increasing ids, and reads a mail into memory only for a check.
func newSES(tb testing.TB) *ses {
	s := &ses{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.check == nil {
			io.Copy(io.Discard, r.Body)
		} else {
			body := bytes.NewBuffer(make([]byte, 0, r.ContentLength+bytes.MinRead))
			body.ReadFrom(r.Body)
			s.check(body.Bytes())
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"MessageId":"%d"}`, s.mails.Add(1))
	}))
	tb.Cleanup(s.Close)
	return s
}
