// Package httpserver serves HTTP on ports of this machine: the API, the functions' services, and the Runtime API of
// each process. It says who may call them, and reads and writes bodies. Unlike AWS it uses no TLS.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// Server is an HTTP server that listens.
type Server struct {
	http.Server
	network  Network
	listener net.Listener
	unasked  sync.Map // of net.Conn: connections without any request so far
}

// Listen listens on a port; zero means any free one. So the port is known before Start.
func Listen(n Network, addr string) (*Server, error) {
	listener, err := n.Listen(addr)
	if err != nil {
		return nil, err
	}
	return &Server{network: n, listener: listener}, nil
}

// A server that keeps its port across restarts uses one that the system gives to nobody in between: systems assign
// ports from 32768 up, IANA's range begins at 49152.
const lowestKept, highestKept = 20000, 32767

// ListenAgain is [Listen], but instead of port zero it uses the port in the file, if that is free. Otherwise it writes
// the port that it got into the file. So the server is at the same port after a restart.
func ListenAgain(n Network, addr, file string) (*Server, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port != "0" {
		return Listen(n, addr)
	}
	if last, err := os.ReadFile(file); err == nil {
		if s, err := Listen(n, net.JoinHostPort(host, string(last))); err == nil {
			return s, nil
		}
	}
	s, err := listenKept(n, host)
	if err != nil {
		return nil, err
	}
	_, port, _ = net.SplitHostPort(s.Host())
	if err := os.WriteFile(file, []byte(port), 0o600); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// listenKept listens on one of the kept ports. If ten attempts find none that is free, it uses any.
func listenKept(n Network, host string) (*Server, error) {
	for range 10 {
		port := lowestKept + rand.IntN(highestKept-lowestKept+1)
		if s, err := Listen(n, net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return s, nil
		}
	}
	return Listen(n, net.JoinHostPort(host, "0"))
}

// Host returns the address of the server with its port. A server on every address is called by the loopback address.
func (s *Server) Host() string {
	addr := s.listener.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", addr.Port)
	}
	return addr.String()
}

// URL returns the base URL of the server.
func (s *Server) URL() string { return "http://" + s.Host() }

// Start lets h answer requests.
func (s *Server) Start(h http.Handler, log *slog.Logger) {
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.network.AwaitLatency()
		h.ServeHTTP(w, r)
	})
	s.ReadHeaderTimeout = time.Minute
	s.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	// Clients, above all browsers, open connections that they may never use. Shutdown would wait for those.
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if s.unasked.Delete(c); state == http.StateNew {
			s.unasked.Store(c, nil)
		}
	}
	s.RegisterOnShutdown(func() {
		for c := range s.unasked.Range {
			c.(net.Conn).Close()
		}
	})
	go s.Serve(s.listener)
}

// grace is how long Finish waits for running requests.
const grace = 3 * time.Second

// Finish accepts no more requests, and gives running ones three seconds.
func (s *Server) Finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if s.Shutdown(ctx) != nil {
		return s.Server.Close()
	}
	return nil
}

// Close ends the server, whether it was started or not.
func (s *Server) Close() error {
	defer s.listener.Close() // Server.Close does it only if the server was started
	return s.Server.Close()
}
