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

// encode writes the answer as API Gateway wants it: a JSON object whose body is a string, in base64 if it is not text.
// Where the client has what it asks for, it makes the answer one of 304. A body of JSON ends with a line feed.
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

// body is the body in the encoding that the client takes, of which it tells in the header.
func (response *Response) body(r *Request, header map[string]string) ([]byte, error) {
	const vary = "accept-encoding"
	switch body := response.Body.(type) {
	case []byte:
		return body, nil
	case *Encoded:
		if body.size > MaxPlain {
			return nil, response.tooLarge(body.size)
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

// tooLarge is the error of an answer that has too many bytes.
func (response *Response) tooLarge(bytes int) error {
	return errors.Join(response.TooLarge, fmt.Errorf("the answer has %d bytes", bytes))
}

// Marshal writes JSON as answers have it: without the escapes that only HTML needs, so that an URL in it
// stays readable.
func Marshal(v any) ([]byte, error) {
	line, err := marshalLine(v)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// marshalLine is [Marshal] with a line feed at the end, as bodies have it: the prompt of a terminal begins a line.
func marshalLine(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}
