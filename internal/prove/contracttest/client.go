// Package contracttest compares what tests send and get with the contract:
//
//	response, err := contracttest.Client(t, http.DefaultTransport).Do(request)
//
// The contract has to describe every answer for its endpoint: its status, its headers, and its body without an
// additional field. The contract has to allow every request that succeeds; a request that is refused may be anything.
package contracttest

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// Client returns an HTTP client that sends by a transport, and fails the test for each exchange that breaks the
// contract. For a benchmark it checks nothing.
func Client(t testing.TB, by http.RoundTripper) *http.Client {
	if _, measured := t.(*testing.B); measured {
		return &http.Client{Transport: by}
	}
	return &http.Client{Transport: transport{t, by}}
}

// Check returns the error of an exchange that breaks the contract, for clients outside of tests. The bodies are sent
// and got; Check does not read those of request and response.
func Check(request *http.Request, sent []byte, response *http.Response, got []byte) error {
	return check(exchange{request: request, sent: sent, response: response, got: got})
}

// Careless marks the header of a request that succeeds although the contract does not allow it: the contract says what
// a client should send, and the endpoint does not check all of it. The mark is removed before the request is sent.
func Careless(header http.Header) http.Header {
	header = header.Clone()
	header.Set(mark, "careless")
	return header
}

// mark is the header field by which Careless marks a request for the transport.
const mark = "Contracttest"

type transport struct {
	t  testing.TB
	by http.RoundTripper
}

// RoundTrip reads both bodies whole, checks the exchange, and gives the caller an unread answer. A fault fails the
// test, and is not an error for the caller: the test goes on with the answer.
func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	careless := r.Header.Get(mark) != ""
	r.Header.Del(mark)
	sent, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	response, err := tr.by.RoundTrip(r)
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

// drain reads a body, and replaces it by one that can be read again.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	content, err := io.ReadAll(*body)
	(*body).Close()
	*body = io.NopCloser(bytes.NewReader(content))
	return content, err
}
