// Package awsconf builds the configuration of an AWS client inside a Lambda function.
//
// On provided.al2023 the region and the credentials are in the environment, and stay the same while the process lives.
// So neither files nor a metadata service have to be read. Loading the SDK's default configuration instead would take
// about a third of the time of a cold start.
package awsconf

import (
	"cmp"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/base/execution"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Service configures the client of one AWS service.
type Service struct {
	// Name is the service's part of the variable AWS_ENDPOINT_URL_<Name>.
	Name string
	// HeaderTimeout limits the wait for the first byte of an answer. With zero, only the context limits it.
	HeaderTimeout time.Duration
	// IdleTimeout closes connections that were unused for this long. Zero means 50 s.
	IdleTimeout time.Duration
	// Retryer decides which failed calls are repeated, and when.
	Retryer func() aws.Retryer
}

const (
	// dialTimeout is short: within a region a connection opens in milliseconds or not at all.
	dialTimeout = time.Second
	// idleTimeout is shorter than that of the services, so that a thawed process seldom uses a dead connection.
	idleTimeout = 50 * time.Second
)

// New reads the variables of a Lambda function: AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN. The standard variables AWS_ENDPOINT_URL_<NAME> and AWS_ENDPOINT_URL select another endpoint; the
// service's own takes precedence.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func New(e execution.Environment, s Service) aws.Config {
	dial := e.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	cfg := aws.Config{
		Region:      e.Getenv("AWS_REGION"),
		Credentials: credentials(e),
		Retryer:     s.Retryer,
		HTTPClient: client{&http.Client{Transport: &http.Transport{
			DialContext:           dial,
			TLSHandshakeTimeout:   2 * time.Second,
			ResponseHeaderTimeout: s.HeaderTimeout,
			IdleConnTimeout:       cmp.Or(s.IdleTimeout, idleTimeout),
			MaxIdleConnsPerHost:   16,
		}}},
	}
	for _, name := range []string{"AWS_ENDPOINT_URL_" + s.Name, "AWS_ENDPOINT_URL"} {
		if url := e.Getenv(name); url != "" {
			cfg.BaseEndpoint = &url
			break
		}
	}
	// Until its first event a process has a whole core; afterwards it has the share that its memory size buys. So it
	// reads the root certificates here: during the first call this would take several times as long.
	if byTLS := !strings.HasPrefix(aws.ToString(cfg.BaseEndpoint), "http:"); byTLS {
		_, _ = x509.SystemCertPool() // the first call will report the error
	}
	return cfg
}

// client is an http.Client that keeps its connections open.
type client struct{ *http.Client }

// Do hides every method of the request's body but Read and Close. The SDK closes the body once the answer has arrived.
// After that, the body's WriteTo fails with EOF (smithy-go 1.28, transport/http/internal/io/safe.go). But net/http
// reads once more to see whether anything of the body is left. It would take the request for half written, and close
// the connection.
func (c client) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return c.Client.Do(r)
}

// credentials reads the credentials of the environment. They do not expire within its life.
func credentials(e execution.Environment) aws.CredentialsProviderFunc {
	return func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID:     e.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: e.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken:    e.Getenv("AWS_SESSION_TOKEN"),
			Source:          "environment",
		}, nil
	}
}
