package local_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local"
	"frontdesk/internal/develop/local/lambda"
	"frontdesk/internal/prove/expect"
	"frontdesk/internal/prove/localtest"

	"github.com/aws/aws-lambda-go/events"
)

// Bodies of API Gateway's own answers.
const (
	notFound            = `{"message":"Not Found"}`
	internalServerError = `{"message":"Internal Server Error"}`
	serviceUnavailable  = `{"message":"Service Unavailable"}`
	entityTooLarge      = `{"message":"Request Entity Too Large"}`
)

// echoed sends a request to the function that answers with its event.
func echoed(t testing.TB, s *local.Stack, request *http.Request) events.APIGatewayV2HTTPRequest {
	t.Helper()
	a := do(t, s, request)
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal([]byte(a.body), &event); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %s", request.URL, a.StatusCode, a.body)
	}
	return event
}

// TestFunctionGetsTheRequestAsAnEvent compares each field of the event with payload format 2.0 of HTTP APIs. The path
// is decoded once, the query string stays as it is, and cookies have a field of their own.
func TestFunctionGetsTheRequestAsAnEvent(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		request := newRequest(t, http.MethodPut, s.URL()+"/echo/a%2Fb/%C3%A9%2520+?q=1&q=a%20b%2C+c&Empty=&alone&x=%zz",
			"{\"text\":\"é\\n\"}")
		request.Host = "localhost:3000"
		request.Header = http.Header{
			"Content-Type":     {"application/json"},
			"User-Agent":       {"test"},
			"Cookie":           {"a=1; b=2", "c=3"},
			"X-Twice":          {"one", "two, three"},
			"Api_access_token": {"kept"},
			"X-Forwarded-For":  {"203.0.113.9"},
			"X-Amzn-Trace-Id":  {"Root=1-5e5ffbde-000000000000000000000001"},
		}
		before := time.Now()
		event := echoed(t, s, request)

		port := s.URL()[strings.LastIndex(s.URL(), ":")+1:]
		checks := []struct{ what, got, want string }{
			{"version", event.Version, "2.0"},
			{"routeKey", event.RouteKey, "ANY /echo/{proxy+}"},
			{"rawPath, decoded once", event.RawPath, "/echo/a/b/é%20+"},
			{"rawQueryString, as it was sent", event.RawQueryString, "q=1&q=a%20b%2C+c&Empty=&alone&x=%zz"},
			{"cookies", strings.Join(event.Cookies, "|"), "a=1|b=2|c=3"},
			{"no cookie header", event.Headers["cookie"], ""},
			{"a repeated header", event.Headers["x-twice"], "one,two, three"},
			{"a header with underscores", event.Headers["api_access_token"], "kept"},
			{"content-type", event.Headers["content-type"], "application/json"},
			{"content-length", event.Headers["content-length"], "15"},
			{"host", event.Headers["host"], "localhost:3000"},
			{"x-forwarded-for", event.Headers["x-forwarded-for"], "203.0.113.9, 127.0.0.1"},
			{"x-forwarded-port", event.Headers["x-forwarded-port"], port},
			{"x-forwarded-proto", event.Headers["x-forwarded-proto"], "http"},
			{"the client's trace id", event.Headers["x-amzn-trace-id"], "Root=1-5e5ffbde-000000000000000000000001"},
			{"a repeated query parameter", event.QueryStringParameters["q"], "1,a b, c"},
			{"what cannot be decoded stays", event.QueryStringParameters["x"], "%zz"},
			{"a path variable, decoded once", event.PathParameters["proxy"], "a/b/é%20+"},
			{"body", event.Body, "{\"text\":\"é\\n\"}"},
			{"accountId", event.RequestContext.AccountID, "123456789012"},
			{"apiId", event.RequestContext.APIID, "local"},
			{"domainName, which the client called", event.RequestContext.DomainName, "localhost:3000"},
			{"domainPrefix", event.RequestContext.DomainPrefix, "localhost"},
			{"stage", event.RequestContext.Stage, "$default"},
			{"requestContext.routeKey", event.RequestContext.RouteKey, "ANY /echo/{proxy+}"},
			{"http.method", event.RequestContext.HTTP.Method, "PUT"},
			{"http.path", event.RequestContext.HTTP.Path, "/echo/a/b/é%20+"},
			{"http.protocol", event.RequestContext.HTTP.Protocol, "HTTP/1.1"},
			{"http.sourceIp", event.RequestContext.HTTP.SourceIP, "127.0.0.1"},
			{"http.userAgent", event.RequestContext.HTTP.UserAgent, "test"},
		}
		for _, c := range checks {
			if c.got != c.want {
				t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
			}
		}
		for _, name := range []string{"Empty", "alone"} {
			value, ok := event.QueryStringParameters[name]
			if !ok {
				t.Fatalf("the query parameter %s is %q, %v", name, value, ok)
			}
			expect.Equal(t, value, "")
		}
		at := time.UnixMilli(event.RequestContext.TimeEpoch)
		expect.Equal(t, at.Before(before.Truncate(time.Millisecond)),
			false, "at is before before.Truncate(time.Millisecond)")
		expect.AtLeast(t, time.Since(at), 0)
		if want := at.UTC().Format("02/Jan/2006:15:04:05 +0000"); event.RequestContext.Time != want {
			t.Errorf("time is %q, want %q", event.RequestContext.Time, want)
		}
		if event.IsBase64Encoded {
			t.Error("JSON came in base64")
		}
	})
}

// TestEveryAnswerCarriesItsRequestID shows the header apigw-requestid, which also answers without a function have.
func TestEveryAnswerCarriesItsRequestID(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		a := get(t, s, "/echo")
		var event events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal([]byte(a.body), &event); err != nil {
			t.Fatal(err)
		}
		id := a.Header.Get("apigw-requestid")
		expect.Equal(t, id, event.RequestContext.RequestID)
		expect.Equal(t, regexp.MustCompile(`^[A-Za-z0-9_-]{15}=$`).MatchString(id),
			true, "id matches `^[A-Za-z0-9_-]{15}=$`")
		for _, path := range []string{"/none", "/do/panic", "/echo"} {
			other := get(t, s, path).Header.Get("apigw-requestid")
			expect.Not(t, other, "")
			expect.Not(t, other, id)
		}
	})
}

// TestUnknownRouteOrMethodIsNotFound shows that the gateway neither cleans nor redirects paths, as net/http's
// mux would.
func TestUnknownRouteOrMethodIsNotFound(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		tests := []struct{ name, method, path string }{
			{"an unknown path", "GET", "/none"},
			{"the root, but for GET", "POST", "/"},
			{"an unknown method", "POST", "/a/1/b/2"},
			{"HEAD is not GET", "HEAD", "/a/1/b/2"},
			{"OPTIONS without CORS", "OPTIONS", "/a/1/b/2"},
			{"a slash at the end", "GET", "/a/1/b/2/"},
			{"another case", "GET", "/Echo"},
			{"an unclean path is not cleaned", "GET", "//echo"},
			{"dots are not resolved", "GET", "/a/../echo"},
			{"an escaped slash ends a path variable", "GET", "/a/1%2F2/b/3"},
			{"an escaped slash, in lower case", "GET", "/a/1/b/2%2f3"},
			{"a page of the stack that there is not", "GET", "/_local/outbox/none"},
		}
		for _, test := range tests {
			localtest.Case(t, test.name, func(t testing.TB) {
				want := notFound
				if strings.HasPrefix(test.path, "/_local/") {
					want += "\n" // it is not an answer of API Gateway
				}
				if test.method == "HEAD" {
					want = ""
				}
				a := do(t, s, newRequest(t, test.method, s.URL()+test.path, ""))
				a.want(t, http.StatusNotFound, want)
				if got := a.Header.Get("Content-Type"); got != "application/json" {
					t.Errorf("Content-Type is %q", got)
				}
			})
		}
	})
}

// TestFunctionsResultIsTheResponse shows how each field of a function's result reaches the client.
func TestFunctionsResultIsTheResponse(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		a := post(t, s, "/do/return", `{"statusCode":201,"headers":{"Content-Type":"image/png","X-One":"1"},
		"multiValueHeaders":{"X-Many":["a","b"]},"cookies":["c=1; HttpOnly","d=2"],"isBase64Encoded":true,
		"body":"`+base64.StdEncoding.EncodeToString([]byte{0, 255, 10})+`"}`)
		a.want(t, http.StatusCreated, "\x00\xff\n")
		for name, want := range map[string][]string{
			"Content-Type":   {"image/png"},
			"Content-Length": {"3"},
			"X-One":          {"1"},
			"X-Many":         {"a", "b"},
			"Set-Cookie":     {"c=1; HttpOnly", "d=2"},
		} {
			if got := a.Header.Values(name); !slices.Equal(got, want) {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
}

// TestMalformedResultIsAnInternalServerError shows results with a field of the wrong type, and one that is no JSON.
func TestMalformedResultIsAnInternalServerError(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		for _, result := range []string{"<html>", `{"statusCode":"200"}`, `{"statusCode":200,"body":1}`} {
			post(t, s, "/do/return", result).want(t, http.StatusInternalServerError, internalServerError)
		}
		post(t, s, "/do/return", `{"statusCode":200,"body":"fine"}`).want(t, http.StatusOK, "fine")
	})
}

// TestEventThatLambdaDoesNotTakeIsTooLarge shows that Lambda's limit of 6 MB counts the whole event, with the body in
// base64 if it is binary.
func TestEventThatLambdaDoesNotTakeIsTooLarge(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		send := func(contentType string, size int) answer {
			request := newRequest(t, http.MethodPost, s.URL()+"/do/size", strings.Repeat("a", size))
			request.Header.Set("Content-Type", contentType)
			return do(t, s, request)
		}
		// The size of the event around a million letters tells how much the frame takes.
		million, err := strconv.Atoi(send("text/plain", 1_000_000).body)
		if err != nil {
			t.Fatal(err)
		}
		largest := lambda.MaxEvent - (million - 1_000_000)

		send("text/plain", largest).want(t, http.StatusOK, "6291456")
		tests := []struct {
			name, contentType string
			size              int
		}{
			{"one byte more", "text/plain", largest + 1},
			// 4.8 MB become 6.4 MB in base64.
			{"binary grows in base64", "image/png", 4_800_000},
			{"a body larger than an event", "text/plain", 7_000_000},
			// A client that is still sending would see a broken connection instead of the answer.
			{"a much larger body, which is read to its end", "text/plain", 12_000_000},
		}
		for _, test := range tests {
			localtest.Case(t, test.name, func(t testing.TB) {
				send(test.contentType, test.size).want(t, http.StatusRequestEntityTooLarge, entityTooLarge)
			})
		}
	})
}

// TestResultThatLambdaDoesNotTakeIsAnInternalServerError shows that a result of exactly 6 MB passes, and one byte more
// does not.
func TestResultThatLambdaDoesNotTakeIsAnInternalServerError(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		frame := len(`{"statusCode":200,"headers":null,"multiValueHeaders":null,"body":"","cookies":null}`)
		largest := lambda.MaxResult - frame
		get(t, s, fmt.Sprintf("/do/big?n=%d", largest)).want(t, http.StatusOK, strings.Repeat("x", largest))
		get(t, s, fmt.Sprintf("/do/big?n=%d", largest+1)).want(t, http.StatusInternalServerError, internalServerError)
		localtest.WaitLog(t, s, "ResponseSizeTooLarge")
		get(t, s, "/do/big?n=3").want(t, http.StatusOK, "xxx")
	})
}

// TestGatewayWaitsThirtySecondsAtMost shows the integration's timeout, for a function that has more time. The stack
// stays usable.
func TestGatewayWaitsThirtySecondsAtMost(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t, func(o *local.Options) { o.Template = edited(t, "Timeout: 20", "Timeout: 40") })
		began := time.Now()
		get(t, s, "/do/hang").want(t, http.StatusServiceUnavailable, serviceUnavailable)
		expect.Equal(t, time.Since(began).Truncate(time.Second), 30*time.Second, "the gateway gave up")
		if a := get(t, s, "/echo"); a.StatusCode != http.StatusOK {
			t.Errorf("the next request: got %d %s", a.StatusCode, a.body)
		}
	})
}

// TestRequestLineAndHeadersHaveTenKilobytesTogether shows what counts towards API Gateway's limit of 10,240 bytes for
// the request line and the headers. It writes to the connection itself, because a client would normalize the headers.
func TestRequestLineAndHeadersHaveTenKilobytesTogether(t *testing.T) {
	t.Parallel()
	localtest.Simulate(t, func(t *testing.T) {
		s := startStack(t)
		const refused = `{"message":"Request Header Fields Too Large"}`
		tests := []struct {
			name, path, headers string // %s is filled up to the size
			size, status        int
		}{
			{"one header at the limit", "/echo", "X-Long: %s\r\n", 10240, 200},
			{"one header over it", "/echo", "X-Long: %s\r\n", 10241, 431},
			{"the path and the query count", "/echo/a%%20b?q=%s", "", 10240, 200},
			{"a query over it", "/echo/a%%20b?q=%s", "", 10241, 431},
			{"each of several values counts", "/echo", "A: b\r\nA: c\r\nCookie: d=%s\r\n", 10240, 200},
			{"several values over it", "/echo", "A: b\r\nA: c\r\nCookie: d=%s\r\n", 10241, 431},
			// The colon, the spaces and the line ends are not counted.
			{"what separates them does not count", "/echo", strings.Repeat("A:      \r\n", 2000) + "B: %s\r\n", 10240,
				200},
			{"many short headers over it", "/echo", strings.Repeat("A:      \r\n", 2000) + "B: %s\r\n", 10241, 431},
			{"far over it", "/echo", "X-Long: %s\r\n", 500_000, 431},
			{"a path without a route", "/none", "X-Long: %s\r\n", 10241, 431},
		}
		for _, test := range tests {
			localtest.Case(t, test.name, func(t testing.TB) {
				head := "GET " + test.path + " HTTP/1.1\r\nHost: localhost\r\n" + test.headers
				counted := strings.NewReplacer("\r\n", "", ": ", "", " ", "", "%%", "%", "%s", "").Replace(head)
				fill := strings.Repeat("x", test.size-len(counted))
				conn, err := s.Network().Dial(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				fmt.Fprintf(conn, head+"\r\n", fill)
				response, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				expect.Equal(t, response.StatusCode, test.status)
				if test.status == 431 {
					expect.Equal(t, string(body), refused)
				}
			})
		}
	})
}
