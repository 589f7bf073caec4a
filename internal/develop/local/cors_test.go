package local_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"
)

// withCORS uses testdata/stack.yaml with this CorsConfiguration for its API.
func withCORS(t testing.TB, configuration string) func(*local.Options) {
	t.Helper()
	api := "  Api: {Type: AWS::Serverless::HttpApi, Properties: {CorsConfiguration: " + configuration + "}}\n"
	path := edited(t, "\nResources:\n", "\nResources:\n"+api)
	return func(o *local.Options) { o.Template = path }
}

// edited returns the path of a copy of testdata/stack.yaml with another text in place of one.
func edited(t testing.TB, text, by string) (path string) {
	t.Helper()
	source, err := os.ReadFile(stackTemplate)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(string(source), text, by, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// corsHeaders are the header fields that tell a browser what pages of other origins may do.
var corsHeaders = []string{
	"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
	"Access-Control-Expose-Headers", "Access-Control-Max-Age", "Access-Control-Allow-Credentials",
}

// TestTheGatewayAnswersCORSAsConfigured shows the gateway's headers for preflights and requests, by configuration. With
// a configuration, the gateway removes all headers of CORS that a function sets; without one it passes them on.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
func TestTheGatewayAnswersCORSAsConfigured(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		const (
			listed = `{allowOrigins: ["https://a.example", "http://localhost:5173"], allowMethods: [GET, PUT],
    allowHeaders: [content-type, x-key], exposeHeaders: [retry-after, x-two], maxAge: 600}`
			secure = `{allowOrigins: ["https://*"]}`
			public = `{allowOrigins: ["*"], allowMethods: ["*"]}`
			own    = `{"statusCode":200,"body":"x","headers":{"access-control-allow-origin":"*","Vary":"accept",
			"Access-Control-Expose-Headers":"x-own","access-control-max-age":"9","x-kept":"y"}}`
		)
		type headers = map[string]string
		preflight := func(origin string) headers {
			return headers{"Origin": origin, "Access-Control-Request-Method": "PUT"}
		}
		allowed := headers{
			"Access-Control-Allow-Origin": "https://a.example", "Access-Control-Allow-Methods": "GET,PUT",
			"Access-Control-Allow-Headers": "content-type,x-key", "Access-Control-Max-Age": "600", "Vary": "origin",
		}
		answered := headers{
			"Access-Control-Allow-Origin": "https://a.example", "Access-Control-Expose-Headers": "retry-after,x-two",
			"Vary": "accept|origin", "X-Kept": "y",
		}
		tests := []struct {
			name, configuration, method, path string
			send                              headers
			status                            int
			want                              headers // all headers of CORS that the answer may have
			invoked                           bool
		}{
			{"a preflight of an allowed origin", listed,
				"OPTIONS", "/a/1/b/2", preflight("https://a.example"), 204, allowed, false},
			{"a preflight where a route takes OPTIONS", listed,
				"OPTIONS", "/echo", preflight("https://a.example"), 204, allowed, false},
			{"a preflight where there is no route", listed,
				"OPTIONS", "/none", preflight("https://a.example"), 204, allowed, false},
			{"a preflight of another origin", listed,
				"OPTIONS", "/echo", preflight("https://b.example"), 204, nil, false},
			{"an origin that begins like an allowed one", listed,
				"OPTIONS", "/echo", preflight("https://a.example.com"), 204, nil, false},
			{"an origin with another port", listed,
				"OPTIONS", "/echo", preflight("http://localhost:5174"), 204, nil, false},
			{"OPTIONS without an origin", listed, "OPTIONS", "/none", nil, 204, nil, false},
			{"OPTIONS that asks for no method", listed,
				"OPTIONS", "/a/1/b/2", headers{"Origin": "https://a.example"}, 204, nil, false},
			{"OPTIONS that is no preflight, where a route takes it", listed, "OPTIONS", "/echo", nil, 200, nil, true},

			{"a request of an allowed origin", listed,
				"POST", "/do/return", headers{"Origin": "https://a.example"}, 200, answered, true},
			{"a request of another origin", listed, "POST", "/do/return", headers{"Origin": "https://b.example"},
				200, headers{"Vary": "accept", "X-Kept": "y"}, true},
			{"a request without an origin", listed, "POST", "/do/return", nil,
				200, headers{"Vary": "accept", "X-Kept": "y"}, true},
			{"a function that fails, for an allowed origin", listed, "POST", "/do/error",
				headers{"Origin": "https://a.example"}, 500, headers{"Vary": "origin",
					"Access-Control-Allow-Origin":   "https://a.example",
					"Access-Control-Expose-Headers": "retry-after,x-two"},
				true},
			{"an unknown path, for an allowed origin", listed, "GET", "/none",
				headers{"Origin": "https://a.example"}, 404, nil, false},

			{"every origin with https", secure, "OPTIONS", "/echo", preflight("https://b.example"), 204,
				headers{"Access-Control-Allow-Origin": "https://b.example", "Vary": "origin"}, false},
			{"but none with http", secure, "OPTIONS", "/echo", preflight("http://b.example"), 204, nil, false},
			{"every origin", public, "OPTIONS", "/echo", preflight("http://b.example"), 204,
				headers{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "*"}, false},

			{"no configuration, OPTIONS without a route", "", "OPTIONS", "/a/1/b/2", preflight("https://a.example"),
				404, nil, false},
			{"no configuration, OPTIONS with one", "", "OPTIONS", "/echo", preflight("https://a.example"), 200, nil,
				true},
			{"no configuration, the function's own headers", "", "POST", "/do/return",
				headers{"Origin": "https://a.example"}, 200,
				headers{"Access-Control-Allow-Origin": "*", "Vary": "accept",
					"Access-Control-Expose-Headers": "x-own", "Access-Control-Max-Age": "9", "X-Kept": "y"}, true},
		}
		stacks := map[string]*local.Stack{"": startStack(t)}
		for _, configuration := range []string{listed, secure, public} {
			stacks[configuration] = startStack(t, withCORS(t, configuration))
		}
		for _, test := range tests {
			localtest.Case(t, test.name, func(t testing.TB) {
				s := stacks[test.configuration]
				request := newRequest(t, test.method, s.URL()+test.path, own)
				for name, value := range test.send {
					request.Header.Set(name, value)
				}
				request.Header.Set("Content-Type", "text/plain")
				before := len(s.Lambda().Invocations())
				a := do(t, s, request)
				if a.StatusCode != test.status || test.status == http.StatusNoContent && a.body != "" {
					t.Errorf("got %d %q, want %d", a.StatusCode, a.body, test.status)
				}
				for _, name := range append([]string{"Vary", "X-Kept"}, corsHeaders...) {
					if got := strings.Join(a.Header.Values(name), "|"); got != test.want[name] {
						t.Errorf("%s is %q, want %q", name, got, test.want[name])
					}
				}
				if invoked := len(s.Lambda().Invocations()) > before; invoked != test.invoked {
					t.Errorf("a function was called: %v", invoked)
				}
				newest := s.Requests()[0]
				expect.Equal(t, newest.Status, test.status)
				expect.Equal(t, newest.Path, test.path)
			})
		}
	})
}
