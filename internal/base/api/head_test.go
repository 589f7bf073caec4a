package api_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-lambda-go/events"
)

// TestHEADAndOPTIONS: an answer to HEAD has the status and the headers of that to GET, also where its size decides
// them. OPTIONS is answered without the handler, and by every function with the function's own headers.
func TestHEADAndOPTIONS(t *testing.T) {
	large := strings.Repeat("a", api.MaxAnswer)
	tooLarge := api.Errorf(api.Invalid, "too large")
	for name, c := range map[string]struct {
		response api.Response
		err      error
	}{
		"an object":           {api.Response{Body: map[string]int{"id": 7}}, nil},
		"bytes":               {api.Response{Body: []byte{0, 255}}, nil},
		"an error":            {api.Response{}, api.Errorf(api.NotFound, "no")},
		"one without a body":  {api.Response{Status: 204, Body: []byte(nil)}, nil},
		"one that varies":     {api.Response{Body: large[:2000]}, nil},
		"one that is too big": {api.Response{Body: large, TooLarge: tooLarge}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			called := 0
			f := api.Function{
				Header: map[string]string{"access-control-allow-origin": "*"},
				Handle: func(context.Context, *api.Request) (api.Response, error) {
					called++
					return c.response, c.err
				},
			}
			get, head, options := asked(t, f, "GET"), asked(t, f, "HEAD"), asked(t, f, "OPTIONS")
			expect.Equal(t, head.StatusCode, get.StatusCode)
			expect.Equal(t, head.Headers, get.Headers)
			expect.Equal(t, head.Body, "")
			expect.Equal(t, called, 2, "calls")
			expect.Equal(t, options.StatusCode, 204, "status of OPTIONS")
			expect.Equal(t, options.Body, "", "body of OPTIONS")
			for field, want := range map[string]string{
				"access-control-allow-origin": "*", "access-control-allow-methods": "GET, HEAD",
				"access-control-allow-headers": "content-type, if-none-match", "access-control-max-age": "600",
			} {
				expect.Equal(t, options.Headers[field], want, field)
			}
		})
	}
}

// asked returns a function's answer to a request of a method.
func asked(t *testing.T, f api.Function, method string) (answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	out, err := f.Invoke(t.Context(), []byte(`{"version":"2.0","requestContext":{"http":{"method":"`+method+`"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}
