// Package contracttest holds what tests send and get against the contract:
//
//	response, err := contracttest.Client(t).Do(request)
//
// Every answer has to be one that the contract describes for the endpoint: its status, its headers, its body
// without a field more. Every request that succeeds has to be one that the contract allows; a request that is refused
// may be anything.
package contracttest

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// Client is an HTTP client that fails the test for each exchange that breaks the contract. For a benchmark it is a
// client that checks nothing.
func Client(t testing.TB) *http.Client {
	if _, measured := t.(*testing.B); measured {
		return http.DefaultClient
	}
	return &http.Client{Transport: transport{t}}
}

// Check is the error of an exchange that breaks the contract, for clients outside of tests. The bodies are sent and
// got; those of request and response are not read.
func Check(request *http.Request, sent []byte, response *http.Response, got []byte) error {
	return check(exchange{request: request, sent: sent, response: response, got: got})
}

// Careless marks the header of a request that succeeds though the contract does not allow it: the contract
// says what a client should send, and the endpoint does not look at all of it. The mark is not sent.
func Careless(header http.Header) http.Header {
	header = header.Clone()
	header.Set(mark, "careless")
	return header
}

const mark = "Contracttest"

type transport struct{ t testing.TB }

func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	careless := r.Header.Get(mark) != ""
	r.Header.Del(mark)
	sent, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	got, err := drain(&response.Body)
	if err != nil {
		return nil, err
	}
	made := exchange{request: r, sent: sent, response: response, got: got, careless: careless}
	if err := check(made); err != nil {
		tr.t.Errorf("%s %s %.300q: %d %.300q breaks the contract: %v",
			r.Method, r.URL.RequestURI(), sent, response.StatusCode, got, err)
	}
	return response, nil
}

// drain reads a body and puts one in its place that can be read again.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	content, err := io.ReadAll(*body)
	(*body).Close()
	*body = io.NopCloser(bytes.NewReader(content))
	return content, err
}
