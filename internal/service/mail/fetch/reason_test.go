package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"code.dny.dev/ssrf"
)

// TestReasonsTellNothingOfTheInside: a reason never has an address of the function or its resolver, and a private
// address only if it is in the URL.
func TestReasonsTellNothingOfTheInside(t *testing.T) {
	// op returns an error of the net package with addresses on both sides.
	op := func(name string, err error) error {
		ours := &net.TCPAddr{IP: net.IPv4(169, 254, 1, 2), Port: 40000}
		return &net.OpError{Op: name, Net: "tcp", Source: ours, Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7)}, Err: err}
	}
	// at returns the error with the URL that failed, as an HTTP client does.
	at := func(address string, err error) error { return &url.Error{Op: "Get", URL: address, Err: err} }
	const name, number, mapped = "http://db.internal:8080/x?y", "http://10.0.0.7/", "http://[::ffff:10.0.0.7]:80/"
	inside := op("dial", fmt.Errorf("%w: 10.0.0.7 is not a permitted destination", ssrf.ErrProhibitedIP))
	const resolver = "169.254.1.1:53"
	unknown := op("dial", &net.DNSError{Err: "no such host", Name: "db.internal", Server: resolver, IsNotFound: true})
	fails := op("dial", &net.DNSError{Err: "server misbehaving", Name: "db.internal", Server: resolver})
	call := func(name string, n syscall.Errno) error { return op(name, os.NewSyscallError(name, n)) }
	const failed = "the connection failed, or its server does not speak HTTP"
	for of, c := range map[string]struct {
		err  error
		want string
	}{
		"a name that leads inside":         {at(name, inside), `the host "db.internal" was not found`},
		"a name that there is not":         {at(name, unknown), `the host "db.internal" was not found`},
		"a name that cannot be asked":      {at(name, fails), `the host "db.internal" could not be looked up`},
		"a private number":                 {at(number, inside), "the address 10.0.0.7 is not a public one"},
		"a private number in IPv6":         {at(mapped, inside), "the address 10.0.0.7 is not a public one"},
		"a connection that is refused":     {at(name, call("dial", syscall.ECONNREFUSED)), "connection refused"},
		"a connection that is reset":       {at(name, call("read", syscall.ECONNRESET)), failed},
		"a network that is not there":      {at(name, call("dial", syscall.ENETUNREACH)), failed},
		"a connection that is slow":        {at(name, op("dial", os.ErrDeadlineExceeded)), "it took too long"},
		"the end of the time":              {at(name, context.DeadlineExceeded), "it took too long"},
		"a file that breaks off":           {io.ErrUnexpectedEOF, "the connection ended before the file did"},
		"a file whose connection is reset": {op("read", syscall.ECONNRESET), failed},
		"a bad certificate": {
			at(name, &tls.CertificateVerificationError{Err: errors.New("x509: valid for inside.example")}),
			"its server has no good certificate",
		},
		"an answer that is none": {at(name, errors.New(`malformed HTTP response "220 mail.internal"`)), failed},
		"a redirect too many":    {at(name, redirectError("more than 10 redirects")), "more than 10 redirects"},
	} {
		t.Run(of, func(t *testing.T) {
			if got := reason(c.err); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
