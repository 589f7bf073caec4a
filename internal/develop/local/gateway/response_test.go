package gateway

import (
	"net/http/httptest"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestResultBecomesAResponse shows the documented form of a result, the shorthand without a statusCode, and
// malformed results.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func TestResultBecomesAResponse(t *testing.T) {
	const text = "text/plain;charset=UTF-8"
	tests := []struct {
		name, result string
		status       int // 0: malformed
		contentType  string
		body         string
	}{
		{"status, headers and body",
			`{"statusCode":201,"headers":{"content-type":"text/html"},"body":"<p>"}`, 201, "text/html", "<p>"},
		// API Gateway adds this type, with the charset in capitals and without a space.
		{"no Content-Type is text", `{"statusCode":200,"body":"x"}`, 200, text, "x"},
		{"no body is empty", `{"statusCode":204}`, 204, text, ""},
		{"a null body is empty", `{"statusCode":200,"body":null}`, 200, text, ""},
		{"a base64 body is decoded", `{"statusCode":200,"body":"AP8=","isBase64Encoded":true}`, 200, text, "\x00\xff"},
		{"unknown fields do not matter", `{"statusCode":200,"body":"x","more":{}}`, 200, text, "x"},
		// 1000000 shows that a large number is not written as 1e+06.
		{"a header may be a number or a boolean",
			`{"statusCode":200,"headers":{"Content-Type":1000000}}`, 200, "1000000", ""},
		{"multiValueHeaders go before headers",
			`{"statusCode":200,"headers":{"Content-Type":"a/b"},"multiValueHeaders":{"content-type":["c/d"]}}`,
			200, "c/d", ""},

		// Without a statusCode, API Gateway takes the whole result for the body of a 200.
		{"an object without a statusCode is the body", `{"message":"hi"}`, 200, "application/json", `{"message":"hi"}`},
		{"also when its fields have other types",
			`{"body":{"a":1},"headers":[]}`, 200, "application/json", `{"body":{"a":1},"headers":[]}`},
		{"a string is the body without its quotes",
			`"Hello from Lambda!"`, 200, "application/json", "Hello from Lambda!"},
		{"a list is the body", `[1,2]`, 200, "application/json", "[1,2]"},
		{"null is the body", `null`, 200, "application/json", "null"},

		// The client gets a 500 for all of these, and only the log says why.
		{"what is no JSON is malformed", `<html>`, 0, "", ""},
		{"nothing is malformed", ``, 0, "", ""},
		{"a status as text is malformed", `{"statusCode":"200"}`, 0, "", ""},
		{"a status of zero is malformed", `{"statusCode":0,"body":"x"}`, 0, "", ""},
		{"a status of null is malformed", `{"statusCode":null}`, 0, "", ""},
		{"an informational status is malformed", `{"statusCode":100}`, 0, "", ""},
		{"a status out of range is malformed", `{"statusCode":600}`, 0, "", ""},
		{"a body that is no string is malformed", `{"statusCode":200,"body":{"a":1}}`, 0, "", ""},
		{"a header that is a list is malformed", `{"statusCode":200,"headers":{"a":["b"]}}`, 0, "", ""},
		{"base64 that is none is malformed", `{"statusCode":200,"body":"%","isBase64Encoded":true}`, 0, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := parseResult([]byte(test.result))
			if (err != nil) != (test.status == 0) {
				t.Fatalf("the error is %v", err)
			}
			if err != nil {
				return
			}
			w := httptest.NewRecorder()
			r.write(w)
			expect.Equal(t, w.Code, test.status)
			expect.Equal(t, w.Header().Get("Content-Type"), test.contentType)
			expect.Equal(t, w.Body.String(), test.body)
		})
	}
}

// TestFunctionCannotSetTheConnectionsHeaders shows that a function's content-length is ignored: a wrong one would break
// the connection for the next request. The same holds for the other headers that belong to the connection, and for the
// id that the gateway gives a request.
func TestFunctionCannotSetTheConnectionsHeaders(t *testing.T) {
	r, err := parseResult([]byte(`{"statusCode":200,"body":"four","headers":{
		"content-length":"99","Transfer-Encoding":"chunked","apigw-requestid":"x","X-Kept":"y"
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Apigw-Requestid", "mine")
	r.write(w)
	for name, want := range map[string]string{
		"Content-Length": "4", "Transfer-Encoding": "", "Apigw-Requestid": "mine", "X-Kept": "y",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
