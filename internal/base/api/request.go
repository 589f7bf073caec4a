package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// Request is one HTTP request in API Gateway's payload format 2.0: the path and its parameters are decoded already.
// Whoever built the event, header names are in lower case, and cookies are only in Cookies.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
type Request struct {
	events.APIGatewayV2HTTPRequest
	attrs  []slog.Attr
	faulty bool
}

// parseRequest decodes an event. It cuts out the body first, which is most of the event, and so reads it only once;
// encoding/json would read it three times. An event that is not UTF-8 is refused: its reader would replace the bytes.
func parseRequest(event []byte) (*Request, error) {
	if !utf8.Valid(event) {
		return nil, errors.New("decode event: it is not UTF-8")
	}
	r := &Request{}
	body, rest, ok := cutText(event, "body")
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

// ID returns the request's id. The answer's header apigw-requestid, the access log and our log line contain it.
func (r *Request) ID() string { return r.RequestContext.RequestID }

// Scheme returns "http" if the request came without TLS, else "https". Only the local stack serves HTTP: API Gateway's
// endpoints accept nothing but HTTPS.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/data-protection-encryption.html
func (r *Request) Scheme() string {
	if r.Headers["x-forwarded-proto"] == "http" {
		return "http"
	}
	return "https"
}

// Log adds attributes to the request's log line, which is written at the end. Never add a secret, a body or an
// e-mail address.
func (r *Request) Log(attrs ...slog.Attr) { r.attrs = append(r.attrs, attrs...) }

// LogError is [Request.Log] for something that the operator has to know although the status is below 500. It raises the
// line's level to ERROR.
func (r *Request) LogError(attrs ...slog.Attr) {
	r.faulty = true
	r.Log(attrs...)
}

// Fault logs an error that did not spoil the answer, so the client does not hear of it. It raises the line's level
// to ERROR.
func (r *Request) Fault(err error) { r.LogError(slog.String("fault", err.Error())) }
