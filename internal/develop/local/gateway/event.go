package gateway

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/develop/local/awsform"
	"frontdesk/internal/develop/local/samtemplate"
)

// event is the event of an HTTP API in payload format 2.0, without the body, which [eventJSON] adds. It lacks the
// fields of features that the stack's API does not have: authorizers, mutual TLS, stage variables.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
type event struct {
	Version               string            `json:"version"`
	RouteKey              string            `json:"routeKey"`
	RawPath               string            `json:"rawPath"`
	RawQueryString        string            `json:"rawQueryString"`
	Cookies               []string          `json:"cookies,omitempty"`
	Headers               map[string]string `json:"headers"`
	QueryStringParameters map[string]string `json:"queryStringParameters,omitempty"`
	PathParameters        map[string]string `json:"pathParameters,omitempty"`
	RequestContext        requestContext    `json:"requestContext"`
}

// requestContext is what API Gateway adds about the request.
type requestContext struct {
	AccountID    string          `json:"accountId"`
	APIID        string          `json:"apiId"`
	DomainName   string          `json:"domainName"`
	DomainPrefix string          `json:"domainPrefix"`
	HTTP         httpDescription `json:"http"`
	RequestID    string          `json:"requestId"`
	RouteKey     string          `json:"routeKey"`
	Stage        string          `json:"stage"`
	Time         string          `json:"time"`
	TimeEpoch    int64           `json:"timeEpoch"` // milliseconds
}

// httpDescription repeats the request line and the client's address.
type httpDescription struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// apiID identifies the stack's API. A real one has ten letters and digits.
const apiID = "local"

// metadata is what the gateway knows of a request beyond the request itself.
type metadata struct {
	route     samtemplate.Route
	variables map[string]string // of the path, decoded
	requestID string
	at        time.Time
	bodySize  int // bytes
	accountID string
}

// newEvent describes a request, without its body.
func newEvent(r *http.Request, m metadata) event {
	// A real domain name has no port. This one does, so that a link made from it works.
	prefix, _, _ := strings.Cut((&url.URL{Host: r.Host}).Hostname(), ".")
	sourceIP, _, _ := net.SplitHostPort(r.RemoteAddr)
	return event{
		Version:               "2.0",
		RouteKey:              m.route.Key(),
		RawPath:               r.URL.Path,
		RawQueryString:        r.URL.RawQuery,
		Cookies:               cookies(r.Header["Cookie"]),
		Headers:               eventHeaders(r, sourceIP, m),
		QueryStringParameters: queryParameters(r.URL.RawQuery),
		PathParameters:        m.variables,
		RequestContext: requestContext{
			AccountID:    m.accountID,
			APIID:        apiID,
			DomainName:   r.Host,
			DomainPrefix: prefix,
			HTTP: httpDescription{
				Method:    r.Method,
				Path:      r.URL.Path,
				Protocol:  r.Proto,
				SourceIP:  sourceIP,
				UserAgent: r.UserAgent(),
			},
			RequestID: m.requestID,
			RouteKey:  m.route.Key(),
			Stage:     "$default",
			Time:      m.at.UTC().Format("02/Jan/2006:15:04:05 -0700"),
			TimeEpoch: m.at.UnixMilli(),
		},
	}
}

// eventHeaders returns the request's headers, with names in lower case and repeated values joined by commas. It leaves
// out cookies, which have a field of their own, and adds the headers that API Gateway adds.
func eventHeaders(r *http.Request, sourceIP string, m metadata) map[string]string {
	headers := make(map[string]string, len(r.Header)+6)
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	delete(headers, "cookie")
	delete(headers, "connection")
	headers["host"] = r.Host
	headers["content-length"] = strconv.Itoa(m.bodySize)
	headers["x-forwarded-proto"] = "http"
	headers["x-forwarded-port"] = localPort(r)
	// API Gateway appends the address that it sees. What stands before it is the client's claim.
	if before := headers["x-forwarded-for"]; before != "" {
		headers["x-forwarded-for"] = before + ", " + sourceIP
	} else {
		headers["x-forwarded-for"] = sourceIP
	}
	if headers["x-amzn-trace-id"] == "" {
		headers["x-amzn-trace-id"] = awsform.TraceID(m.at)
	}
	return headers
}

// cookies splits the Cookie headers into single cookies.
func cookies(headers []string) []string {
	var all []string
	for _, header := range headers {
		for cookie := range strings.SplitSeq(header, ";") {
			cookie = strings.TrimSpace(cookie)
			if cookie != "" {
				all = append(all, cookie)
			}
		}
	}
	return all
}

// queryParameters decodes each parameter once, and joins repeated ones by commas in the order in which they were sent.
// Whatever cannot be decoded stays as it is.
func queryParameters(raw string) map[string]string {
	parameters := map[string]string{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, value = queryUnescape(name), queryUnescape(value)
		if before, ok := parameters[name]; ok {
			value = before + "," + value
		}
		parameters[name] = value
	}
	return parameters
}

// queryUnescape decodes a name or a value; a plus sign is a space.
func queryUnescape(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// localPort returns the port on which the request arrived, or 80 if the request has no connection, as in tests.
func localPort(r *http.Request) string {
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, port, err := net.SplitHostPort(addr.String()); err == nil {
			return port
		}
	}
	return "80"
}
