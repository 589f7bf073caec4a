package matrix

import (
	"maps"
	"net/http"
	"testing"

	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/fixture"
	"frontdesk/internal/prove/localtest"
)

// headAnswersAsGET: HEAD has the status and the headers of GET, and no body, also for what is refused (RFC 9110
// section 9.3.2). Where GET makes something there is no HEAD.
func headAnswersAsGET(t testing.TB, s *fixture.Stack) {
	for _, r := range endpoints() {
		if r.Operation == "" {
			continue
		}
		c := s.NewClient(t)
		sent := r.Prepare(c)
		if sent.Method != http.MethodGet {
			continue
		}
		localtest.Case(t, r.String(), func(t testing.TB) {
			if r.Function == "LoginLink" {
				sent = sent.Signed(r.By, r.By.Text(c.Tenant))
				a, err := s.Try(s.Client(), fixture.At(http.MethodHead, sent.Path), sent.Header, nil)
				expect.Equal(t, err, nil)
				expect.Equal(t, a.Status, http.StatusNotFound)
				return
			}
			for name, credential := range map[string]string{"good": r.By.Text(c.Tenant), "none": ""} {
				get := sent.Signed(r.By, credential)
				get.Header.Set("Accept-Encoding", "identity") // or Go's client would ask for gzip, for GET alone
				head := get
				head.Method = http.MethodHead
				want, got := s.Send(t, r, get, nil), s.Send(t, r, head, nil)
				expect.Equal(t, got.Status, want.Status, name+": status")
				expect.Equal(t, got.Raw, "", name+": body")
				expect.Equal(t, headers(got), headers(want), name+": headers")
			}
		})
	}
}

// headers are those of an answer that do not differ from one request to the next. The length is API Gateway's to say.
func headers(a fixture.Answer) http.Header {
	header := maps.Clone(a.Header)
	for _, name := range []string{"Date", "Apigw-Requestid", "Content-Length", "Age"} {
		header.Del(name)
	}
	return header
}
