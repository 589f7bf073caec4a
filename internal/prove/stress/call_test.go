package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/prove/expect"
)

// TestWhatClientsDoNotAccept: each case is an answer of the API, or none, and the expected violation.
func TestWhatClientsDoNotAccept(t *testing.T) {
	const user = `{"id":7,"name":"Ada","email":"ada@example.org",` +
		`"created_at":"2026-03-02T09:30:00.125Z","updated_at":"2026-03-02T09:30:00.125Z"}`
	for name, c := range map[string]struct {
		status int // 0: the connection ends
		body   string
		also   []int
		want   string
	}{
		"a success":                       {200, user, nil, ""},
		"no answer":                       {0, "", nil, "no answer"},
		"a fault of the function":         {500, `{"message":"no","code":"internal","request_id":"x"}`, nil, ""},
		"a fault of the gateway":          {500, `{"message":"Internal Server Error"}`, nil, ""},
		"not now":                         {503, `{"message":"please try again","code":"unavailable"}`, nil, ""},
		"no answer within the time":       {503, `{"message":"Service Unavailable"}`, nil, "unexpected"},
		"a refusal of a good request":     {401, `{"message":"no","code":"unauthorized"}`, nil, "unexpected"},
		"a refusal that may be":           {401, `{"message":"no","code":"unauthorized"}`, []int{401}, ""},
		"a failure in a shape of its own": {500, `{"oops":1}`, nil, "against the contract"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.status == 0 {
					panic(http.ErrAbortHandler)
				}
				for name, value := range map[string]string{
					"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
					"X-Content-Type-Options": "nosniff", "Apigw-Requestid": "x",
				} {
					w.Header().Set(name, value)
				}
				if strings.Contains(c.body, "again") {
					w.Header().Set("Retry-After", "1")
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			}))
			defer server.Close()
			var found violations
			calls := newCaller(httpserver.Machine, server.URL, 1, &found)
			calls.history = new(history)
			a := calls.do(t.Context(), request{endpoint: userShow, values: []any{7}, token: "t", also: c.also})
			expect.Equal(t, a.status, c.status)
			expect.Equal(t, a.ok(), c.status == 200)
			found.want(t, c.want)
			operations := calls.history.all()
			expect.Len(t, operations, 1, "recorded")
			expect.Equal(t, operations[0].failure == "", a.ok(), "recorded")
		})
	}
}
