package bench

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// request is an HTTP request that API Gateway would turn into an event.
type request struct {
	method     string
	path       string            // of the route: /a/{b}
	parameters map[string]string // of the path
	query      map[string]string
	token      string // api_access_token; empty: none
	body       any    // JSON; nil: none
	form       string // urlencoded, in place of a body; empty: none

	idempotencyKey string // empty: none

	raw []byte // the event itself, of a function that answers no HTTP request; nil: the above
}

// event returns what API Gateway would send to the function, in payload format 2.0, with the headers of an HTTP client.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func (r request) event() ([]byte, error) {
	if r.raw != nil {
		return r.raw, nil
	}
	path := r.path
	for name, value := range r.parameters {
		path = strings.Replace(path, "{"+name+"}", value, 1)
	}
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return nil, err
		}
	}
	contentType := "application/json"
	if r.form != "" {
		body, contentType = []byte(r.form), "application/x-www-form-urlencoded"
	}
	const domain = "abcde12345.execute-api.us-east-1.amazonaws.com"
	headers := map[string]string{
		"accept":            "*/*",
		"accept-encoding":   "gzip, deflate",
		"content-length":    "0",
		"content-type":      contentType,
		"host":              domain,
		"user-agent":        "python-requests/2.32.5",
		"x-amzn-trace-id":   "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700",
		"x-forwarded-for":   "203.0.113.7",
		"x-forwarded-port":  "443",
		"x-forwarded-proto": "https",
	}
	if r.token != "" {
		headers["api_access_token"] = r.token
	}
	if r.idempotencyKey != "" {
		headers["idempotency-key"] = r.idempotencyKey
	}
	return json.Marshal(events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RouteKey:              r.method + " " + r.path,
		RawPath:               path,
		Headers:               headers,
		QueryStringParameters: r.query,
		PathParameters:        r.parameters,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey:     r.method + " " + r.path,
			AccountID:    "123456789012",
			Stage:        "$default",
			RequestID:    "JKJaXmPLvHcESHA=",
			APIID:        "abcde12345",
			DomainName:   domain,
			DomainPrefix: "abcde12345",
			Time:         "12/Mar/2026:19:03:58 +0000",
			TimeEpoch:    1773342238000,
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.method, Path: path, Protocol: "HTTP/1.1",
				SourceIP: "203.0.113.7", UserAgent: "python-requests/2.32.5",
			},
		},
		Body: string(body),
	})
}

// reply is a successful answer to a request.
type reply struct {
	body []byte
	cost
}

// send sends a request to a process. An answer that is no success ends the benchmark.
func send(tb testing.TB, s *process, r request) reply {
	tb.Helper()
	event, err := r.event()
	if err != nil {
		tb.Fatal(err)
	}
	answer, c, err := s.invoke(event)
	if err != nil {
		tb.Fatal(err)
	}
	var response events.APIGatewayV2HTTPResponse
	if s.program.name == helloWorld || r.raw != nil {
		return reply{answer, c} // no HTTP response
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		tb.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	if response.StatusCode != http.StatusOK || strings.HasPrefix(response.Body, `{"status":"error"`) {
		tb.Fatalf("%s %s: %d %s", r.method, r.path, response.StatusCode, response.Body)
	}
	body, err := bodyOf(response)
	if err != nil {
		tb.Fatal(err)
	}
	return reply{body, c}
}

// bodyOf returns a body as a client reads it.
func bodyOf(response events.APIGatewayV2HTTPResponse) ([]byte, error) {
	content := io.Reader(strings.NewReader(response.Body))
	if response.IsBase64Encoded {
		content = base64.NewDecoder(base64.StdEncoding, content)
	}
	if response.Headers["content-encoding"] == "gzip" {
		unpacked, err := gzip.NewReader(content)
		if err != nil {
			return nil, err
		}
		content = unpacked
	}
	return io.ReadAll(content)
}
