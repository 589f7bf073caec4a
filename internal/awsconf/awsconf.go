// Package awsconf builds the configuration of an AWS client inside a Lambda function.
//
// On provided.al2023 the region and the credentials are in the environment and do not change while the
// process lives, so neither files nor a metadata service need be asked for them. Loading the SDK's default
// configuration instead costs a cold start about a third of its time.
package awsconf

import (
	"cmp"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Service says how one AWS service is reached.
type Service struct {
	// Name is the service's part of the variable AWS_ENDPOINT_URL_<Name>.
	Name string
	// HeaderTimeout bounds the wait for the first byte of an answer; zero leaves it to the context.
	HeaderTimeout time.Duration
	// IdleTimeout ends connections that were not used for so long; zero is 50 s.
	IdleTimeout time.Duration
	// Retryer decides which failed calls are repeated, and after how long.
	Retryer func() aws.Retryer
}

const (
	// dialTimeout is short: inside a region a connection opens within milliseconds or is lost.
	dialTimeout = time.Second
	// idleTimeout is shorter than the services', so that a thawed process seldom meets a dead connection.
	idleTimeout = 50 * time.Second
)

// New reads the environment that Lambda gives every function: AWS_REGION, AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and the standard AWS_ENDPOINT_URL_<NAME> and
// AWS_ENDPOINT_URL, by which another endpoint is chosen.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func New(s Service) aws.Config {
	cfg := aws.Config{
		Region:      os.Getenv("AWS_REGION"),
		Credentials: aws.CredentialsProviderFunc(environment),
		Retryer:     s.Retryer,
		HTTPClient: client{&http.Client{Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout:   2 * time.Second,
			ResponseHeaderTimeout: s.HeaderTimeout,
			IdleConnTimeout:       cmp.Or(s.IdleTimeout, idleTimeout),
			MaxIdleConnsPerHost:   16,
		}}},
	}
	for _, name := range []string{"AWS_ENDPOINT_URL_" + s.Name, "AWS_ENDPOINT_URL"} {
		if url := os.Getenv(name); url != "" {
			cfg.BaseEndpoint = &url
			break
		}
	}
	// A process has a whole core until its first event, and then the part that its memory size buys. So it reads the
	// root certificates here: its first call would wait several times as long for them.
	if byTLS := !strings.HasPrefix(aws.ToString(cfg.BaseEndpoint), "http:"); byTLS {
		_, _ = x509.SystemCertPool() // a call says what is wrong
	}
	return cfg
}

// client is an http.Client that keeps its connections.
type client struct{ *http.Client }

// Do sends a request whose body is a reader and nothing else. The SDK closes the body when the answer is there. Its
// WriteTo then fails with EOF (smithy-go 1.28, transport/http/internal/io/safe.go). So net/http, which reads once more
// to see whether anything is left of the body, would take the request for half written, and close the connection.
func (c client) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return c.Client.Do(r)
}

func environment(context.Context) (aws.Credentials, error) {
	return aws.Credentials{
		AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
		Source:          "environment",
	}, nil
}
