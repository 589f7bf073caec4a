package httpserver_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/develop/local/httpserver"
	"frontdesk/internal/prove/expect"
)

// TestAServerInMemoryAnswers shows that a request takes a millisecond, and reaches a server by any of its names.
func TestAServerInMemoryAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := httpserver.NewMemory()
		server, err := httpserver.Listen(network, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.RemoteAddr)
		}), slog.New(slog.DiscardHandler))
		defer server.Close()
		client := &http.Client{Transport: httpserver.Transport(network)}
		defer client.CloseIdleConnections()
		_, port, _ := net.SplitHostPort(server.Host())
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
			began := time.Now()
			response, err := client.Get("http://" + host + ":" + port)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			expect.Equal(t, errors.Join(err, response.Body.Close()), nil)
			expect.HasPrefix(t, string(body), "127.0.0.1:", host)
			expect.Equal(t, time.Since(began), httpserver.Latency, host)
		}
	})
}

// TestAddressesOfMemory shows the errors of TCP.
func TestAddressesOfMemory(t *testing.T) {
	network := httpserver.NewMemory()
	l, err := network.Listen("127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	_, err = network.Listen("127.0.0.1:80")
	expect.Equal(t, errors.Is(err, syscall.EADDRINUSE), true, "a port that is in use")
	_, err = network.Dial(context.Background(), "tcp", "127.0.0.1:81")
	expect.Equal(t, errors.Is(err, syscall.ECONNREFUSED), true, "a port that nobody has")
	_, err = network.Dial(context.Background(), "tcp", "example.org:80")
	missing, ok := errors.AsType[*net.DNSError](err)
	expect.Equal(t, ok && missing.IsNotFound, true, "another name")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = network.Dial(context.Background(), "tcp", "127.0.0.1:80")
	expect.Equal(t, errors.Is(err, syscall.ECONNREFUSED), true, "a server that is gone")
}
