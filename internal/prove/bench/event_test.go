package bench

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/develop/local/gateway"
	"frontdesk/internal/prove/fixture"

	"github.com/aws/aws-lambda-go/events"
)

// request is an HTTP request that API Gateway would turn into an event, or an event itself.
type request = fixture.Sent

// signed is a request with a token in the header. A nil body means none.
func signed(to fixture.Target, token string, body any) request {
	return request{Target: to, Header: fixture.Token(token), Body: body}
}

// eventOf returns what API Gateway would send to the function, in payload format 2.0, with the headers of an HTTP
// client.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func eventOf(r request, routes gateway.Router) ([]byte, error) {
	if r.Event != nil {
		return json.Marshal(r.Event)
	}
	path, rawQuery, _ := strings.Cut(r.Path, "?")
	route, parameters, ok := routes.Match(r.Method, path)
	if !ok {
		return nil, fmt.Errorf("no route of %s %s", r.Method, path)
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, err
	}
	body, err := fixture.BodyText(r.Body)
	if err != nil {
		return nil, err
	}
	const domain = "abcde12345.execute-api.us-east-1.amazonaws.com"
	headers := map[string]string{
		"accept":            "*/*",
		"accept-encoding":   "gzip, deflate",
		"content-length":    fmt.Sprint(len(body)),
		"content-type":      "application/json",
		"host":              domain,
		"user-agent":        "python-requests/2.32.5",
		"x-amzn-trace-id":   "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700",
		"x-forwarded-for":   "203.0.113.7",
		"x-forwarded-port":  "443",
		"x-forwarded-proto": "https",
	}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	values := map[string]string{}
	for name, all := range query {
		values[name] = strings.Join(all, ",")
	}
	return json.Marshal(events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RouteKey:              route.Key(),
		RawPath:               path,
		RawQueryString:        rawQuery,
		Headers:               headers,
		QueryStringParameters: values,
		PathParameters:        parameters,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey:     route.Key(),
			AccountID:    "123456789012",
			Stage:        "$default",
			RequestID:    "JKJaXmPLvHcESHA=",
			APIID:        "abcde12345",
			DomainName:   domain,
			DomainPrefix: "abcde12345",
			Time:         "12/Mar/2026:19:03:58 +0000",
			TimeEpoch:    1773342238000,
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: path, Protocol: "HTTP/1.1",
				SourceIP: "203.0.113.7", UserAgent: "python-requests/2.32.5",
			},
		},
		Body: body,
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
	event, err := eventOf(r, s.program.routes)
	if err != nil {
		tb.Fatal(err)
	}
	answer, c, err := s.invoke(event)
	if err != nil {
		tb.Fatal(err)
	}
	var response events.APIGatewayV2HTTPResponse
	if s.program.name == helloWorld || r.Event != nil {
		return reply{answer, c} // no HTTP response
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		tb.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	if response.StatusCode != http.StatusOK || strings.HasPrefix(response.Body, `{"status":"error"`) {
		tb.Fatalf("%s %s: %d %s", r.Method, r.Path, response.StatusCode, response.Body)
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
