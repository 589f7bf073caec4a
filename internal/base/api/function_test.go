package api_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-lambda-go/events"
)

// invoke sends one event through a function. It returns the answer, its body decoded from JSON, and the log line.
func invoke(
	t *testing.T, f api.Function, event string,
) (answer events.APIGatewayV2HTTPResponse, body, line map[string]any) {
	t.Helper()
	var log bytes.Buffer
	f.Log = slog.New(slog.NewJSONHandler(&log, nil))
	out, err := f.Invoke(t.Context(), []byte(event))
	if err != nil {
		t.Fatalf("invoke: %v", err)
	}
	for _, part := range []struct {
		data []byte
		into any
	}{{out, &answer}, {log.Bytes(), &line}} {
		if err := json.Unmarshal(part.data, part.into); err != nil {
			t.Fatalf("decode %s: %v", part.data, err)
		}
	}
	if err := json.Unmarshal([]byte(answer.Body), &body); err != nil {
		t.Fatalf("decode body %q: %v", answer.Body, err)
	}
	return answer, body, line
}

// event is the smallest event that identifies a request.
const event = `{"version":"2.0","routeKey":"GET /x","requestContext":{"requestId":"req-1"}}`

// TestErrorsBecomeAnswers shows the status and the JSON of each kind of error. The text of an internal error reaches
// the log and never the client.
func TestErrorsBecomeAnswers(t *testing.T) {
	const internal = `{"message":"Internal error","code":"internal","request_id":"req-1"}`
	for name, c := range map[string]struct {
		err    error
		status int
		body   string
	}{
		"malformed":    {api.Errorf(api.Malformed, "no"), 400, `{"message":"no","code":"malformed"}`},
		"unauthorized": {api.Errorf(api.Unauthorized, "no"), 401, `{"message":"no","code":"unauthorized"}`},
		"forbidden":    {api.Errorf(api.Forbidden, "no"), 403, `{"message":"no","code":"forbidden"}`},
		"not found":    {api.Errorf(api.NotFound, "no"), 404, `{"message":"no","code":"not_found"}`},
		"conflict":     {api.Errorf(api.Conflict, "no"), 409, `{"message":"no","code":"conflict"}`},
		"invalid, with its field": {
			&api.Error{Kind: api.Invalid, Message: "no", Attributes: []string{"slug"}},
			422, `{"message":"no","code":"invalid","attributes":["slug"]}`,
		},
		"rate limited": {api.Errorf(api.QuotaExceeded, "no"), 429, `{"message":"no","code":"quota_exceeded"}`},
		"wrapped": {
			errors.Join(errors.New("while reading"), api.Errorf(api.NotFound, "no")),
			404, `{"message":"no","code":"not_found"}`,
		},
		"with a finer code": {
			api.Errorf(api.Invalid, "no").WithCode("slug_taken"), 422, `{"message":"no","code":"slug_taken"}`,
		},
		"any other error keeps its text from the client": {errors.New("secret detail"), 500, internal},
		"one without a kind too":                         {&api.Error{Message: "secret detail"}, 500, internal},
		"an internal error too":                          {api.Errorf(api.Internal, "secret detail"), 500, internal},
	} {
		t.Run(name, func(t *testing.T) {
			f := api.Function{Handle: func(context.Context, *api.Request) (api.Response, error) {
				return api.Response{}, c.err
			}}
			answer, _, line := invoke(t, f, event)
			// The whole body is compared: the right status alone would not show that a secret text has not leaked.
			if answer.StatusCode != c.status || answer.Body != c.body+"\n" {
				t.Errorf("answer %d %s, want %d %s", answer.StatusCode, answer.Body, c.status, c.body)
			}
			if logged := line["error"]; (logged != nil) != (c.status == 500) {
				t.Errorf("log line says %v", logged)
			}
			if c.status == 500 && !strings.Contains(line["error"].(string), "secret detail") {
				t.Errorf("log line says %v", line["error"])
			}
		})
	}
}

// TestABodyIsMeasuredBeforeItIsDecoded shows that a body over MaxBody never reaches the endpoint. The limit counts the
// bytes that the client sent, not characters and not base64.
func TestABodyIsMeasuredBeforeItIsDecoded(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		base64 bool
		status int
	}{
		"none":                             {"", false, 200},
		"as large as it may be":            {"12345678", false, 200},
		"larger by a byte":                 {"123456789", false, 413},
		"in bytes, not in characters":      {"ääääß", false, 413},
		"as large as it may be, in base64": {base64.StdEncoding.EncodeToString([]byte("12345678")), true, 200},
		"larger by a byte, in base64":      {base64.StdEncoding.EncodeToString([]byte("123456789")), true, 413},
		"in base64 that is none":           {"!!!!!!!!!!!!!", true, 413},
	} {
		t.Run(name, func(t *testing.T) {
			called := false
			f := api.Function{MaxBody: 8, Handle: func(context.Context, *api.Request) (api.Response, error) {
				called = true
				return api.Response{Body: struct{}{}}, nil
			}}
			text, _ := json.Marshal(map[string]any{"version": "2.0", "body": c.body, "isBase64Encoded": c.base64})
			answer, body, _ := invoke(t, f, string(text))
			expect.Equal(t, answer.StatusCode, c.status)
			expect.Equal(t, called, c.status == 200)
			if !called {
				expect.Equal(t, body["message"], "body is too large (maximum is 8 bytes)")
			}
		})
	}
}

// TestAnErrorSaysWhenToTryAgain shows that Retry-After is rounded up, and that a conflict always has one.
func TestAnErrorSaysWhenToTryAgain(t *testing.T) {
	for name, c := range map[string]struct {
		kind  api.ErrorKind
		after time.Duration
		want  string
	}{
		"not":                         {api.Invalid, 0, ""},
		"in whole seconds":            {api.QuotaExceeded, 3 * time.Second, "3"},
		"never before the time is up": {api.QuotaExceeded, time.Second + 1, "2"},
		"always after a conflict":     {api.Conflict, 0, "1"},
		"later after a conflict":      {api.Conflict, 5 * time.Second, "5"},
	} {
		t.Run(name, func(t *testing.T) {
			f := api.Function{Handle: func(context.Context, *api.Request) (api.Response, error) {
				return api.Response{}, &api.Error{Kind: c.kind, Message: "no", RetryAfter: c.after}
			}}
			answer, _, _ := invoke(t, f, event)
			if answer.Headers["retry-after"] != c.want || answer.Headers["cache-control"] != "no-store" {
				t.Errorf("headers %v, want retry-after %q", answer.Headers, c.want)
			}
		})
	}
}

// TestAPanicIsA500WithItsStackInTheLog shows that a panic costs one answer, not the process.
func TestAPanicIsA500WithItsStackInTheLog(t *testing.T) {
	f := api.Function{Handle: func(context.Context, *api.Request) (api.Response, error) { panic("dropped the tray") }}
	answer, body, line := invoke(t, f, event)
	expect.Equal(t, answer.StatusCode, 500)
	expect.Equal(t, body["request_id"], "req-1")
	expect.Lacks(t, answer.Body, "tray")
	expect.Contains(t, line["error"].(string), "dropped the tray")
	expect.Contains(t, line["stack"].(string), "function_test.go")
}

// TestAnAnswerThatCannotBeWrittenIsA500 uses infinity, for which JSON has no notation.
func TestAnAnswerThatCannotBeWrittenIsA500(t *testing.T) {
	f := api.Function{Handle: func(context.Context, *api.Request) (api.Response, error) {
		return api.Response{Body: math.Inf(1)}, nil
	}}
	answer, _, line := invoke(t, f, event)
	expect.Equal(t, answer.StatusCode, 500)
	expect.Not(t, line["error"], nil)
}

// TestAnAnswerThatLambdaWouldNotTake shows what a client gets in place of an answer over 6 MB. Lambda would drop it,
// and the client would see API Gateway's error.
func TestAnAnswerThatLambdaWouldNotTake(t *testing.T) {
	for name, c := range map[string]struct {
		quotes   int // each takes four bytes after encoding twice: \\\"
		tooLarge error
		status   int
		want     string
	}{
		"just fits":               {(api.MaxAnswer - 300) / 4, nil, 200, ""},
		"names what to do":        {api.MaxAnswer / 4, api.Errorf(api.Invalid, "ask for less"), 422, "ask for less"},
		"is a 500 where it can't": {api.MaxAnswer / 4, nil, 500, "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			f := api.Function{Handle: func(context.Context, *api.Request) (api.Response, error) {
				body := map[string]string{"x": strings.Repeat(`"`, c.quotes)}
				return api.Response{Body: body, TooLarge: c.tooLarge}, nil
			}}
			answer, body, _ := invoke(t, f, event)
			expect.Equal(t, answer.StatusCode, c.status)
			if c.want != "" {
				expect.Equal[any](t, body["message"], c.want)
			}
		})
	}
}

// TestSuccessIs200AndOneLogLine shows the headers of every answer and the fields of every log line.
func TestSuccessIs200AndOneLogLine(t *testing.T) {
	f := api.Function{Handle: func(_ context.Context, r *api.Request) (api.Response, error) {
		r.Log(slog.Int("user", 7))
		return api.Response{Body: map[string]string{"url": "https://a/?b&c=<d>"}}, nil
	}}
	answer, _, line := invoke(t, f, event)
	expect.Equal(t, answer.StatusCode, 200)
	expect.Equal(t, answer.Body, `{"url":"https://a/?b&c=<d>"}`+"\n")
	for name, want := range map[string]string{
		"content-type":           "application/json; charset=utf-8",
		"cache-control":          "no-store",
		"x-content-type-options": "nosniff",
	} {
		if got := answer.Headers[name]; got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]any{
		"msg": "request", "level": "INFO", "request_id": "req-1", "route": "GET /x", "status": 200.0, "user": 7.0,
	} {
		if line[name] != want {
			t.Errorf("log line has %s %v, want %v", name, line[name], want)
		}
	}
	if _, ok := line["ms"].(float64); !ok {
		t.Errorf("log line has ms %v", line["ms"])
	}
}

// TestAnAnswerThatIsNotJSON shows that bytes stay as they are. Lambda's answer is JSON itself, so bytes that are not
// UTF-8 travel in base64.
func TestAnAnswerThatIsNotJSON(t *testing.T) {
	gzip := "\x1f\x8b\x08"
	for name, c := range map[string]struct {
		response api.Response
		status   int
		body     string
		encoded  bool
		header   map[string]string
	}{
		"a page": {
			api.Response{Body: []byte("<p>Grüße"), Header: map[string]string{
				"content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer",
			}},
			200, "<p>Grüße", false,
			map[string]string{
				"content-type": "text/html; charset=utf-8", "cache-control": "no-store",
				"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
			},
		},
		"what is not text": {
			api.Response{Body: []byte(gzip), Header: map[string]string{
				"content-type": "text/css", "content-encoding": "gzip", "cache-control": "no-cache",
			}},
			200, base64.StdEncoding.EncodeToString([]byte(gzip)), true,
			map[string]string{
				"content-type": "text/css", "cache-control": "no-cache",
				"x-content-type-options": "nosniff", "content-encoding": "gzip",
			},
		},
		"nothing": {
			api.Response{Status: 304, Body: []byte(nil), Header: map[string]string{"etag": `"x"`}},
			304, "", false,
			map[string]string{
				"content-type": "application/json; charset=utf-8", "cache-control": "no-store",
				"x-content-type-options": "nosniff", "etag": `"x"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := api.Function{
				Handle: func(context.Context, *api.Request) (api.Response, error) { return c.response, nil },
			}
			out, err := f.Invoke(t.Context(), []byte(event))
			if err != nil {
				t.Fatal(err)
			}
			var answer events.APIGatewayV2HTTPResponse
			if err := json.Unmarshal(out, &answer); err != nil {
				t.Fatal(err)
			}
			expect.Equal(t, answer.StatusCode, c.status)
			expect.Equal(t, answer.Body, c.body)
			expect.Equal(t, answer.IsBase64Encoded, c.encoded)
			expect.Equal(t, answer.Headers, c.header)
		})
	}
}

// TestCallsEndASecondBeforeTheFunctionDoes shows that a handler's context leaves time for the answer.
func TestCallsEndASecondBeforeTheFunctionDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deadline := time.Now().Add(time.Minute)
		ctx, cancel := context.WithDeadline(t.Context(), deadline)
		defer cancel()
		f := api.Function{Handle: func(ctx context.Context, _ *api.Request) (api.Response, error) {
			if got, ok := ctx.Deadline(); !ok || !got.Equal(deadline.Add(-time.Second)) {
				t.Errorf("deadline %v, want a second before %v", got, deadline)
			}
			return api.Response{}, nil
		}}
		if _, err := f.Invoke(ctx, []byte(event)); err != nil {
			t.Error(err)
		}
	})
}

// TestAnEventThatIsNoneIsAnError shows the one case in which Lambda itself gets the error.
func TestAnEventThatIsNoneIsAnError(t *testing.T) {
	if _, err := (api.Function{}).Invoke(t.Context(), []byte("[]")); err == nil {
		t.Error("no error")
	}
}

// TestBodyIsDecodedWhereAPIGatewayEncodedIt shows that only the flag counts, not what the body looks like.
func TestBodyIsDecodedWhereAPIGatewayEncodedIt(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		encoded bool
		want    string
		fails   bool
	}{
		"as it is":       {body: "grüß", want: "grüß"},
		"base64":         {body: base64.StdEncoding.EncodeToString([]byte("grüß")), encoded: true, want: "grüß"},
		"none":           {want: ""},
		"broken base64":  {body: "%", encoded: true, fails: true},
		"base64 as text": {body: "YQ==", want: "YQ=="},
	} {
		t.Run(name, func(t *testing.T) {
			r := &api.Request{APIGatewayV2HTTPRequest: events.APIGatewayV2HTTPRequest{
				Body: c.body, IsBase64Encoded: c.encoded,
			}}
			got, err := r.Bytes()
			expect.Equal(t, string(got), c.want)
			expect.Equal(t, err != nil, c.fails, "it fails")
		})
	}
}
