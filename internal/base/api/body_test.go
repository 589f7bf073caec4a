package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"frontdesk/internal/base/api"
	"frontdesk/internal/prove/expect"

	"github.com/aws/aws-lambda-go/events"
)

// parseBody reads a request with a body in base64, as API Gateway hands on what is not text.
func parseBody(body string, headers map[string]string) (*api.Object, error) {
	r := &api.Request{APIGatewayV2HTTPRequest: events.APIGatewayV2HTTPRequest{
		Body: base64.StdEncoding.EncodeToString([]byte(body)), IsBase64Encoded: true, Headers: headers,
	}}
	raw, err := r.Bytes()
	if err != nil {
		return nil, err
	}
	return r.ParseObject(raw)
}

// TestABodyIsRecognizedByItsFirstBytes, and by its headers where these tell more.
func TestABodyIsRecognizedByItsFirstBytes(t *testing.T) {
	t.Parallel()
	const (
		plain   = "Content-Encoding is none"
		wide    = "body is in UTF-16; JSON must be in UTF-8"
		wider   = "body is in UTF-32; JSON must be in UTF-8"
		packed  = "body is compressed with "
		plainly = "; send it uncompressed"
		invalid = "body is not valid JSON: invalid character "
		noValue = " looking for beginning of value at byte"
		noName  = " looking for beginning of object key string at byte"
		twice   = "body is JSON within a JSON string; encode it once"
		endless = "body is not valid JSON: unexpected end of JSON input at byte"
	)
	for name, c := range map[string]struct{ coding, body, want string }{
		"UTF-16, big-endian":               {plain, "\x00{\x00}", wide},
		"UTF-16, big-endian, marked":       {plain, "\xfe\xff\x00{\x00}", wide},
		"UTF-16 after white space":         {plain, " {\x00}\x00", wide},
		"UTF-32":                           {plain, "{\x00\x00\x00}\x00\x00\x00", wider},
		"UTF-32, big-endian":               {plain, "\x00\x00\x00{", wider},
		"UTF-32, marked":                   {plain, "\xff\xfe\x00\x00{\x00\x00\x00", wider},
		"UTF-32, big-endian, marked":       {plain, "\x00\x00\xfe\xff", wider},
		"zstd":                             {plain, "\x28\xb5\x2f\xfd\x00", packed + "zstd" + plainly},
		"gzip that the header names":       {"gzip", "\x1f\x8b", packed + "gzip" + plainly},
		"what only the header names":       {"br", "\x0b\x01\x80{}\x03", packed + "br" + plainly},
		"JSON that a proxy decompressed":   {"gzip", "{}", ""},
		"the coding that is none":          {"Identity", "\xff", "body is not UTF-8 at byte 1"},
		"a string with a string of JSON":   {plain, `"\"{}\""`, "body must be one JSON object"},
		"a string with nearly JSON":        {plain, `"{"`, "body must be one JSON object"},
		"a string with a list":             {plain, `"[]"`, "body must be one JSON object"},
		"a string that ends too early":     {plain, `"{}`, endless + " 3"},
		"a string with an object":          {plain, ` "\ufeff{}"`, "body must be one JSON object"},
		"a string with an object, spaced":  {plain, "\n\" {} \"\n", twice},
		"two byte order marks":             {plain, "\ufeff\ufeff{}", invalid + "'ï'" + noValue + " 4"},
		"a byte order mark that is within": {plain, "{\ufeff}", invalid + "'ï'" + noName + " 2"},
		"zeros":                            {plain, "\x00\x00\x00\x00", invalid + "'\\x00'" + noValue + " 1"},
		"a replacement character":          {plain, `{"a":"` + "\ufffd" + `"}`, ""},
		"a character of four bytes":        {plain, `{"a":"😀"}`, ""},
		"half of one":                      {plain, "{\"a\":\"\xf0\x9f\"}", "body is not UTF-8 at byte 7"},
		"a byte behind the object":         {plain, "{}\x80", "body is not UTF-8 at byte 3"},
	} {
		headers := map[string]string{"content-encoding": c.coding}
		if c.coding == plain {
			headers = nil
		}
		_, err := parseBody(c.body, headers)
		got := ""
		if err != nil {
			got = err.Error()
		}
		expect.Equal(t, got, c.want, name)
	}
}

// TestAnEventThatIsNotUTF8IsNotAnswered: no gateway sends one, and reading it would replace bytes of the body.
func TestAnEventThatIsNotUTF8IsNotAnswered(t *testing.T) {
	t.Parallel()
	f := api.Function{}
	_, err := f.Invoke(t.Context(), []byte("{\"version\":\"2.0\",\"body\":\"Gr\xf6\xdfe\"}"))
	expect.Contains(t, fmt.Sprint(err), "not UTF-8")
}

// FuzzBodiesAreUTF8: a body is read as encoding/json reads it, and never a byte of it is replaced.
func FuzzBodiesAreUTF8(f *testing.F) {
	for _, body := range []string{
		"{}", "\ufeff{}", "{\"\xff\":1}", "\x1f\x8b", "{\x00}\x00", `"{}"`, " ", "[]", "a=b", "\xff\xfe{\x00", "null",
		`{"a":"` + "\xe2\x82" + `"}`, `"\u007b}"`,
	} {
		for _, header := range []string{"", "application/x-www-form-urlencoded"} {
			f.Add([]byte(body), header, "")
			f.Add([]byte(body), header, "br")
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType, coding string) {
		_, err := parseBody(string(body), map[string]string{"content-type": contentType, "content-encoding": coding})
		text := bytes.TrimPrefix(body, []byte("\ufeff"))
		var object map[string]json.RawMessage
		isObject := json.Unmarshal(text, &object) == nil && object != nil && utf8.Valid(text)
		if (err == nil) != isObject {
			t.Fatalf("%q: %v", body, err)
		}
		if err == nil {
			return
		}
		told, ok := errors.AsType[*api.Error](err)
		if !ok || told.Kind != api.Malformed || !strings.HasPrefix(told.Message, "body ") {
			t.Errorf("%q: %v", body, err)
		}
	})
}
