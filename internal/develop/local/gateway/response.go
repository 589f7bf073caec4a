package gateway

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// response is the HTTP response that API Gateway makes of a function's result.
type response struct {
	status int
	header http.Header
	body   string
}

// functionResult is payload format 2.0 of a function's result. The documentation does not mention multiValueHeaders,
// but aws-lambda-go writes it.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
type functionResult struct {
	StatusCode        json.RawMessage  `json:"statusCode"`
	Headers           map[string]any   `json:"headers"`
	MultiValueHeaders map[string][]any `json:"multiValueHeaders"`
	Cookies           []string         `json:"cookies"`
	Body              string           `json:"body"`
	IsBase64Encoded   bool             `json:"isBase64Encoded"`
}

// parseResult turns a function's result into a response. JSON without a statusCode is itself the body of a 200 with
// type application/json. Anything else that is not in the documented form is an error, for which the client gets a 500.
func parseResult(result []byte) (*response, error) {
	var f functionResult
	err := json.Unmarshal(result, &f)
	if wrongType := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &wrongType) {
		return nil, fmt.Errorf("the function's result is not JSON: %w", err)
	}
	if f.StatusCode == nil {
		return inferResponse(result), nil
	}
	if err != nil {
		return nil, fmt.Errorf("the function's result: %w", err)
	}

	status, err := strconv.Atoi(string(f.StatusCode))
	// 1xx is not a final answer, so a function cannot return it.
	if err != nil || status < 200 || status > 599 {
		return nil, fmt.Errorf("the function's result: statusCode is %s", f.StatusCode)
	}
	r := &response{status: status, header: http.Header{}}
	if err := r.setHeaders(f); err != nil {
		return nil, fmt.Errorf("the function's result: %w", err)
	}
	r.body = f.Body
	if f.IsBase64Encoded {
		r.body, err = decodeBase64(f.Body)
		if err != nil {
			return nil, fmt.Errorf("the function's result: body: %w", err)
		}
	}
	return r, nil
}

// inferResponse returns the response for JSON without a statusCode. The content of a JSON string is the body.
func inferResponse(result []byte) *response {
	r := &response{status: http.StatusOK, header: http.Header{}, body: string(result)}
	r.header.Set("Content-Type", "application/json")
	var text *string
	if json.Unmarshal(result, &text) == nil && text != nil {
		r.body = *text
	}
	return r
}

// decodeBase64 decodes into a string without a copy in between.
func decodeBase64(text string) (string, error) {
	var decoded strings.Builder
	decoded.Grow(base64.StdEncoding.DecodedLen(len(text)))
	_, err := io.Copy(&decoded, base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	return decoded.String(), err
}

// gatewayHeaders belong to the connection between client and gateway, so a function cannot set them.
var gatewayHeaders = []string{
	"Apigw-Requestid", "Connection", "Content-Length", "Date", "Keep-Alive", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// setHeaders sets multiValueHeaders, then headers whose names are not among those, then a Set-Cookie per cookie.
func (r *response) setHeaders(f functionResult) error {
	for name, values := range f.MultiValueHeaders {
		for _, value := range values {
			if err := r.addHeader(name, value); err != nil {
				return err
			}
		}
	}
	for name, value := range f.Headers {
		if r.header.Get(name) != "" {
			continue
		}
		if err := r.addHeader(name, value); err != nil {
			return err
		}
	}
	for _, cookie := range f.Cookies {
		r.header.Add("Set-Cookie", cookie)
	}
	for _, name := range gatewayHeaders {
		r.header.Del(name)
	}
	if r.header.Get("Content-Type") == "" {
		r.header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	return nil
}

// addHeader adds a header. API Gateway also accepts numbers and booleans as values.
func (r *response) addHeader(name string, value any) error {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		text = strconv.FormatBool(v)
	default:
		return fmt.Errorf("header %s is neither text, number nor boolean", name)
	}
	r.header.Add(name, text)
	return nil
}

// content returns the body before compression, if it can be decompressed.
func (r *response) content() string {
	if r.header.Get("Content-Encoding") != "gzip" {
		return r.body
	}
	zipped, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		return r.body
	}
	content, err := io.ReadAll(zipped)
	if err != nil {
		return r.body
	}
	return string(content)
}

// write sends the response. 204 and 304 have no content-length (RFC 9110 section 8.6), nor has a function's answer to
// HEAD, which has no body. Of other answers without a body net/http says that they have none.
func (r *response) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), r.header)
	if r.body != "" && r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	w.WriteHeader(r.status)
	io.WriteString(w, r.body) // an error means that the client has gone
}

// errorResponse is a response of the gateway itself.
func errorResponse(status int) *response {
	header := http.Header{"Content-Type": {"application/json"}}
	return &response{status: status, header: header, body: `{"message":"` + http.StatusText(status) + `"}`}
}
