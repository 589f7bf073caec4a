package bench

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"
)

// newDistantService puts a TLS proxy with a delay in front of a service, and returns its address.
func newDistantService(tb testing.TB, certificate tls.Certificate, service string) string {
	tb.Helper()
	target, err := url.Parse(service)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a process that is ended may leave a handshake behind
	server.StartTLS()
	tb.Cleanup(server.Close)

	near, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = near.Close() })
	go func() {
		for {
			client, err := near.Accept()
			if err != nil {
				return // the listener is closed
			}
			go carryBoth(client, server.Listener.Addr().String())
		}
	}()
	return "https://" + near.Addr().String()
}

// carryBoth carries bytes between a client and a server. The connection to the proxy took no time, because it is on
// this machine. Over a distance, it would have waited for a packet each way; the client's first bytes wait that
// long instead.
func carryBoth(client net.Conn, address string) {
	server, err := net.Dial("tcp", address)
	if err != nil {
		_ = client.Close()
		return
	}
	go carry(client, server, 0)
	carry(server, client, 2*Distance)
}

// carry carries bytes until one side ends. The first bytes wait longer.
func carry(to, from net.Conn, longer time.Duration) {
	type packet struct {
		arrives time.Time
		bytes   []byte
	}
	packets := make(chan packet, 1000)
	go func() {
		defer close(packets)
		for {
			buffer := make([]byte, 64<<10)
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			packets <- packet{time.Now().Add(Distance + longer), buffer[:n]}
			longer = 0
		}
	}()
	defer to.Close()
	for p := range packets {
		time.Sleep(time.Until(p.arrives))
		if _, err := to.Write(p.bytes); err != nil {
			_ = from.Close()
		}
	}
}
