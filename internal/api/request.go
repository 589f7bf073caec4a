package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"frontdesk/internal/jsonscan"

	"github.com/aws/aws-lambda-go/events"
)

// Request is one HTTP request, as API Gateway hands it over (payload format 2.0): the path and its parameters are
// decoded already. Header names are in lower case, and cookies stand in Cookies alone, whoever built the event.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
type Request struct {
	events.APIGatewayV2HTTPRequest
	attrs  []slog.Attr
	faulty bool
}

// parseRequest reads an event. The body, which is most of it, is read by itself: once, and not three times.
func parseRequest(event []byte) (*Request, error) {
	r := &Request{}
	body, rest, ok := jsonscan.CutText(event, "body")
	if !ok {
		rest = event
	}
	if err := json.Unmarshal(rest, &r.APIGatewayV2HTTPRequest); err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	if ok {
		r.Body = body
	}
	r.normalizeHeaders()
	return r, nil
}

// ID is the request's id: it is in the answer's apigw-requestid header, in the access log and in our log line.
func (r *Request) ID() string { return r.RequestContext.RequestID }

// Scheme is "http" for a request that came without TLS, which happens on one machine alone, and "https" otherwise: the
// endpoints of API Gateway take nothing else.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/data-protection-encryption.html
func (r *Request) Scheme() string {
	if r.Headers["x-forwarded-proto"] == "http" {
		return "http"
	}
	return "https"
}

// Bytes is the request's body, decoded where API Gateway encoded it.
func (r *Request) Bytes() ([]byte, error) {
	if !r.IsBase64Encoded {
		return []byte(r.Body), nil
	}
	body, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil {
		return nil, Errorf(Malformed, "body is not valid base64")
	}
	return body, nil
}

// bodySize is the size of the body in bytes, which need not be decoded for it.
func (r *Request) bodySize() int {
	if !r.IsBase64Encoded {
		return len(r.Body)
	}
	padding := len(r.Body) - len(strings.TrimRight(r.Body, "="))
	return base64.StdEncoding.DecodedLen(len(r.Body)) - padding
}

// Log adds to the line that is logged when the request ends. No secret, no body and no e-mail address may be added.
func (r *Request) Log(attrs ...slog.Attr) { r.attrs = append(r.attrs, attrs...) }

// LogError is Log for what an operator has to know of though the answer is none of 500 or more: the line is logged as
// an error.
func (r *Request) LogError(attrs ...slog.Attr) {
	r.faulty = true
	r.Log(attrs...)
}

// Fault tells the operator of an error that the client is not told of, because the answer is right all the same. The
// line is logged as an error.
func (r *Request) Fault(err error) { r.LogError(slog.String("fault", err.Error())) }
