package awsproxy_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"testing"

	"frontdesk/internal/prove/expect"
)

// callProxy sends one GetItem on behalf of a request. Its body need not be valid.
func callProxy(s *proxiedServices, requestID string, body []byte) {
	r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=F/20260101/eu-west-1/dynamodb/aws4_request, Signature=x")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
	r.Header.Set("X-Amz-Security-Token", requestID)
	s.ServeHTTP(httptest.NewRecorder(), r)
}

// TestOldRequestsAreForgotten shows the limit of 4,096 requests. The whole of the oldest request goes: half of a
// request's calls would look like a function that made fewer.
func TestOldRequestsAreForgotten(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	for i := range 4097 {
		// The AWS proxy records a call before it checks the body, so a body that is refused costs least.
		callProxy(s, fmt.Sprint("request-", i), []byte("no JSON"))
	}
	if n := len(s.Calls("request-0")); n != 0 {
		t.Errorf("%d calls of the oldest request, want 0", n)
	}
	for _, id := range []string{"request-1", "request-4096"} {
		if n := len(s.Calls(id)); n != 1 {
			t.Errorf("%d calls of %s, want 1", n, id)
		}
	}
}

// TestLargeBodiesArePutAside shows the limits in bytes: 1 MiB for a body, 64 MiB for all. A call whose body is too
// large stays in the record without the body, so that the numbers stay right.
func TestLargeBodiesArePutAside(t *testing.T) {
	s := newProxiedServices(t, withTable(allowAll))
	const mebibyte = 1 << 20
	callProxy(s, "small", make([]byte, 10))
	callProxy(s, "large", make([]byte, mebibyte+1))
	calls := s.Calls("large")
	expect.Len(t, calls, 1, `s.Calls("large")`)
	expect.Equal(t, calls[0].Body == nil, true, "calls[0].Body is nil")
	for i := range 64 {
		callProxy(s, fmt.Sprint("request-", i), make([]byte, mebibyte))
	}
	if n := len(s.Calls("small")); n != 0 {
		t.Errorf("%d calls of the oldest request, want 0 after 64 MiB of others", n)
	}
	calls = s.Calls("request-63")
	expect.Len(t, calls, 1, `s.Calls("request-63")`)
	expect.Equal(t, len(calls[0].Body), mebibyte)
}
