package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"frontdesk/internal/prove/expect"
)

// TestFilesOfAServerShareAConnection: HTTP/2 fetches them, so that many files of one server need one handshake.
func TestFilesOfAServerShareAConnection(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		expect.Equal(t, r.ProtoMajor, 2, "version of HTTP")
	}))
	server.EnableHTTP2 = true
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	d := newDownloader(guarded(nil))
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	d.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	for range AtOnce {
		if _, err := d.Get(t.Context(), server.URL, NewBudget(1000)); err != nil {
			t.Fatal(err)
		}
	}
	expect.Equal(t, connections.Load(), 1, "connections")
}

// TestAGivenNetworkMustBeAllowed: what connects through it passes by the guard of private addresses.
func TestAGivenNetworkMustBeAllowed(t *testing.T) {
	through := new(net.Dialer).DialContext
	if _, err := NewDownloader(through, false); err == nil {
		t.Error("a network is used although private addresses are not allowed")
	}
	if _, err := NewDownloader(through, true); err != nil {
		t.Errorf("a network is not used although private addresses are allowed: %v", err)
	}
}
