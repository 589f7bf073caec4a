package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// encode writes the answer in API Gateway's format: a JSON object whose body is a string, in base64 if it is not valid
// UTF-8. Headers of the response replace those of the function, which replace the defaults. It sets the status 304 if
// the client already has the content.
func (f Function) encode(r *Request, response *Response) ([]byte, error) {
	header := map[string]string{
		"content-type":           "application/json; charset=utf-8",
		"cache-control":          "no-store",
		"x-content-type-options": "nosniff",
	}
	maps.Copy(header, f.Header)
	maps.Copy(header, response.Header)
	body, err := response.body(r, header)
	if err != nil {
		return nil, err
	}
	answer := events.APIGatewayV2HTTPResponse{StatusCode: response.Status, Headers: header, Body: string(body)}
	if !utf8.Valid(body) {
		answer.Body, answer.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	return Marshal(answer)
}

// body returns the body in an encoding that the client accepts, and sets the header fields that describe it.
func (response *Response) body(r *Request, header map[string]string) ([]byte, error) {
	const vary = "accept-encoding"
	switch body := response.Body.(type) {
	case []byte:
		return body, nil
	case *Encoded:
		if body.size > MaxPlain {
			return nil, response.tooLarge(body.size)
			// Both encodings get "vary" and their own tag, so that a cache never serves gzip to a client that does not
			// accept it.
		}
		packed := body.compressed && r.TakesGzip()
		header["vary"], header["etag"] = vary, body.tag(packed)
		if r.Has(header["etag"]) {
			response.Status = http.StatusNotModified
			return nil, nil
		}
		if !packed {
			return body.plain()
		}
		header["content-encoding"] = "gzip"
		return body.content, nil
	default:
		plain, err := marshalLine(body)
		if err != nil || len(plain) <= minCompressed {
			return plain, err
		}
		// The size decides whether an answer varies. So a small answer has no "vary", and a cache may give it to
		// every client.
		header["vary"] = vary
		if len(plain) > MaxPlain {
			return nil, response.tooLarge(len(plain))
		}
		if !r.TakesGzip() {
			return plain, nil
		}
		header["content-encoding"] = "gzip"
		return compress(plain)
	}
}

// tooLarge is the error for an answer of that many bytes. It wraps the endpoint's own TooLarge, if it has one.
func (response *Response) tooLarge(bytes int) error {
	return errors.Join(response.TooLarge, fmt.Errorf("the answer has %d bytes", bytes))
}

// Marshal encodes v as answers do: without the escapes that only HTML needs, so that URLs stay readable.
func Marshal(v any) ([]byte, error) {
	line, err := marshalLine(v)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// marshalLine is [Marshal] plus a line feed, so that a terminal's prompt begins on a line of its own after the body.
func marshalLine(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}
