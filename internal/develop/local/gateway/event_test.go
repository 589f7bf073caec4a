package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/develop/local/samtemplate"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-lambda-go/events"
)

// TestEventIsTheOneThatAWSDocuments uses the example of "Working with AWS Lambda proxy integrations for HTTP APIs",
// format 2.0. It lists where the documentation's example contradicts itself or recorded events.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func TestEventIsTheOneThatAWSDocuments(t *testing.T) {
	r := httptest.NewRequest("POST", "/my/path?parameter1=value1&parameter1=value2&parameter2=value", nil)
	r.Host = "id.execute-api.us-east-1.amazonaws.com"
	r.RemoteAddr = "192.0.2.1:4711"
	r.Header.Add("Header1", "value1")
	r.Header.Add("Header2", "value1")
	r.Header.Add("Header2", "value2")
	r.Header.Add("Cookie", "cookie1; cookie2")
	r.Header.Add("User-Agent", "agent")
	body := "Hello from Lambda"
	text, err := eventJSON(newEvent(r, metadata{
		route:     samtemplate.Route{Method: "POST", Path: "/my/path"},
		variables: map[string]string{"parameter1": "value1"},
		requestID: "id",
		at:        time.UnixMilli(1583348638390),
		bodySize:  len(body),
		accountID: "123456789012",
	}), "text/plain", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("testdata/event-v2.json")
	if err != nil {
		t.Fatal(err)
	}
	got, want := flatten(t, text), flatten(t, example)

	for path := range want { // features that the stack's API does not have
		for _, feature := range []string{".requestContext.authentication.", ".requestContext.authorizer.",
			".stageVariables."} {
			if strings.HasPrefix(path, feature) {
				delete(want, path)
			}
		}
	}
	maps.Copy(want, map[string]any{
		".routeKey":                "POST /my/path", // the example has two, $default and one with path parameters
		".requestContext.routeKey": "POST /my/path",
		".requestContext.apiId":    "local",
		// The example's time is not its timeEpoch.
		".requestContext.time": "04/Mar/2020:19:03:58 +0000",
		// The example leaves these out. Recorded events have all of them.
		".headers.content-length":    "17",
		".headers.host":              "id.execute-api.us-east-1.amazonaws.com",
		".headers.user-agent":        "agent",
		".headers.x-forwarded-for":   "192.0.2.1",
		".headers.x-forwarded-port":  "80",
		".headers.x-forwarded-proto": "http",
		".headers.x-amzn-trace-id":   got[".headers.x-amzn-trace-id"],
	})
	// Both directions are compared: a field that the gateway invents is as wrong as one that it forgets.
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got[path] != want[path] {
			t.Errorf("%s is %v, want %v", path, got[path], want[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[path]; !ok {
			t.Errorf("%s is %v, want it absent", path, got[path])
		}
	}
	// The trace id begins with the time of the request, in seconds and in hexadecimal. The rest is random.
	trace, _ := got[".headers.x-amzn-trace-id"].(string)
	expect.HasPrefix(t, trace, "Root=1-5e5ffb9e-")
	expect.Equal(t, len(trace), 40)
}

// flatten returns the leaves of a JSON document, by their paths.
func flatten(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	leaves := map[string]any{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, value := range v {
				walk(path+"."+name, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), value)
			}
		default:
			leaves[path] = v
		}
	}
	walk("", document)
	return leaves
}

// TestEventFieldsThatAreEmptyAreAbsent shows which fields an event without query, cookies, variables and body has.
// Functions distinguish an absent field from an empty one, so an empty object instead of none could hide a mistake.
func TestEventFieldsThatAreEmptyAreAbsent(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	m := metadata{route: samtemplate.Route{Method: "GET", Path: "/"}, at: time.Now()}
	text, err := eventJSON(newEvent(r, m), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(fields))
	want := []string{"headers", "isBase64Encoded", "rawPath", "rawQueryString", "requestContext", "routeKey", "version"}
	if !slices.Equal(got, want) {
		t.Errorf("the fields are %v, want %v", got, want)
	}
}

// TestBodyIsTextOrBase64ByItsType shows which media types API Gateway passes on as text. AWS does not document them;
// they were observed.
func TestBodyIsTextOrBase64ByItsType(t *testing.T) {
	tests := []struct {
		name, contentType, body string
		base64                  bool
	}{
		{"text of any kind is text", "text/html; charset=utf-8", "<p>\"é\"\\</p>", false},
		{"JSON is text", "application/json", `{"a":"b\n"}`, false},
		{"the case of the type does not matter", "Application/JSON; charset=UTF-8", "{}", false},
		{"XML is text", "application/xml", "<a/>", false},
		{"JavaScript is text", "application/javascript", "f()", false},
		{"control characters are escaped", "text/plain", "\x00\x01\t\r\n\x1f\x7f\u2028", false},
		// The surprises: a function that reads forms, or JSON of a type with a suffix, has to decode base64.
		{"form data is binary", "application/x-www-form-urlencoded", "a=b", true},
		{"a body without a type is binary", "", "{}", true},
		{"JSON by its suffix is binary", "application/problem+json", "{}", true},
		{"a type that cannot be read counts as far as it can", "text/plain; charset", "a", false},
		// The event is JSON, which cannot hold other bytes.
		{"text that is not UTF-8 is binary", "text/plain", "caf\xe9", true},
		{"no body is no base64", "image/png", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", nil)
			text, err := eventJSON(newEvent(r, metadata{at: time.Now()}), test.contentType, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			var event events.APIGatewayV2HTTPRequest
			if err := json.Unmarshal(text, &event); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			body := event.Body
			if event.IsBase64Encoded {
				decoded, err := base64.StdEncoding.DecodeString(body)
				if err != nil {
					t.Fatal(err)
				}
				body = string(decoded)
			}
			if body != test.body || event.IsBase64Encoded != test.base64 {
				t.Errorf("got %q, base64 %v; want %q, base64 %v", body, event.IsBase64Encoded, test.body, test.base64)
			}
		})
	}
}

// BenchmarkEventWithALargeBody measures the encoding of 4 MB of JSON, in which many characters need an escape. 4 MB are
// close to the largest body that fits into an event.
func BenchmarkEventWithALargeBody(b *testing.B) {
	r := httptest.NewRequest("POST", "/", nil)
	e := newEvent(r, metadata{at: time.Now()})
	body := []byte(strings.Repeat(`{"html":"<p>\"text\"</p>"},`+"\n", 4<<20/28))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := eventJSON(e, "application/json", body); err != nil {
			b.Fatal(err)
		}
	}
}
