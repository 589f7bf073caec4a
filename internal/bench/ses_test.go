package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// ses is an SES that takes every mail, keeps none and counts them.
type ses struct {
	*httptest.Server
	mails atomic.Int64
}

func newSES(tb testing.TB) *ses {
	s := &ses{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"MessageId":"%d"}`, s.mails.Add(1))
	}))
	tb.Cleanup(s.Close)
	return s
}
